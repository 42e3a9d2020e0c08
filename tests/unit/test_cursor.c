/* SPDX-License-Identifier: MIT */
/* The cursor: what it reads, and how it tells bytes that are not at hand from bytes that are not
 * in the file. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gguf/cursor.h"

static const uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static struct cursor over(uint64_t at_hand, uint64_t end)
{
    return (struct cursor){.bytes = bytes, .at_hand = at_hand, .end = end};
}

static void test_numbers_in_both_orders(void **state)
{
    struct cursor little = over(16, 16), big = over(16, 16);
    (void)state;
    big.encoding.big_endian = true;
    assert_int_equal(cursor_u32(&little, "a"), 0x04030201);
    assert_int_equal(cursor_u64(&little, "a"), 0x0c0b0a0908070605);
    assert_int_equal(cursor_u32(&big, "a"), 0x01020304);
    assert_int_equal(cursor_u64(&big, "a"), 0x05060708090a0b0c);
    assert_int_equal(little.position, 12);
    assert_int_equal(cursor_left(&little), 4);
    assert_int_equal(little.state, CURSOR_GOOD);
}

static void test_lengths_of_version_1(void **state)
{
    struct cursor new = over(16, 16), old = over(16, 16);
    (void)state;
    old.encoding.v1 = true;
    assert_int_equal(cursor_length(&new, "a"), 0x0807060504030201);
    assert_int_equal(cursor_length(&old, "a"), 0x04030201);
    assert_int_equal(new.position, 8);
    assert_int_equal(old.position, 4);
}

static void test_more_is_wanted(void **state)
{
    struct cursor cursor = over(10, 16);
    (void)state;
    assert_non_null(cursor_take(&cursor, 8, 1, "a", "bytes"));
    assert_null(cursor_take(&cursor, 2, 4, "a", "bytes"));
    assert_int_equal(cursor.state, CURSOR_MORE);
    assert_int_equal(cursor.wanted, 16);
    assert_int_equal(cursor.position, 8);
}

static void test_past_the_end(void **state)
{
    struct cursor cursor = over(10, 16);
    (void)state;
    cursor_u64(&cursor, "a");
    assert_null(cursor_take(&cursor, 3, 4, "an array", "u32"));
    assert_int_equal(cursor.state, CURSOR_PAST_END);
    assert_int_equal(cursor.position, 8);
    assert_string_equal(cursor.what, "an array");
    assert_string_equal(cursor.unit, "u32");
    assert_int_equal(cursor.count, 3);
}

static void test_first_trouble_sticks(void **state)
{
    struct cursor cursor = over(4, 16);
    (void)state;
    assert_int_equal(cursor_u64(&cursor, "a"), 0);
    assert_int_equal(cursor_u32(&cursor, "b"), 0);
    assert_false(cursor_has(&cursor, 1, 1, "b", "bytes"));
    assert_false(cursor_may_hold(&cursor, UINT64_MAX, 1, "b", "bytes"));
    assert_int_equal(cursor.position, 0);
    assert_int_equal(cursor.state, CURSOR_MORE);
    assert_int_equal(cursor.wanted, 8);
}

/* Counts whose bytes do not fit in 64 bits, or wrap to something small. */
static void test_products_do_not_wrap(void **state)
{
    static const struct {
        uint64_t count;
        uint32_t size;
    } rows[] = {
        {UINT64_MAX, 1},         {UINT64_MAX, 8},        {UINT64_MAX / 8 + 1, 8},
        {UINT64_MAX / 8 + 2, 8}, {(uint64_t)1 << 62, 4}, {(uint64_t)1 << 63, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cursor take = over(16, 16), hold = over(16, 16);
        assert_null(cursor_take(&take, rows[i].count, rows[i].size, "a", "b"));
        assert_int_equal(take.state, CURSOR_PAST_END);
        assert_false(cursor_may_hold(&hold, rows[i].count, rows[i].size, "a", "b"));
        assert_int_equal(hold.state, CURSOR_PAST_END);
    }
}

static void test_may_hold_looks_at_the_file_only(void **state)
{
    struct cursor cursor = over(0, 16);
    (void)state;
    assert_true(cursor_may_hold(&cursor, 2, 8, "a", "b"));
    assert_int_equal(cursor.state, CURSOR_GOOD);
    assert_false(cursor_may_hold(&cursor, 17, 1, "a", "b"));
    assert_int_equal(cursor.state, CURSOR_PAST_END);
}

static void test_nothing_is_always_there(void **state)
{
    struct cursor cursor = over(16, 16);
    (void)state;
    cursor_take(&cursor, 16, 1, "a", "b");
    assert_non_null(cursor_take(&cursor, 0, 8, "a", "b"));
    assert_int_equal(cursor.state, CURSOR_GOOD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_in_both_orders),
        cmocka_unit_test(test_lengths_of_version_1),
        cmocka_unit_test(test_more_is_wanted),
        cmocka_unit_test(test_past_the_end),
        cmocka_unit_test(test_first_trouble_sticks),
        cmocka_unit_test(test_products_do_not_wrap),
        cmocka_unit_test(test_may_hold_looks_at_the_file_only),
        cmocka_unit_test(test_nothing_is_always_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
