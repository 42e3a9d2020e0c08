/* SPDX-License-Identifier: MIT */
/* src/stores/ollama.c and manifest.c: a store as Ollama lays it out, whole and
 * damaged. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stores/kind.h"
#include "support/layout.h"

#define HEX_A "dde5aa3fc5ffc17176b5e8bdc82f587b24b2678c6c66101bf7da77af9f7ccdff"
#define HEX_B "970aa74c0a90ef7482477cf803618e776e173c007bf957f635f1015bfcfef0e6"
#define HEX_C "72d6f08a42f656d36b356dbe0920675899a99ce21192fd66266fb7d82ed07539"
#define HEX_D "6a0746a1ec1aef3e7ec53868f220ff6e389f6f8ef87a01d77c96807de94ca2aa"

#define LAYER(type, hex)                                                                 \
    "{\"mediaType\":\"application/vnd.ollama.image." type "\",\"digest\":\"sha256:" hex  \
    "\",\"size\":4}"
#define MANIFEST(layers)                                                                 \
    "{\"schemaVersion\":2,"                                                              \
    "\"mediaType\":\"application/vnd.docker.distribution.manifest.v2+json\","            \
    "\"config\":{\"mediaType\":\"application/vnd.docker.container.image.v1+json\","      \
    "\"digest\":\"sha256:" HEX_D "\",\"size\":561},\"layers\":[" layers "]}"

#define LIBRARY "manifests/registry.ollama.ai/library/"

struct scene {
    struct layout layout;
    struct scan_options options;
    struct found_list list;
    struct places places;
    struct ggufs_error error;
};

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    layout_new(&scene->layout);
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    found_done(&scene->list);
    places_done(&scene->places);
    layout_free(&scene->layout);
    free(scene);
    return 0;
}

/* What `ollama pull` leaves behind for four models. */
static void lay_out(struct scene *scene)
{
    const struct layout *layout = &scene->layout;
    layout_file(layout, "blobs/sha256-" HEX_A, "GGUF");
    layout_file(layout, "blobs/sha256-" HEX_B, "GGUF-b");
    layout_file(layout, "blobs/sha256-" HEX_C, "GGUF-proj");
    layout_file(layout, "blobs/sha256-" HEX_D, "{}");
    layout_file(layout, LIBRARY "llama3.2/3b",
                MANIFEST(LAYER("model", HEX_A) "," LAYER("template", HEX_D) "," LAYER(
                    "license", HEX_D) "," LAYER("params", HEX_D)));
    layout_file(layout, LIBRARY "llama3.2/latest", MANIFEST(LAYER("model", HEX_A)));
    layout_file(layout, LIBRARY "llava/7b",
                MANIFEST(LAYER("projector", HEX_C) "," LAYER("model", HEX_B)));
    layout_file(layout, "manifests/registry.ollama.ai/mannix/tuned/v1",
                MANIFEST(LAYER("model", HEX_B) "," LAYER("adapter", HEX_C) "," LAYER(
                    "adapter", HEX_D)));
    layout_file(layout, "manifests/hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF/Q4_K_M",
                MANIFEST(LAYER("model", HEX_B)));
    layout_file(layout, "manifests/registry.ollama.ai/.DS_Store", "x");
    layout_file(layout, LIBRARY "llama3.2/.DS_Store", "x");
    layout_file(layout, "manifests/stray", "x");
}

static int find(struct scene *scene, const char *name)
{
    found_done(&scene->list);
    places_done(&scene->places);
    scene->error = (struct ggufs_error){0};
    struct search search = {.list = &scene->list,
                            .places = &scene->places,
                            .scan = &scene->options,
                            .one = true};
    int rc = ollama_store.find(scene->layout.root, name, &search, &scene->error);
    assert_int_equal(found_finish(&scene->list), 0);
    places_finish(&scene->places);
    return rc;
}

static void expect_text(struct scene *scene, const char *expected)
{
    char *text = layout_text(&scene->layout, &scene->list);
    assert_string_equal(text, expected);
    free(text);
}

static void all_models_are_listed(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    assert_int_equal(find(scene, ""), 0);
    expect_text(scene,
                "hf.co-bartowski-Llama-3.2-1B-Instruct-GGUF:Q4_K_M = blobs/sha256-" HEX_B
                " 6\n"
                "llama3.2:3b = blobs/sha256-" HEX_A " 4\n"
                "llama3.2:latest = blobs/sha256-" HEX_A " 4\n"
                "llava:7b = blobs/sha256-" HEX_B " 6\n"
                "llava:7b-projector = blobs/sha256-" HEX_C " 9 projector\n"
                "mannix-tuned:v1 = blobs/sha256-" HEX_B " 6\n"
                "mannix-tuned:v1-adapter = blobs/sha256-" HEX_C " 9 adapter\n"
                "mannix-tuned:v1-adapter-2 = blobs/sha256-" HEX_D " 2 adapter\n");
    assert_false(scene->list.single);
    char *folders = layout_folders(&scene->layout, &scene->places);
    assert_string_equal(folders, ".\n");
    free(folders);
}

struct name_case {
    const char *typed;
    const char *found; /* NULL: not there */
};

static const struct name_case name_cases[] = {
    {"llama3.2", "llama3.2:latest = blobs/sha256-" HEX_A " 4\n"},
    {"llama3.2:3b", "llama3.2:3b = blobs/sha256-" HEX_A " 4\n"},
    {"LLaMA3.2:3B", "llama3.2:3b = blobs/sha256-" HEX_A " 4\n"},
    {"library/llama3.2:3b", "llama3.2:3b = blobs/sha256-" HEX_A " 4\n"},
    {"registry.ollama.ai/library/llama3.2",
     "llama3.2:latest = blobs/sha256-" HEX_A " 4\n"},
    {"https://registry.ollama.ai/library/llama3.2",
     "llama3.2:latest = blobs/sha256-" HEX_A " 4\n"},
    {"mannix/tuned:v1", "mannix-tuned:v1 = blobs/sha256-" HEX_B " 6\n"},
    {"llava:7b", "llava:7b = blobs/sha256-" HEX_B " 6\n"},
    {"hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M",
     "hf.co-bartowski-Llama-3.2-1B-Instruct-GGUF:Q4_K_M = blobs/sha256-" HEX_B " 6\n"},
    {"hf.co/bartowski/llama-3.2-1b-instruct-gguf:q4_k_m",
     "hf.co-bartowski-Llama-3.2-1B-Instruct-GGUF:Q4_K_M = blobs/sha256-" HEX_B " 6\n"},
    /* As it stands in a mount of the store. */
    {"llava:7b-projector", "llava:7b-projector = blobs/sha256-" HEX_C " 9 projector\n"},
    {"mannix-tuned:v1", "mannix-tuned:v1 = blobs/sha256-" HEX_B " 6\n"},
    {"llava", NULL},
    {"tuned:v1", NULL},
    {"hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF", NULL},
    {"hf.com/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M", NULL},
};

static void names_are_completed(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(name_cases) / sizeof(*name_cases); i++) {
        const struct name_case *row = &name_cases[i];
        int rc = find(scene, row->typed);
        assert_int_equal(rc, row->found ? 0 : -ENOENT);
        if (!row->found)
            continue;
        assert_true(scene->list.single);
        expect_text(scene, row->found);
    }
}

static void a_missing_name_says_what_is_like_it(void **state)
{
    struct scene *scene = *state;
    char expected[1024];
    lay_out(scene);
    assert_int_equal(find(scene, "llama3.1:3b"), -ENOENT);
    assert_int_equal(scene->error.code, GGUFS_SYSTEM);
    assert_int_equal(scene->error.errnum, ENOENT);
    snprintf(expected, sizeof(expected),
             "no model 'llama3.1:3b' in '%s'; like it: 'llama3.2:3b'",
             scene->layout.root);
    assert_string_equal(scene->error.text, expected);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const names[] = {
        "..",      "../x", "a/../b", "a/b/c/d", "/a", "a/",     "a:",
        ":latest", "a//b", "a:..",   "a/b/../", ".",  "x:y/z:", "http://",
    };
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        assert_int_equal(find(scene, names[i]), -EINVAL);
        assert_int_equal(scene->error.code, GGUFS_USAGE);
    }
}

struct damage {
    const char *manifest;
    const char *trouble; /* behind the path */
};

static const struct damage damages[] = {
    {"", "manifests/registry.ollama.ai/library/m/t: the manifest is no JSON (line 1)"},
    {"{\n]",
     "manifests/registry.ollama.ai/library/m/t: the manifest is no JSON (line 2)"},
    {"[]", "manifests/registry.ollama.ai/library/m/t: a manifest without a GGUF model"},
    {"{\"layers\":7}",
     "manifests/registry.ollama.ai/library/m/t: a manifest without a GGUF model"},
    {"{\"layers\":[7,null,{}]}",
     "manifests/registry.ollama.ai/library/m/t: a manifest without a GGUF model"},
    {MANIFEST(LAYER("license", HEX_A)),
     "manifests/registry.ollama.ai/library/m/t: a manifest without a GGUF model"},
    {MANIFEST(LAYER("model", "12ab")),
     "manifests/registry.ollama.ai/library/m/t: a layer without a sha256 digest"},
    {MANIFEST("{\"mediaType\":\"application/vnd.ollama.image.model\"}"),
     "manifests/registry.ollama.ai/library/m/t: a layer without a sha256 digest"},
    {MANIFEST(LAYER("model",
                    "../../../../../../../../../../../../../../../../../../../../"
                    "etc/")),
     "manifests/registry.ollama.ai/library/m/t: a layer without a sha256 digest"},
    {MANIFEST(LAYER("model", HEX_A)), "blobs/sha256-" HEX_A ": the blob is missing"},
    {MANIFEST(LAYER("model", HEX_B)), "blobs/sha256-" HEX_B ": not a regular file"},
};

static void damage_is_listed_and_the_rest_found(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "blobs/sha256-" HEX_C, "GGUF");
    layout_fifo(&scene->layout, "blobs/sha256-" HEX_B);
    layout_file(&scene->layout, LIBRARY "good/t", MANIFEST(LAYER("model", HEX_C)));
    for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
        char expected[1024];
        layout_file(&scene->layout, LIBRARY "m/t", damages[i].manifest);
        assert_int_equal(find(scene, ""), 0);
        snprintf(expected, sizeof(expected),
                 "good:t = blobs/sha256-" HEX_C " 4\nm:t ! %s\n", damages[i].trouble);
        expect_text(scene, expected);
        /* Asked for by name, it is the error. */
        assert_int_equal(find(scene, "m:t"), -ENOENT);
        assert_non_null(strstr(scene->error.text, damages[i].trouble));
    }
}

static void a_manifest_that_is_no_file(void **state)
{
    struct scene *scene = *state;
    layout_fifo(&scene->layout, LIBRARY "m/fifo");
    layout_link(&scene->layout, LIBRARY "m/link", "nothing");
    layout_directory(&scene->layout, LIBRARY "m/directory");
    layout_file(&scene->layout, LIBRARY "m/big", "");
    assert_int_equal(truncate(layout_path(&scene->layout, LIBRARY "m/big"), 5 << 20), 0);
    assert_int_equal(find(scene, ""), 0);
    expect_text(scene,
                "m:big ! manifests/registry.ollama.ai/library/m/big: File too large\n"
                "m:fifo ! manifests/registry.ollama.ai/library/m/fifo: "
                "not a regular file\n"
                "m:link ! manifests/registry.ollama.ai/library/m/link: "
                "No such file or directory\n");
}

static void blobs_of_old_stores_have_colons(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "blobs/sha256:" HEX_A, "GGUF");
    layout_file(&scene->layout, LIBRARY "m/t", MANIFEST(LAYER("model", HEX_A)));
    assert_int_equal(find(scene, "m:t"), 0);
    expect_text(scene, "m:t = blobs/sha256:" HEX_A " 4\n");
}

static void blobs_may_lie_elsewhere(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "disk/sha256-" HEX_A, "GGUF");
    layout_link(&scene->layout, "store/blobs", "../disk");
    layout_file(&scene->layout, "store/" LIBRARY "m/t", MANIFEST(LAYER("model", HEX_A)));
    struct search search = {&scene->list, &scene->places, &scene->options, true};
    assert_int_equal(ollama_store.find(layout_path(&scene->layout, "store"), "", &search,
                                       &scene->error),
                     0);
    places_finish(&scene->places);
    char *folders = layout_folders(&scene->layout, &scene->places);
    assert_string_equal(folders, "disk\nstore\n");
    free(folders);
}

static void without_a_store(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(find(scene, ""), -ENOENT);
    assert_non_null(strstr(scene->error.text, "no store of Ollama: '"));
}

/* What is there and cannot be read is not said to be missing. */
static void a_closed_store_says_so(void **state)
{
    struct scene *scene = *state;
    char expected[512];
    lay_out(scene);
    if (!layout_close(&scene->layout, "manifests"))
        return;
    int all = find(scene, "");
    snprintf(expected, sizeof(expected),
             "cannot read the store of Ollama: '%s/manifests': Permission denied",
             scene->layout.root);
    assert_string_equal(scene->error.text, expected);
    int one = find(scene, "llava:7b");
    assert_string_equal(scene->error.text, expected);
    layout_root_again();
    assert_int_equal(all, -EACCES);
    assert_int_equal(one, -EACCES);
}

/* A name that was not found may be there all the same. */
static void a_closed_folder_says_so(void **state)
{
    struct scene *scene = *state;
    char expected[512];
    lay_out(scene);
    if (!layout_close(&scene->layout, LIBRARY "llava"))
        return;
    int other = find(scene, "llama3.2");
    int one = find(scene, "llava:7b");
    layout_root_again();
    assert_int_equal(other, 0);
    assert_int_equal(one, -ENOENT);
    snprintf(expected, sizeof(expected),
             "no model 'llava:7b' was found; %s/" LIBRARY
             "llava: not searched: Permission denied",
             scene->layout.root);
    assert_string_equal(scene->error.text, expected);
}

static void the_environment_says_where(void **state)
{
    struct scene *scene = *state;
    struct arena arena = {0};
    char *root;
    setenv("OLLAMA_MODELS", "/some/where/", 1);
    assert_int_equal(ollama_store.locate(&arena, &root), 0);
    assert_string_equal(root, "/some/where");

    unsetenv("OLLAMA_MODELS");
    layout_directory(&scene->layout, ".ollama/models/manifests");
    setenv("HOME", scene->layout.root, 1);
    assert_int_equal(ollama_store.locate(&arena, &root), 0);
    assert_string_equal(root, layout_path(&scene->layout, ".ollama/models"));

    setenv("OLLAMA_MODELS", "~/other", 1);
    assert_int_equal(ollama_store.locate(&arena, &root), 0);
    assert_string_equal(root, layout_path(&scene->layout, "other"));

    char here[4096], expected[4200];
    assert_non_null(getcwd(here, sizeof(here)));
    setenv("OLLAMA_MODELS", "./models", 1);
    assert_int_equal(ollama_store.locate(&arena, &root), 0);
    snprintf(expected, sizeof(expected), "%s/models", strcmp(here, "/") == 0 ? "" : here);
    assert_string_equal(root, expected);
    arena_done(&arena);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_models_are_listed),
        CASE(names_are_completed),
        CASE(a_missing_name_says_what_is_like_it),
        CASE(names_that_lead_elsewhere_are_refused),
        CASE(damage_is_listed_and_the_rest_found),
        CASE(a_manifest_that_is_no_file),
        CASE(blobs_of_old_stores_have_colons),
        CASE(blobs_may_lie_elsewhere),
        CASE(without_a_store),
        CASE(a_closed_store_says_so),
        CASE(a_closed_folder_says_so),
        CASE(the_environment_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
