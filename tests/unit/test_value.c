/* SPDX-License-Identifier: MIT */
/* Values out of bytes: every type, both byte orders, the lengths of version 1, arrays in
 * arrays, and numbers whatever their type. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gguf/value.h"
#include "support/build.h"

static const struct encoding little = {.big_endian = false};
static const struct encoding big = {.big_endian = true};

/* The value's bytes in the format's own order: most significant first, and turned around. */
static const struct scalar_row {
    uint32_t type;
    uint32_t size;
    uint8_t bytes[8];
    uint64_t bits; /* of u, i, or of the float */
} scalars[] = {
    {GGUFS_U8, 1, {0xfe}, 0xfe},
    {GGUFS_I8, 1, {0xfe}, (uint64_t)-2},
    {GGUFS_U16, 2, {0xfe, 0xdc}, 0xfedc},
    {GGUFS_I16, 2, {0xfe, 0xdc}, 0xfffffffffffffedc},
    {GGUFS_U32, 4, {0xfe, 0xdc, 0xba, 0x98}, 0xfedcba98},
    {GGUFS_I32, 4, {0xfe, 0xdc, 0xba, 0x98}, 0xfffffffffedcba98},
    {GGUFS_F32, 4, {0x7f, 0xa0, 0x00, 0x01}, 0x7fa00001}, /* a signalling NaN stays one */
    {GGUFS_BOOL, 1, {0x02}, 2},
    {GGUFS_U64, 8, {0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}, 0xfedcba9876543210},
    {GGUFS_I64, 8, {0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}, 0xfedcba9876543210},
    {GGUFS_F64, 8, {0xbf, 0xf0, 0, 0, 0, 0, 0, 1}, 0xbff0000000000001},
};

static uint64_t bits_of(const struct ggufs_value *value)
{
    uint32_t bits32;
    uint64_t bits64;
    if (value->type == GGUFS_F32) {
        memcpy(&bits32, &value->f32, sizeof(bits32));
        return bits32;
    }
    memcpy(&bits64, &value->u, sizeof(bits64));
    return bits64;
}

static void test_scalars_in_both_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        const struct scalar_row *row = &scalars[i];
        uint8_t turned[8];
        struct ggufs_value value;
        for (uint32_t b = 0; b < row->size; b++)
            turned[b] = row->bytes[row->size - 1 - b];
        assert_int_equal(value_scalar_size(row->type), row->size);
        assert_int_equal(value_load(row->bytes, row->type, big, &value), row->size);
        assert_int_equal(value.type, row->type);
        assert_int_equal(bits_of(&value), row->bits);
        assert_int_equal(value_load(turned, row->type, little, &value), row->size);
        assert_int_equal(bits_of(&value), row->bits);
    }
}

static void test_sizes_of_others(void **state)
{
    (void)state;
    assert_int_equal(value_scalar_size(GGUFS_STR), 0);
    assert_int_equal(value_scalar_size(GGUFS_ARR), 0);
    assert_int_equal(value_scalar_size(13), 0);
    assert_int_equal(value_scalar_size(UINT32_MAX), 0);
}

static void test_strings(void **state)
{
    static const uint8_t new[] = {3, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 'b'};
    static const uint8_t old[] = {0, 0, 0, 3, 'a', 0, 'b'};
    struct ggufs_value value;
    (void)state;
    assert_int_equal(value_load(new, GGUFS_STR, little, &value), 11);
    assert_int_equal(value.str.length, 3);
    assert_memory_equal(value.str.bytes, "a\0b", 3);
    struct encoding v1_big = {.big_endian = true, .v1 = true};
    assert_int_equal(value_load(old, GGUFS_STR, v1_big, &value), 7);
    assert_int_equal(value.str.length, 3);
    assert_memory_equal(value.str.bytes, "a\0b", 3);
}

/* Builds one value behind a key of no name, and loads it. */
static uint64_t load_built(struct build *build, uint32_t type, struct ggufs_value *value)
{
    struct encoding encoding = {.big_endian = build->big_endian,
                                .v1 = build->version == 1};
    return value_load(build->keys.bytes, type, encoding, value);
}

static void check_numbers(uint32_t version, bool big_endian)
{
    struct build build;
    struct ggufs_value value, element;
    build_init(&build, version, big_endian);
    build_array(&build, GGUFS_I16, 3);
    build_u16(&build, 1);
    build_u16(&build, 0x8000);
    build_u16(&build, 0xffff);
    assert_int_equal(load_built(&build, GGUFS_ARR, &value), build.keys.size);
    assert_int_equal(value.arr.type, GGUFS_I16);
    assert_int_equal(value.arr.count, 3);
    assert_int_equal(value.arr.size, 6);
    assert_true(ggufs_array_next(&value.arr, &element));
    assert_int_equal(element.i, 1);
    assert_true(ggufs_array_next(&value.arr, &element));
    assert_int_equal(element.i, -32768);
    assert_int_equal(value.arr.size, 2);
    assert_true(ggufs_array_next(&value.arr, &element));
    assert_int_equal(element.i, -1);
    assert_int_equal(value.arr.size, 0);
    assert_false(ggufs_array_next(&value.arr, &element));
    build_done(&build);
}

static void test_arrays_of_numbers(void **state)
{
    (void)state;
    check_numbers(1, false);
    check_numbers(2, false);
    check_numbers(3, true);
}

/* [["a", ""], [], [["bcd"]]], and a byte behind that is not its own. */
static void build_nested(struct build *build)
{
    build_array(build, GGUFS_ARR, 3);
    build_array(build, GGUFS_STR, 2);
    build_string(build, "a", 1);
    build_string(build, "", 0);
    build_array(build, GGUFS_F64, 0);
    build_array(build, GGUFS_ARR, 1);
    build_array(build, GGUFS_STR, 1);
    build_string(build, "bcd", 3);
    build_u8(build, 0xff);
}

static void check_nested(uint32_t version, bool big_endian)
{
    struct build build;
    struct ggufs_value outer, inner, innermost, string;
    build_init(&build, version, big_endian);
    build_nested(&build);
    assert_int_equal(load_built(&build, GGUFS_ARR, &outer), build.keys.size - 1);
    assert_true(ggufs_array_next(&outer.arr, &inner));
    assert_int_equal(inner.type, GGUFS_ARR);
    assert_int_equal(inner.arr.count, 2);
    assert_true(ggufs_array_next(&inner.arr, &string));
    assert_int_equal(string.str.length, 1);
    assert_true(ggufs_array_next(&inner.arr, &string));
    assert_int_equal(string.str.length, 0);
    assert_true(ggufs_array_next(&outer.arr, &inner));
    assert_int_equal(inner.arr.type, GGUFS_F64);
    assert_false(ggufs_array_next(&inner.arr, &string));
    assert_true(ggufs_array_next(&outer.arr, &inner));
    assert_true(ggufs_array_next(&inner.arr, &innermost));
    assert_true(ggufs_array_next(&innermost.arr, &string));
    assert_int_equal(string.str.length, 3);
    assert_memory_equal(string.str.bytes, "bcd", 3);
    assert_false(ggufs_array_next(&outer.arr, &inner));
    assert_int_equal(outer.arr.size, 0);
    build_done(&build);
}

static void test_nested_arrays(void **state)
{
    (void)state;
    check_nested(1, false);
    check_nested(3, false);
    check_nested(3, true);
}

static void test_array_without_walking(void **state)
{
    struct build build;
    struct ggufs_array array;
    (void)state;
    build_init(&build, 3, false);
    build_nested(&build);
    assert_int_equal(value_load_array(build.keys.bytes, little, &array), 12);
    assert_int_equal(array.count, 3);
    assert_int_equal(array.size, 0);
    assert_ptr_equal(array.bytes, build.keys.bytes + 12);
    build_done(&build);
}

static void test_as_u64(void **state)
{
    static const struct {
        struct ggufs_value value;
        bool is;
        uint64_t number;
    } rows[] = {
        {{.type = GGUFS_U8, .u = 255}, true, 255},
        {{.type = GGUFS_U16, .u = 65535}, true, 65535},
        {{.type = GGUFS_U32, .u = 7}, true, 7},
        {{.type = GGUFS_U64, .u = UINT64_MAX}, true, UINT64_MAX},
        {{.type = GGUFS_I8, .i = 127}, true, 127},
        {{.type = GGUFS_I16, .i = -1}, false, 0},
        {{.type = GGUFS_I32, .i = 0}, true, 0},
        {{.type = GGUFS_I64, .i = INT64_MAX}, true, INT64_MAX},
        {{.type = GGUFS_I64, .i = INT64_MIN}, false, 0},
        {{.type = GGUFS_BOOL, .u = 1}, false, 0},
        {{.type = GGUFS_F32, .f32 = 1}, false, 0},
        {{.type = GGUFS_F64, .f64 = 1}, false, 0},
        {{.type = GGUFS_STR}, false, 0},
        {{.type = GGUFS_ARR}, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t number = 0;
        assert_int_equal(value_as_u64(&rows[i].value, &number), rows[i].is);
        assert_int_equal(number, rows[i].number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars_in_both_orders),
        cmocka_unit_test(test_sizes_of_others),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_arrays_of_numbers),
        cmocka_unit_test(test_nested_arrays),
        cmocka_unit_test(test_array_without_walking),
        cmocka_unit_test(test_as_u64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
