/* SPDX-License-Identifier: MIT */
/* src/stores/lmstudio.c: models as LM Studio keeps them, and the places where it does. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stores/kind.h"
#include "support/layout.h"

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

#define GEMMA "lmstudio-community/gemma-3-4b-it-GGUF/"
#define QWEN  "Qwen/Qwen2.5-7B-Instruct-GGUF/"

static void lay_out(struct scene *scene)
{
    const struct layout *layout = &scene->layout;
    layout_file(layout, GEMMA "gemma-3-4b-it-Q4_K_M.gguf", "1");
    layout_file(layout, GEMMA "mmproj-model-f16.gguf", "12");
    layout_file(layout, QWEN "qwen2.5-7b-instruct-q4_k_m-00001-of-00002.gguf", "1");
    layout_file(layout, QWEN "qwen2.5-7b-instruct-q4_k_m-00002-of-00002.gguf", "1");
    layout_file(layout, QWEN "qwen2.5-7b-instruct-q8_0.gguf", "1");
    layout_file(layout, "Qwen/Empty/readme.md", "1");
}

static int find(struct scene *scene, const char *name)
{
    found_done(&scene->list);
    places_done(&scene->places);
    scene->error = (struct ggufs_error){0};
    struct search search = {&scene->list, &scene->places, &scene->options, true};
    int rc = lmstudio_store.find(scene->layout.root, name, &search, &scene->error);
    assert_int_equal(found_finish(&scene->list), 0);
    places_finish(&scene->places);
    return rc;
}

#define GEMMA_MODEL "gemma-3-4b-it-Q4_K_M = " GEMMA "gemma-3-4b-it-Q4_K_M.gguf 1\n"
#define GEMMA_EYES  "mmproj-model-f16 = " GEMMA "mmproj-model-f16.gguf 2 projector\n"
#define QWEN_4                                                                           \
    "qwen2.5-7b-instruct-q4_k_m = " QWEN                                                 \
    "qwen2.5-7b-instruct-q4_k_m-00001-of-00002.gguf 2 (2 files)\n"
#define QWEN_8 "qwen2.5-7b-instruct-q8_0 = " QWEN "qwen2.5-7b-instruct-q8_0.gguf 1\n"

struct name_case {
    const char *typed;
    int rc;
    bool single;
    const char *found;
};

static const struct name_case name_cases[] = {
    {"", 0, false, GEMMA_MODEL GEMMA_EYES QWEN_4 QWEN_8},
    {"lmstudio-community", 0, false, GEMMA_MODEL GEMMA_EYES},
    {"lmstudio-community/gemma-3-4b-it-GGUF", 0, true, GEMMA_MODEL},
    {"LMStudio-Community/Gemma-3-4B-it-GGUF", 0, true, GEMMA_MODEL},
    {"lmstudio-community/gemma-3-4b-it-GGUF/", 0, true, GEMMA_MODEL},
    {GEMMA "gemma-3-4b-it-Q4_K_M.gguf", 0, true, GEMMA_MODEL},
    {GEMMA "mmproj-model-f16.gguf", 0, true, GEMMA_EYES},
    {"Qwen/Qwen2.5-7B-Instruct-GGUF", 0, false, QWEN_4 QWEN_8},
    {QWEN "Q8_0", 0, true, QWEN_8},
    {QWEN "qwen2.5-7b-instruct-q4_k_m-00002-of-00002.gguf", 0, true, QWEN_4},
    {QWEN "q6_k", -ENOENT, false, NULL},
    {QWEN "..", -ENOENT, false, NULL},
    {"Qwen/Empty", -ENOENT, false, NULL},
    {"Qwen/Missing", -ENOENT, false, NULL},
    {"..", -EINVAL, false, NULL},
    {"Qwen/..", -EINVAL, false, NULL},
    {"/etc", -EINVAL, false, NULL},
    {"Qwen//x", -EINVAL, false, NULL},
};

static void names_are_found(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(name_cases) / sizeof(*name_cases); i++) {
        const struct name_case *row = &name_cases[i];
        assert_int_equal(find(scene, row->typed), row->rc);
        if (row->rc < 0)
            continue;
        assert_int_equal(scene->list.single, row->single);
        char *text = layout_text(&scene->layout, &scene->list);
        assert_string_equal(text, row->found);
        free(text);
    }
}

static void a_missing_name_says_what_is_like_it(void **state)
{
    struct scene *scene = *state;
    char expected[1024];
    lay_out(scene);
    assert_int_equal(find(scene, "Quen/Qwen2.5-7B-Instruct-GGUF"), -ENOENT);
    snprintf(expected, sizeof(expected), "no folder 'Quen' in '%s'; like it: 'Qwen'",
             scene->layout.root);
    assert_string_equal(scene->error.text, expected);
}

static void without_models(void **state)
{
    struct scene *scene = *state;
    struct search search = {&scene->list, &scene->places, &scene->options, true};
    assert_int_equal(lmstudio_store.find(layout_path(&scene->layout, "none"), "", &search,
                                         &scene->error),
                     -ENOENT);
    assert_non_null(strstr(scene->error.text, "no models of LM Studio: '"));
}

/* What is there and cannot be read is not said to be missing. */
static void closed_folders_say_so(void **state)
{
    static const char *const closed[] = {"", "Qwen", "Qwen/Qwen2.5-7B-Instruct-GGUF"};
    static const char *const typed[] = {"", "Qwen", QWEN};
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 3; i-- > 0;) {
        char expected[512];
        const char *path = layout_path(&scene->layout, closed[i]);
        if (!layout_close(&scene->layout, closed[i]))
            return;
        int rc = find(scene, typed[i]);
        layout_root_again();
        assert_int_equal(rc, -EACCES);
        snprintf(expected, sizeof(expected),
                 "cannot read the models of LM Studio: '%s': Permission denied", path);
        assert_string_equal(scene->error.text, expected);
        assert_int_equal(chmod(path, 0755), 0);
    }
}

static void expect_root(struct scene *scene, const char *expected)
{
    struct arena arena = {0};
    char *root;
    assert_int_equal(lmstudio_store.locate(&arena, &root), 0);
    assert_string_equal(root, expected[0] == '/' ? expected
                                                 : layout_path(&scene->layout, expected));
    arena_done(&arena);
}

/* Each step adds what has more to say than what was there before. */
static void the_home_says_where(void **state)
{
    struct scene *scene = *state;
    char pointer[512];
    setenv("HOME", scene->layout.root, 1);
    expect_root(scene, ".lmstudio/models");
    layout_directory(&scene->layout, ".cache/lm-studio");
    expect_root(scene, ".cache/lm-studio/models");
    snprintf(pointer, sizeof(pointer), "%s/moved\n", scene->layout.root);
    layout_file(&scene->layout, ".lmstudio-home-pointer", pointer);
    expect_root(scene, "moved/models");
    layout_file(&scene->layout, "moved/settings.json",
                "{\"language\":\"en\",\"downloadsFolder\":\"/big/disk/models\"}");
    expect_root(scene, "/big/disk/models");
    layout_file(&scene->layout, "moved/settings.json", "no JSON");
    expect_root(scene, "moved/models");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(names_are_found),     CASE(a_missing_name_says_what_is_like_it),
        CASE(without_models),      CASE(closed_folders_say_so),
        CASE(the_home_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
