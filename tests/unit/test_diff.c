/* SPDX-License-Identifier: MIT */
/* src/diff: two models as a whole, what cannot be read, many tensors in threads. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include "diff/diff.h"
#include "support/pair.h"

static void test_same(void **state)
{
    struct pair *pair = *state;
    struct build *both[] = {&pair->old, &pair->new};
    for (size_t i = 0; i < 2; i++) {
        build_key_str(both[i], "s", "text");
        build_key_f32(both[i], "f", NAN);
        build_key_strings(both[i], "a", 2, (const char *const[]){"x", "y"});
        build_tensor(both[i], "w", 0, 2, (uint64_t[]){4, 2});
        build_tensor(both[i], "none", 8, 1, (uint64_t[]){0});
    }
    assert_int_equal(pair_compare(pair, false, false), 0);
    assert_string_equal(pair->text,
                        "keys: 3 the same, 0 changed, 0 added, 0 removed\n"
                        "tensors: 2 the same, 0 changed, 0 added, 0 removed\n");
}

static void test_brief(void **state)
{
    struct pair *pair = *state;
    build_key_u32(&pair->old, "k", 1);
    build_key_u32(&pair->new, "k", 2);
    build_key_u32(&pair->new, "l", 2);
    pair_tensors(pair);
    assert_int_equal(pair_compare(pair, true, false), 1);
    assert_string_equal(pair->text,
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
    struct pair *pair = *state;
    build_done(&pair->new);
    build_init(&pair->new, 3, true);
    build_done(&pair->old);
    build_init(&pair->old, 1, false);
    struct build *both[] = {&pair->old, &pair->new};
    for (size_t i = 0; i < 2; i++) {
        build_key_str(both[i], "s", "text");
        build_key_f32(both[i], "f", 0.5f);
        build_key_number(both[i], "i", GGUFS_I16, 0xFFFE);
        build_key_strings(both[i], "a", 2, (const char *const[]){"x", "yy"});
        build_key_numbers(both[i], "n", GGUFS_U32, 2, (uint64_t[]){1, 70000});
        build_tensor(both[i], "bytes", 24, 1, (uint64_t[]){64});
    }
    pair_floats(&pair->old, "w", 1, (float[]){1.5f});
    pair_bytes(&pair->new, "w", 0, 1, "\x3f\xc0\x00\x00", 4);
    assert_int_equal(pair_compare(pair, false, false), 1);
    assert_string_equal(pair->text,
                        "! tensor w: F32 1: data differs; largest difference 0, mean 0, "
                        "cosine similarity 1.000000\n"
                        "keys: 5 the same, 0 changed, 0 added, 0 removed\n"
                        "tensors: 1 the same, 1 changed, 0 added, 0 removed\n");
}

/* The second tensor is cut off: it is named, the others are compared. */
static void test_unreadable(void **state)
{
    struct pair *pair = *state;
    static const uint64_t n = 64;
    struct build *both[] = {&pair->old, &pair->new};
    for (size_t i = 0; i < 2; i++) {
        build_tensor(both[i], "a", 24, 1, &n);
        build_tensor(both[i], "b", 24, 1, &n);
    }
    off_t cut = (off_t)build_data_offset(&pair->new) + 80;
    for (int brief = 0; brief < 2; brief++) {
        assert_int_equal(pair_compare_cut(pair, brief, false, cut), 2);
        assert_string_equal(pair->text,
                            "! tensor b: I8 64; cannot be read: Input/output error\n"
                            "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                            "tensors: 1 the same, 1 changed, 0 added, 0 removed\n");
        assert_int_equal(unlink(layout_path(&pair->layout, "new.gguf")), 0);
    }
    assert_int_equal(pair_compare_cut(pair, false, true, cut), 2);
    assert_non_null(strstr(pair->text, "\"trouble\": \"Input/output error\""));
}

/* -- many tensors -- */

/* The report does not depend on which thread was faster; progress comes from the caller's
 * thread, never goes back and ends at the whole. */
static void test_many(void **state)
{
    struct pair *pair = *state;
    static const uint64_t n = 20000;
    uint8_t *other = calloc(1, n);
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", i);
        build_tensor(&pair->old, name, 24, 1, &n);
        if (i % 3 == 0)
            pair_bytes(&pair->new, name, 24, n, other, n);
        else
            build_tensor(&pair->new, name, 24, 1, &n);
    }
    free(other);
    assert_int_equal(pair_compare(pair, true, false), 1);
    char *first = strdup(pair->text);
    const char *at = first;
    for (unsigned i = 0; i < 200; i += 3) {
        char line[40];
        snprintf(line, sizeof(line), "! tensor t%u\n", i);
        assert_memory_equal(at, line, strlen(line));
        at += strlen(line);
    }
    assert_string_equal(at, "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                            "tensors: 133 the same, 67 changed, 0 added, 0 removed\n");
    assert_true(pair->calls > 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pair_compare(pair, true, false), 1);
        assert_string_equal(pair->text, first);
    }
    assert_false(pair->other_thread);
    assert_false(pair->backwards);
    assert_int_equal(pair->total, 200 * n);
    assert_int_equal(pair->done, 200 * n);
    free(first);
}

/* A tree over many is refused. */
static void test_not_many(void **state)
{
    struct pair *pair = *state;
    struct ggufs_error error = {0};
    struct diff_options options = {.line = pair_line, .data = pair};
    struct ggufs_tree *one = pair_open(pair, &pair->old, "old.gguf");
    struct ggufs_tree *many = pair_open(pair, NULL, "");
    assert_true(diff_models(one, many, &options, &error) < 0);
    assert_int_equal(error.code, GGUFS_SYSTEM);
    assert_string_equal(pair->text, "");
    ggufs_tree_close(one);
    ggufs_tree_close(many);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_same),       TEST(test_brief), TEST(test_twins),
        TEST(test_unreadable), TEST(test_many),  TEST(test_not_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
