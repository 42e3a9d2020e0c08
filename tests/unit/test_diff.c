/* SPDX-License-Identifier: MIT */
/* src/diff: what is said of two models, line by line, and as JSON. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "diff/diff.h"
#include "support/build.h"
#include "support/layout.h"

struct scene {
    struct layout layout;
    struct build old, new;
    char text[16384]; /* the lines of the last report */
    pthread_t caller;
    uint64_t done, total; /* of the last progress */
    unsigned calls;
    bool other_thread, backwards;
};

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    layout_new(&scene->layout);
    build_init(&scene->old, 3, false);
    build_init(&scene->new, 3, false);
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    build_done(&scene->old);
    build_done(&scene->new);
    layout_free(&scene->layout);
    free(scene);
    return 0;
}

static void note_line(void *data, const char *line)
{
    struct scene *scene = data;
    size_t used = strlen(scene->text);
    assert_in_range(
        snprintf(scene->text + used, sizeof(scene->text) - used, "%s\n", line), 0,
        sizeof(scene->text) - used - 1);
}

static void note_progress(void *data, uint64_t done, uint64_t total)
{
    struct scene *scene = data;
    scene->other_thread |= !pthread_equal(pthread_self(), scene->caller);
    scene->backwards |= done < scene->done || done > total;
    scene->done = done;
    scene->total = total;
    scene->calls++;
}

static struct ggufs_tree *open_side(struct scene *scene, struct build *build,
                                    const char *name)
{
    struct ggufs_tree *tree;
    struct ggufs_error error = {0};
    const char *path = layout_path(&scene->layout, name);
    if (access(path, F_OK) < 0)
        assert_int_equal(build_write(build, path), 0);
    if (ggufs_tree_open(&path, 1, NULL, &tree, &error) < 0)
        fail_msg("%s", error.text);
    return tree;
}

/* Compares; truncate_new: cut off the new one's file to that size while it is open. */
static int compare_cut(struct scene *scene, bool brief, bool json, off_t truncate_new)
{
    struct ggufs_error error = {0};
    struct diff_options options = {.brief = brief,
                                   .json = json,
                                   .line = note_line,
                                   .progress = note_progress,
                                   .data = scene};
    struct ggufs_tree *old = open_side(scene, &scene->old, "old.gguf");
    struct ggufs_tree *new = open_side(scene, &scene->new, "new.gguf");
    if (truncate_new)
        assert_int_equal(truncate(layout_path(&scene->layout, "new.gguf"), truncate_new),
                         0);
    scene->text[0] = '\0';
    scene->caller = pthread_self();
    scene->done = 0;
    int r = diff_models(old, new, &options, &error);
    ggufs_tree_close(old);
    ggufs_tree_close(new);
    return r;
}

static int compare(struct scene *scene, bool brief, bool json)
{
    return compare_cut(scene, brief, json, 0);
}

/* -- keys -- */

static void test_same(void **state)
{
    struct scene *scene = *state;
    struct build *both[] = {&scene->old, &scene->new};
    for (size_t i = 0; i < 2; i++) {
        build_key_str(both[i], "s", "text");
        build_key_f32(both[i], "f", NAN);
        build_key_strings(both[i], "a", 2, (const char *const[]){"x", "y"});
        build_tensor(both[i], "w", 0, 2, (uint64_t[]){4, 2});
        build_tensor(both[i], "none", 8, 1, (uint64_t[]){0});
    }
    assert_int_equal(compare(scene, false, false), 0);
    assert_string_equal(scene->text,
                        "keys: 3 the same, 0 changed, 0 added, 0 removed\n"
                        "tensors: 2 the same, 0 changed, 0 added, 0 removed\n");
}

static void test_keys(void **state)
{
    struct scene *scene = *state;
    struct build *old = &scene->old, *new = &scene->new;
    char long_text[200];
    build_key_str(old, "kept", "same");
    build_key_str(new, "kept", "same");
    build_key_str(old, "gone", "bye");
    build_key_u32(old, "number", 1);
    build_key_u32(new, "number", 2);
    build_key_number(old, "type", GGUFS_U32, 7);
    build_key_number(new, "type", GGUFS_I32, 7);
    build_key_f32(old, "zero", 0.0f);
    build_key_f32(new, "zero", -0.0f);
    build_key_bool(new, "come", 1);
    build_key_str(old, "odd\033", "a\nb\033[31m");
    build_key_str(new, "odd\033", "");
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    build_key_str(old, "long", "short");
    build_key_str(new, "long", long_text);
    assert_int_equal(compare(scene, false, false), 1);
    long_text[72] = '\0';
    char expected[2000];
    snprintf(expected, sizeof(expected),
             "- key gone: str bye\n"
             "! key number: u32 1 -> u32 2\n"
             "! key type: u32 7 -> i32 7\n"
             "! key zero: f32 0 -> f32 -0\n"
             "! key odd%%1B: str a\\x0ab\\x1b[31m -> str\n"
             "! key long: str short -> str %s...\n"
             "+ key come: bool true\n"
             "keys: 1 the same, 5 changed, 1 added, 1 removed\n"
             "tensors: 0 the same, 0 changed, 0 added, 0 removed\n",
             long_text);
    assert_string_equal(scene->text, expected);
}

/* A value is cut between two characters. */
static void test_cut_value(void **state)
{
    struct scene *scene = *state;
    char text[100], expected[100];
    memset(text, 'x', 71);
    strcpy(text + 71, "\xc3\xa9\xc3\xa9\xc3\xa9");
    build_key_str(&scene->new, "k", text);
    assert_int_equal(compare(scene, false, false), 1);
    snprintf(expected, sizeof(expected), "+ key k: str %.71s...\n", text);
    assert_memory_equal(scene->text, expected, strlen(expected));
}

static void test_arrays(void **state)
{
    struct scene *scene = *state;
    struct build *old = &scene->old, *new = &scene->new;
    build_key_numbers(old, "a", GGUFS_U8, 3, (uint64_t[]){1, 2, 3});
    build_key_numbers(new, "a", GGUFS_U8, 3, (uint64_t[]){1, 2, 4});
    build_key_numbers(old, "shorter", GGUFS_I16, 2, (uint64_t[]){1, 2});
    build_key_numbers(new, "shorter", GGUFS_I16, 1, (uint64_t[]){1});
    build_key_numbers(old, "wider", GGUFS_U8, 1, (uint64_t[]){1});
    build_key_numbers(new, "wider", GGUFS_U32, 1, (uint64_t[]){1});
    build_key_strings(old, "s", 2, (const char *const[]){"x", "y\n"});
    build_key_strings(new, "s", 2, (const char *const[]){"x", "z"});
    build_key_numbers(old, "empty", GGUFS_U8, 0, NULL);
    build_key_numbers(new, "empty", GGUFS_U8, 0, NULL);
    assert_int_equal(compare(scene, false, false), 1);
    assert_string_equal(scene->text,
                        "! key a: arr[u8] of 3 1 2 3 -> arr[u8] of 3 1 2 4\n"
                        "! key shorter: arr[i16] of 2 1 2 -> arr[i16] of 1 1\n"
                        "! key wider: arr[u8] of 1 1 -> arr[u32] of 1 1\n"
                        "! key s: arr[str] of 2 \"x\" \"y\\\\n\" -> "
                        "arr[str] of 2 \"x\" \"z\"\n"
                        "keys: 1 the same, 4 changed, 0 added, 0 removed\n"
                        "tensors: 0 the same, 0 changed, 0 added, 0 removed\n");
}

/* -- tensors -- */

static void add_floats(struct build *build, const char *name, uint64_t n,
                       const float *values)
{
    build_add(build, &(struct build_tensor){.name = name,
                                            .name_length = BUILD_AUTO,
                                            .n_dims = 1,
                                            .dims = {n},
                                            .offset = BUILD_AUTO,
                                            .size = n * sizeof(float),
                                            .data = values});
}

static void add_bytes(struct build *build, const char *name, uint32_t type, uint64_t n,
                      const void *data, uint64_t size)
{
    build_add(build, &(struct build_tensor){.name = name,
                                            .name_length = BUILD_AUTO,
                                            .type = type,
                                            .n_dims = 1,
                                            .dims = {n},
                                            .offset = BUILD_AUTO,
                                            .size = size,
                                            .data = data});
}

static void build_numbers(struct scene *scene)
{
    struct build *old = &scene->old, *new = &scene->new;
    add_floats(old, "apart", 4, (float[]){1, 2, 3, 4});
    add_floats(new, "apart", 4, (float[]){1, 2, 3, 2});
    add_floats(old, "zero", 2, (float[]){0, 0});
    add_floats(new, "zero", 2, (float[]){0, 1});
    add_floats(old, "nan", 2, (float[]){NAN, 1});
    add_floats(new, "nan", 2, (float[]){2, 1});
    add_floats(old, "inf", 2, (float[]){INFINITY, 1});
    add_floats(new, "inf", 2, (float[]){INFINITY, 2});
    /* The same numbers in another type. */
    add_floats(old, "type", 2, (float[]){1, -2});
    add_bytes(new, "type", 1, 2, "\x00\x3c\x00\xc0", 4);
}

static void test_numbers(void **state)
{
    struct scene *scene = *state;
    build_numbers(scene);
    assert_int_equal(compare(scene, false, false), 1);
    assert_string_equal(
        scene->text,
        "! tensor apart: F32 4: data differs; largest difference 2, mean 0.5, "
        "cosine similarity 0.946729\n"
        "! tensor zero: F32 2: data differs; largest difference 1, mean 0.5, "
        "cosine similarity nan\n"
        "! tensor nan: F32 2: data differs; largest difference nan, mean nan, "
        "cosine similarity nan\n"
        "! tensor inf: F32 2: data differs; largest difference 1, mean 0.5, "
        "cosine similarity nan\n"
        "! tensor type: F32 2 -> F16 2; largest difference 0, mean 0, "
        "cosine similarity 1.000000\n"
        "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
        "tensors: 0 the same, 5 changed, 0 added, 0 removed\n");
}

/* At a right angle, or nearly: no sign is said of what is 0 in six digits. */
static void test_right_angles(void **state)
{
    struct scene *scene = *state;
    add_floats(&scene->old, "less", 2, (float[]){1, 0});
    add_floats(&scene->new, "less", 2, (float[]){-4e-7f, 1});
    add_floats(&scene->old, "more", 2, (float[]){1, 0});
    add_floats(&scene->new, "more", 2, (float[]){-6e-7f, 1});
    add_floats(&scene->old, "right", 2, (float[]){-1, 0});
    add_floats(&scene->new, "right", 2, (float[]){0, 1});
    assert_int_equal(compare(scene, false, false), 1);
    assert_string_equal(
        scene->text, "! tensor less: F32 2: data differs; largest difference 1, mean 1, "
                     "cosine similarity 0.000000\n"
                     "! tensor more: F32 2: data differs; largest difference 1, mean 1, "
                     "cosine similarity -0.000001\n"
                     "! tensor right: F32 2: data differs; largest difference 1, mean 1, "
                     "cosine similarity 0.000000\n"
                     "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                     "tensors: 0 the same, 3 changed, 0 added, 0 removed\n");
}

static void build_tensors(struct scene *scene)
{
    struct build *old = &scene->old, *new = &scene->new;
    build_tensor(old, "same", 0, 2, (uint64_t[]){4, 2});
    build_tensor(new, "same", 0, 2, (uint64_t[]){4, 2});
    build_tensor(old, "gone", 8, 1, (uint64_t[]){32});
    build_tensor(old, "shape", 0, 2, (uint64_t[]){4, 2});
    build_tensor(new, "shape", 0, 2, (uint64_t[]){2, 4});
    add_bytes(old, "unknown", 99, 4, "abcdabcdabcdabcdabcdabcdabcdabc", 32);
    add_bytes(new, "unknown", 99, 4, "abcdabcdabcdabcdabcdabcdabcdabC", 32);
    static const char zeros[96];
    add_bytes(old, "extent", 99, 4, zeros, 32);
    add_bytes(new, "extent", 99, 4, zeros, 96);
    build_tensor(new, "come", 0, 0, NULL);
}

static void test_tensors(void **state)
{
    struct scene *scene = *state;
    build_tensors(scene);
    assert_int_equal(compare(scene, false, false), 1);
    assert_string_equal(scene->text,
                        "- tensor gone: Q8_0 32\n"
                        "+ tensor come: F32 scalar\n"
                        "! tensor shape: F32 2x4 -> F32 4x2\n"
                        "! tensor unknown: type 99 4: data differs\n"
                        "! tensor extent: type 99 4: data differs\n"
                        "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                        "tensors: 1 the same, 3 changed, 1 added, 1 removed\n");
}

static void test_brief(void **state)
{
    struct scene *scene = *state;
    build_key_u32(&scene->old, "k", 1);
    build_key_u32(&scene->new, "k", 2);
    build_key_u32(&scene->new, "l", 2);
    build_tensors(scene);
    assert_int_equal(compare(scene, true, false), 1);
    assert_string_equal(scene->text,
                        "! key k\n"
                        "+ key l\n"
                        "- tensor gone\n"
                        "+ tensor come\n"
                        "! tensor shape\n"
                        "! tensor unknown\n"
                        "! tensor extent\n"
                        "keys: 0 the same, 1 changed, 1 added, 0 removed\n"
                        "tensors: 1 the same, 3 changed, 1 added, 1 removed\n");
}

/* The same model in the other byte order: keys are equal by value, in whatever version;
 * tensors of equal numbers differ in their bytes. */
static void test_twins(void **state)
{
    struct scene *scene = *state;
    build_done(&scene->new);
    build_init(&scene->new, 3, true);
    build_done(&scene->old);
    build_init(&scene->old, 1, false);
    struct build *both[] = {&scene->old, &scene->new};
    for (size_t i = 0; i < 2; i++) {
        build_key_str(both[i], "s", "text");
        build_key_f32(both[i], "f", 0.5f);
        build_key_number(both[i], "i", GGUFS_I16, 0xFFFE);
        build_key_strings(both[i], "a", 2, (const char *const[]){"x", "yy"});
        build_key_numbers(both[i], "n", GGUFS_U32, 2, (uint64_t[]){1, 70000});
        build_tensor(both[i], "bytes", 24, 1, (uint64_t[]){64});
    }
    add_floats(&scene->old, "w", 1, (float[]){1.5f});
    add_bytes(&scene->new, "w", 0, 1, "\x3f\xc0\x00\x00", 4);
    assert_int_equal(compare(scene, false, false), 1);
    assert_string_equal(scene->text,
                        "! tensor w: F32 1: data differs; largest difference 0, mean 0, "
                        "cosine similarity 1.000000\n"
                        "keys: 5 the same, 0 changed, 0 added, 0 removed\n"
                        "tensors: 1 the same, 1 changed, 0 added, 0 removed\n");
}

/* -- what cannot be read -- */

/* The second tensor is cut off: it is named, the others are compared. */
static void test_unreadable(void **state)
{
    struct scene *scene = *state;
    static const uint64_t n = 64;
    struct build *both[] = {&scene->old, &scene->new};
    for (size_t i = 0; i < 2; i++) {
        build_tensor(both[i], "a", 24, 1, &n);
        build_tensor(both[i], "b", 24, 1, &n);
    }
    off_t cut = (off_t)build_data_offset(&scene->new) + 80;
    for (int brief = 0; brief < 2; brief++) {
        assert_int_equal(compare_cut(scene, brief, false, cut), 2);
        assert_string_equal(scene->text,
                            "! tensor b: I8 64; cannot be read: Input/output error\n"
                            "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                            "tensors: 1 the same, 1 changed, 0 added, 0 removed\n");
        assert_int_equal(unlink(layout_path(&scene->layout, "new.gguf")), 0);
    }
    assert_int_equal(compare_cut(scene, false, true, cut), 2);
    assert_non_null(strstr(scene->text, "\"trouble\": \"Input/output error\""));
}

/* -- json -- */

static json_t *parse(const struct scene *scene)
{
    json_error_t error;
    json_t *json = json_loads(scene->text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s at line %d of\n%s", error.text, error.line, scene->text);
    return json;
}

/* The entry of that name in json.SUBJECT.LIST. */
static json_t *entry(json_t *json, const char *subject, const char *list,
                     const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json_object_get(json, subject), list), i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0)
            return item;
    }
    fail_msg("no %s in %s.%s", name, subject, list);
    return NULL;
}

static void expect_json(json_t *value, const char *expected)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS |
                                       JSON_REAL_PRECISION(6));
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void test_json(void **state)
{
    struct scene *scene = *state;
    build_key_u32(&scene->old, "k", 1);
    build_key_u32(&scene->new, "k", 2);
    build_key_str(&scene->new, "c1\xc2\x9b", "\xc2\x9b");
    build_numbers(scene);
    build_tensors(scene);
    assert_int_equal(compare(scene, false, true), 1);
    for (const char *c = scene->text; *c; c++)
        assert_true((unsigned char)*c < 0x7F && (*c >= 0x20 || *c == '\n'));
    json_t *json = parse(scene);
    expect_json(entry(json, "keys", "changed", "k"),
                "{\"name\":\"k\",\"new\":\"u32 2\",\"old\":\"u32 1\"}");
    entry(json, "keys", "added", "c1\xc2\x9b");
    expect_json(entry(json, "tensors", "removed", "gone"),
                "{\"name\":\"gone\",\"old\":{\"bytes\":34,\"shape\":[32],"
                "\"type\":\"Q8_0\"}}");
    expect_json(
        entry(json, "tensors", "added", "come"),
        "{\"name\":\"come\",\"new\":{\"bytes\":4,\"shape\":[],\"type\":\"F32\"}}");
    expect_json(entry(json, "tensors", "changed", "shape"),
                "{\"name\":\"shape\",\"new\":{\"bytes\":32,\"shape\":[4,2],\"type\":"
                "\"F32\"},\"old\":{\"bytes\":32,\"shape\":[2,4],\"type\":\"F32\"}}");
    json_t *nan = entry(json, "tensors", "changed", "nan");
    expect_json(json_object_get(nan, "largest_difference"), "null");
    json_t *apart = entry(json, "tensors", "changed", "apart");
    expect_json(json_object_get(apart, "largest_difference"), "2.0");
    expect_json(json_object_get(apart, "mean_difference"), "0.5");
    expect_json(json_object_get(apart, "data_differs"), "true");
    expect_json(json_object_get(json_object_get(json, "tensors"), "same"), "1");
    json_decref(json);
}

static void test_json_brief(void **state)
{
    struct scene *scene = *state;
    build_key_u32(&scene->new, "k", 2);
    build_tensor(&scene->old, "w", 0, 1, (uint64_t[]){4});
    assert_int_equal(compare(scene, true, true), 1);
    json_t *json = parse(scene);
    expect_json(json, "{\"keys\":{\"added\":[{\"name\":\"k\"}],\"changed\":[],"
                      "\"removed\":[],\"same\":0},"
                      "\"tensors\":{\"added\":[],\"changed\":[],"
                      "\"removed\":[{\"name\":\"w\"}],\"same\":0}}");
    json_decref(json);
}

/* -- many tensors -- */

/* The report does not depend on which thread was faster; progress comes from the caller's
 * thread, never goes back and ends at the whole. */
static void test_many(void **state)
{
    struct scene *scene = *state;
    static const uint64_t n = 20000;
    uint8_t *other = calloc(1, n);
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", i);
        build_tensor(&scene->old, name, 24, 1, &n);
        if (i % 3 == 0)
            add_bytes(&scene->new, name, 24, n, other, n);
        else
            build_tensor(&scene->new, name, 24, 1, &n);
    }
    free(other);
    assert_int_equal(compare(scene, true, false), 1);
    char *first = strdup(scene->text);
    const char *at = first;
    for (unsigned i = 0; i < 200; i += 3) {
        char line[40];
        snprintf(line, sizeof(line), "! tensor t%u\n", i);
        assert_memory_equal(at, line, strlen(line));
        at += strlen(line);
    }
    assert_string_equal(at, "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                            "tensors: 133 the same, 67 changed, 0 added, 0 removed\n");
    assert_true(scene->calls > 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(compare(scene, true, false), 1);
        assert_string_equal(scene->text, first);
    }
    assert_false(scene->other_thread);
    assert_false(scene->backwards);
    assert_int_equal(scene->total, 200 * n);
    assert_int_equal(scene->done, 200 * n);
    free(first);
}

/* A tree over many is refused. */
static void test_not_many(void **state)
{
    struct scene *scene = *state;
    struct ggufs_error error = {0};
    struct diff_options options = {.line = note_line, .data = scene};
    struct ggufs_tree *one = open_side(scene, &scene->old, "old.gguf");
    struct ggufs_tree *many = open_side(scene, NULL, "");
    assert_true(diff_models(one, many, &options, &error) < 0);
    assert_int_equal(error.code, GGUFS_SYSTEM);
    assert_string_equal(scene->text, "");
    ggufs_tree_close(one);
    ggufs_tree_close(many);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_same),     TEST(test_keys),         TEST(test_cut_value),
        TEST(test_arrays),   TEST(test_numbers),      TEST(test_tensors),
        TEST(test_brief),    TEST(test_twins),        TEST(test_unreadable),
        TEST(test_json),     TEST(test_json_brief),   TEST(test_many),
        TEST(test_not_many), TEST(test_right_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
