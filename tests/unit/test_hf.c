/* SPDX-License-Identifier: MIT */
/* src/stores/hf.c: the Hugging Face cache as huggingface_hub and llama.cpp lay it out. */

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

#define COMMIT_A "5ab33fa94d1d04e903623ae72c95d1696f09f9e8"
#define COMMIT_B "067b946cf014b7c697f3654f621d577a3e3afd1c"

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

/* A downloaded file: a blob named by its hash, and a link to it in the snapshot. */
static void download(struct scene *scene, const char *repository, const char *commit,
                     const char *file, const char *bytes)
{
    char path[1024], target[1024] = "../../";
    static unsigned number;
    unsigned hash = ++number;
    for (const char *p = file; (p = strchr(p, '/')); p++)
        strcat(target, "../");
    snprintf(path, sizeof(path), "%s/blobs/%064x", repository, hash);
    layout_file(&scene->layout, path, bytes);
    snprintf(target + strlen(target), sizeof(target) - strlen(target), "blobs/%064x",
             hash);
    snprintf(path, sizeof(path), "%s/snapshots/%s/%s", repository, commit, file);
    layout_link(&scene->layout, path, target);
}

#define QWEN  "models--Qwen--Qwen2.5-0.5B-Instruct-GGUF"
#define LLAVA "models--second-state--Llava-GGUF"

static void lay_out(struct scene *scene)
{
    const struct layout *layout = &scene->layout;
    layout_file(layout, QWEN "/refs/main", COMMIT_A);
    download(scene, QWEN, COMMIT_A, "README.md", "x");
    download(scene, QWEN, COMMIT_A, "qwen2.5-0.5b-instruct-q4_k_m.gguf", "1");
    download(scene, QWEN, COMMIT_A, "qwen2.5-0.5b-instruct-q8_0.gguf", "12");
    download(scene, QWEN, COMMIT_A, "fp16/qwen2.5-0.5b-instruct-fp16-00001-of-00002.gguf",
             "1");
    download(scene, QWEN, COMMIT_A, "fp16/qwen2.5-0.5b-instruct-fp16-00002-of-00002.gguf",
             "2");
    download(scene, QWEN, COMMIT_B, "qwen2.5-0.5b-instruct-q2_k.gguf", "1234");
    layout_file(layout, QWEN "/refs/pr/1", COMMIT_B);

    layout_file(layout, LLAVA "/refs/main", COMMIT_B "\n");
    download(scene, LLAVA, COMMIT_B, "Llava-Q4_K.gguf", "123");
    download(scene, LLAVA, COMMIT_B, "Llava-mmproj-f16.gguf", "1234");

    /* llama.cpp's own cache has no refs/ for some downloads; safetensors have no GGUF. */
    download(scene, "models--gpt2", COMMIT_A, "gpt2.gguf", "1");
    layout_file(layout, "models--bert-base-cased/refs/main", COMMIT_A);
    download(scene, "models--bert-base-cased", COMMIT_A, "model.safetensors", "1");
    layout_file(layout, "models--org--partial/refs/main", COMMIT_A);
    layout_file(layout, "datasets--org--data/snapshots/" COMMIT_A "/data.gguf", "1");
    layout_file(layout, "version.txt", "1");
    layout_directory(layout, ".locks");
}

static int find_as(struct scene *scene, const char *name, bool one)
{
    found_done(&scene->list);
    places_done(&scene->places);
    scene->error = (struct ggufs_error){0};
    struct search search = {&scene->list, &scene->places, &scene->options, one};
    int rc = hf_store.find(scene->layout.root, name, &search, &scene->error);
    assert_int_equal(found_finish(&scene->list), 0);
    places_finish(&scene->places);
    return rc;
}

static int find(struct scene *scene, const char *name)
{
    return find_as(scene, name, true);
}

static void expect_text(struct scene *scene, const char *expected)
{
    char *text = layout_text(&scene->layout, &scene->list);
    assert_string_equal(text, expected);
    free(text);
}

#define QWEN_A QWEN "/snapshots/" COMMIT_A "/"
#define FP16                                                                             \
    "qwen2.5-0.5b-instruct-fp16 = " QWEN_A                                               \
    "fp16/qwen2.5-0.5b-instruct-fp16-00001-of-00002.gguf 2 (2 files)\n"
#define Q4                                                                               \
    "qwen2.5-0.5b-instruct-q4_k_m = " QWEN_A "qwen2.5-0.5b-instruct-q4_k_m.gguf 1\n"
#define Q8 "qwen2.5-0.5b-instruct-q8_0 = " QWEN_A "qwen2.5-0.5b-instruct-q8_0.gguf 2\n"
#define Q2                                                                               \
    "qwen2.5-0.5b-instruct-q2_k = " QWEN "/snapshots/" COMMIT_B                          \
    "/qwen2.5-0.5b-instruct-q2_k.gguf 4\n"
#define LLAVA_MODEL "Llava-Q4_K = " LLAVA "/snapshots/" COMMIT_B "/Llava-Q4_K.gguf 3\n"
#define LLAVA_EYES                                                                       \
    "Llava-mmproj-f16 = " LLAVA "/snapshots/" COMMIT_B                                   \
    "/Llava-mmproj-f16.gguf 4 projector\n"
#define GPT2 "gpt2 = models--gpt2/snapshots/" COMMIT_A "/gpt2.gguf 1\n"

static void all_models_are_listed(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    assert_int_equal(find(scene, ""), 0);
    expect_text(scene, LLAVA_MODEL LLAVA_EYES GPT2 FP16 Q4 Q8);
    char *folders = layout_folders(&scene->layout, &scene->places);
    assert_string_equal(folders, ".\n");
    free(folders);
}

struct name_case {
    const char *typed;
    bool single;
    const char *found; /* NULL: not there */
};

static const struct name_case name_cases[] = {
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF", false, FP16 Q4 Q8},
    {"qwen/qwen2.5-0.5b-instruct-gguf", false, FP16 Q4 Q8},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M", true, Q4},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:q8_0", true, Q8},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:fp16", true, FP16},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:qwen2.5-0.5b-instruct-q8_0.gguf", true, Q8},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:qwen2.5-0.5b-instruct-q8_0", true, Q8},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:fp16/"
     "qwen2.5-0.5b-instruct-fp16-00002-of-00002.gguf",
     true, FP16},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:qwen2.5-0.5b-instruct-fp16-00001-of-00002.gguf",
     true, FP16},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF@" COMMIT_B, true, Q2},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF@refs/pr/1", false, NULL},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF@pr/1", true, Q2},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF@pr/1:Q2_K", true, Q2},
    {"second-state/Llava-GGUF", true, LLAVA_MODEL},
    {"second-state/Llava-GGUF:Llava-mmproj-f16.gguf", true, LLAVA_EYES},
    {"second-state/Llava-GGUF:Q4_K", true, LLAVA_MODEL},
    {"gpt2", true, GPT2},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K", false, NULL},
    {"Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q6_K", false, NULL},
    {"bert-base-cased", false, NULL},
    {"org/partial", false, NULL},
    {"org/data", false, NULL},
    {"Qwen", false, NULL},
};

static void names_are_found(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(name_cases) / sizeof(*name_cases); i++) {
        const struct name_case *row = &name_cases[i];
        int rc = find(scene, row->typed);
        assert_int_equal(rc, row->found ? 0 : -ENOENT);
        if (!row->found)
            continue;
        assert_int_equal(scene->list.single, row->single);
        expect_text(scene, row->found);
    }
}

static void what_was_many_stays_many(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    assert_int_equal(find_as(scene, "second-state/Llava-GGUF", false), 0);
    assert_false(scene->list.single);
    expect_text(scene, LLAVA_MODEL LLAVA_EYES);
}

static void a_choice_that_is_none_lists_what_there_is(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    download(scene, QWEN, COMMIT_A, "imatrix/qwen2.5-q8_0.gguf", "1");
    assert_int_equal(find(scene, "Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q8_0"), -EINVAL);
    assert_int_equal(scene->error.code, GGUFS_USAGE);
    assert_string_equal(scene->error.text, "'Q8_0' could be one of 2: "
                                           "'imatrix/qwen2.5-q8_0', "
                                           "'qwen2.5-0.5b-instruct-q8_0'");
    assert_int_equal(find(scene, "gpt2:Q9"), -ENOENT);
    assert_string_equal(scene->error.text, "no model 'Q9' in 'gpt2'; there are: 'gpt2'");
}

static void a_missing_repository_says_what_is_like_it(void **state)
{
    struct scene *scene = *state;
    char expected[1024];
    lay_out(scene);
    assert_int_equal(find(scene, "second-state/Lava-GGUF"), -ENOENT);
    snprintf(expected, sizeof(expected),
             "no repository 'second-state/Lava-GGUF' in '%s'; like it: "
             "'second-state/Llava-GGUF'",
             scene->layout.root);
    assert_string_equal(scene->error.text, expected);
    assert_int_equal(scene->error.errnum, ENOENT);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const names[] = {
        "..",     "a/..",     "../a",          "a/b/c",  "/a",     "a/", ":x",
        "a/b@..", "a/b@../x", "a/b@x/../../y", "a/b@/x", "a/b@x/", "@x", "a/b@",
    };
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        assert_int_equal(find(scene, names[i]), -EINVAL);
        assert_int_equal(scene->error.code, GGUFS_USAGE);
    }
}

static void damage_is_listed_and_the_rest_found(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    layout_link(&scene->layout, QWEN_A "gone.gguf", "../../blobs/gone");
    layout_link(&scene->layout, QWEN_A "loop.gguf", "loop.gguf");
    layout_file(&scene->layout, "models--a--b/refs/main", "../../outside");
    layout_directory(&scene->layout, "models--a--b/snapshots/" COMMIT_A);
    layout_file(&scene->layout, "outside/secret.gguf", "x");
    layout_fifo(&scene->layout, "models--a--c/refs/main");
    layout_file(&scene->layout, "models--file", "x");
    assert_int_equal(find(scene, ""), 0);
    expect_text(scene, LLAVA_MODEL LLAVA_EYES
                "gone.gguf ! " QWEN_A "gone.gguf: a link to nothing\n" GPT2
                "loop.gguf ! " QWEN_A "loop.gguf: a cycle of links\n" FP16 Q4 Q8);
    assert_int_equal(find(scene, "a/b"), -ENOENT);
}

static void several_snapshots_need_a_ref(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    download(scene, "models--gpt2", COMMIT_B, "gpt2.gguf", "12");
    assert_int_equal(find(scene, "gpt2"), -ENOENT);
    assert_non_null(strstr(scene->error.text, "no snapshot of revision 'main' in '"));
    assert_int_equal(find(scene, "gpt2@" COMMIT_B), 0);
    expect_text(scene, "gpt2 = models--gpt2/snapshots/" COMMIT_B "/gpt2.gguf 2\n");
}

static void without_a_cache(void **state)
{
    struct scene *scene = *state;
    struct search search = {&scene->list, &scene->places, &scene->options, true};
    assert_int_equal(
        hf_store.find(layout_path(&scene->layout, "none"), "", &search, &scene->error),
        -ENOENT);
    assert_non_null(strstr(scene->error.text, "no cache of Hugging Face: '"));
}

/* What is there and cannot be read is not said to be missing. */
static void a_closed_cache_says_so(void **state)
{
    struct scene *scene = *state;
    char expected[512];
    lay_out(scene);
    if (!layout_close(&scene->layout, ""))
        return;
    int rc = find(scene, "gpt2");
    layout_root_again();
    assert_int_equal(rc, -EACCES);
    snprintf(expected, sizeof(expected),
             "cannot read the cache of Hugging Face: '%s': Permission denied",
             scene->layout.root);
    assert_string_equal(scene->error.text, expected);
}

/* Each row is closed in turn: a repository, what says which snapshot, the snapshots. */
static const struct {
    const char *closed, *typed, *trouble; /* behind the root */
} closed_cases[] = {
    {"models--gpt2", "gpt2", "models--gpt2: cannot read its snapshots"},
    {"models--gpt2/snapshots", "gpt2", "models--gpt2: cannot read its snapshots"},
    {"models--gpt2/snapshots", "gpt2@" COMMIT_A ":gpt2",
     "models--gpt2/snapshots/" COMMIT_A ": cannot read the directory"},
    {"models--gpt2/snapshots/" COMMIT_A, "gpt2:gpt2",
     "models--gpt2/snapshots/" COMMIT_A ": cannot read the directory"},
    {LLAVA "/refs/main", "second-state/Llava-GGUF:Q4_K",
     LLAVA ": cannot read its snapshots"},
};

static void a_closed_repository_says_so(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(closed_cases) / sizeof(*closed_cases); i++) {
        char expected[512];
        if (!layout_close(&scene->layout, closed_cases[i].closed))
            return;
        int rc = find(scene, closed_cases[i].typed);
        layout_root_again();
        assert_int_equal(rc, -ENOENT);
        snprintf(expected, sizeof(expected), "%s/%s: Permission denied",
                 scene->layout.root, closed_cases[i].trouble);
        assert_string_equal(scene->error.text, expected);
        assert_int_equal(chmod(layout_path(&scene->layout, closed_cases[i].closed), 0755),
                         0);
    }
}

struct environment {
    const char *variable, *value, *root;
};

/* Each row adds a variable that has more to say than those before it. */
static const struct environment environments[] = {
    {"HOME", "/users/u", "/users/u/.cache/huggingface/hub"},
    {"XDG_CACHE_HOME", "/cache", "/cache/huggingface/hub"},
    {"HF_HOME", "/hf", "/hf/hub"},
    {"HUGGINGFACE_HUB_CACHE", "/old", "/old"},
    {"HF_HUB_CACHE", "/hub/", "/hub"},
    {"HF_HUB_CACHE", "~/hub", "/users/u/hub"},
};

static void the_environment_says_where(void **state)
{
    struct arena arena = {0};
    size_t n = sizeof(environments) / sizeof(*environments);
    (void)state;
    for (size_t i = 0; i < n; i++)
        unsetenv(environments[i].variable);
    for (size_t i = 0; i < n; i++) {
        char *root;
        setenv(environments[i].variable, environments[i].value, 1);
        assert_int_equal(hf_store.locate(&arena, &root), 0);
        assert_string_equal(root, environments[i].root);
    }
    arena_done(&arena);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_models_are_listed),
        CASE(names_are_found),
        CASE(what_was_many_stays_many),
        CASE(a_choice_that_is_none_lists_what_there_is),
        CASE(a_missing_repository_says_what_is_like_it),
        CASE(names_that_lead_elsewhere_are_refused),
        CASE(damage_is_listed_and_the_rest_found),
        CASE(several_snapshots_need_a_ref),
        CASE(without_a_cache),
        CASE(a_closed_cache_says_so),
        CASE(a_closed_repository_says_so),
        cmocka_unit_test(the_environment_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
