/* SPDX-License-Identifier: MIT */
/* src/diff: the lines that are said of keys and of tensors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "support/pair.h"

/* -- keys -- */

static void test_keys(void **state)
{
    struct pair *pair = *state;
    struct build *old = &pair->old, *new = &pair->new;
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
    assert_int_equal(pair_compare(pair, false, false), 1);
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
    assert_string_equal(pair->text, expected);
}

/* A value is cut between two characters. */
static void test_cut_value(void **state)
{
    struct pair *pair = *state;
    char text[100], expected[100];
    memset(text, 'x', 71);
    strcpy(text + 71, "\xc3\xa9\xc3\xa9\xc3\xa9");
    build_key_str(&pair->new, "k", text);
    assert_int_equal(pair_compare(pair, false, false), 1);
    snprintf(expected, sizeof(expected), "+ key k: str %.71s...\n", text);
    assert_memory_equal(pair->text, expected, strlen(expected));
}

static void test_arrays(void **state)
{
    struct pair *pair = *state;
    struct build *old = &pair->old, *new = &pair->new;
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
    assert_int_equal(pair_compare(pair, false, false), 1);
    assert_string_equal(pair->text,
                        "! key a: arr[u8] of 3 1 2 3 -> arr[u8] of 3 1 2 4\n"
                        "! key shorter: arr[i16] of 2 1 2 -> arr[i16] of 1 1\n"
                        "! key wider: arr[u8] of 1 1 -> arr[u32] of 1 1\n"
                        "! key s: arr[str] of 2 \"x\" \"y\\\\n\" -> "
                        "arr[str] of 2 \"x\" \"z\"\n"
                        "keys: 1 the same, 4 changed, 0 added, 0 removed\n"
                        "tensors: 0 the same, 0 changed, 0 added, 0 removed\n");
}

/* -- tensors -- */

static void test_numbers(void **state)
{
    struct pair *pair = *state;
    pair_numbers(pair);
    assert_int_equal(pair_compare(pair, false, false), 1);
    assert_string_equal(
        pair->text,
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
    struct pair *pair = *state;
    pair_floats(&pair->old, "less", 2, (float[]){1, 0});
    pair_floats(&pair->new, "less", 2, (float[]){-4e-7f, 1});
    pair_floats(&pair->old, "more", 2, (float[]){1, 0});
    pair_floats(&pair->new, "more", 2, (float[]){-6e-7f, 1});
    pair_floats(&pair->old, "right", 2, (float[]){-1, 0});
    pair_floats(&pair->new, "right", 2, (float[]){0, 1});
    assert_int_equal(pair_compare(pair, false, false), 1);
    assert_string_equal(
        pair->text, "! tensor less: F32 2: data differs; largest difference 1, mean 1, "
                    "cosine similarity 0.000000\n"
                    "! tensor more: F32 2: data differs; largest difference 1, mean 1, "
                    "cosine similarity -0.000001\n"
                    "! tensor right: F32 2: data differs; largest difference 1, mean 1, "
                    "cosine similarity 0.000000\n"
                    "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                    "tensors: 0 the same, 3 changed, 0 added, 0 removed\n");
}

static void test_tensors(void **state)
{
    struct pair *pair = *state;
    pair_tensors(pair);
    assert_int_equal(pair_compare(pair, false, false), 1);
    assert_string_equal(pair->text,
                        "- tensor gone: Q8_0 32\n"
                        "+ tensor come: F32 scalar\n"
                        "! tensor shape: F32 2x4 -> F32 4x2\n"
                        "! tensor unknown: type 99 4: data differs\n"
                        "! tensor extent: type 99 4: data differs\n"
                        "keys: 0 the same, 0 changed, 0 added, 0 removed\n"
                        "tensors: 1 the same, 3 changed, 1 added, 1 removed\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_keys),    TEST(test_cut_value),    TEST(test_arrays),
        TEST(test_numbers), TEST(test_right_angles), TEST(test_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
