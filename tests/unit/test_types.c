/* SPDX-License-Identifier: MIT */
/* The tables of types, each row of them written a second time. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ggufs.h"

static const struct ggufs_type_row {
    uint32_t id;
    const char *name;
    uint32_t block_size;
    uint32_t type_size;
    bool removed;
} rows[] = {
    {0, "F32", 1, 4, false},          {1, "F16", 1, 2, false},
    {2, "Q4_0", 32, 18, false},       {3, "Q4_1", 32, 20, false},
    {4, "Q4_2", 16, 10, true},        {5, "Q4_3", 16, 12, true},
    {6, "Q5_0", 32, 22, false},       {7, "Q5_1", 32, 24, false},
    {8, "Q8_0", 32, 34, false},       {9, "Q8_1", 32, 36, false},
    {10, "Q2_K", 256, 84, false},     {11, "Q3_K", 256, 110, false},
    {12, "Q4_K", 256, 144, false},    {13, "Q5_K", 256, 176, false},
    {14, "Q6_K", 256, 210, false},    {15, "Q8_K", 256, 292, false},
    {16, "IQ2_XXS", 256, 66, false},  {17, "IQ2_XS", 256, 74, false},
    {18, "IQ3_XXS", 256, 98, false},  {19, "IQ1_S", 256, 50, false},
    {20, "IQ4_NL", 32, 18, false},    {21, "IQ3_S", 256, 110, false},
    {22, "IQ2_S", 256, 82, false},    {23, "IQ4_XS", 256, 136, false},
    {24, "I8", 1, 1, false},          {25, "I16", 1, 2, false},
    {26, "I32", 1, 4, false},         {27, "I64", 1, 8, false},
    {28, "F64", 1, 8, false},         {29, "IQ1_M", 256, 56, false},
    {30, "BF16", 1, 2, false},        {31, "Q4_0_4_4", 32, 18, true},
    {32, "Q4_0_4_8", 32, 18, true},   {33, "Q4_0_8_8", 32, 18, true},
    {34, "TQ1_0", 256, 54, false},    {35, "TQ2_0", 256, 66, false},
    {36, "IQ4_NL_4_4", 32, 18, true}, {37, "IQ4_NL_4_8", 32, 18, true},
    {38, "IQ4_NL_8_8", 32, 18, true}, {39, "MXFP4", 32, 17, false},
    {40, "NVFP4", 64, 36, false},     {41, "Q1_0", 128, 18, false},
    {42, "Q2_0", 64, 18, false},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static void test_each_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct ggufs_type *type = ggufs_type_by_id(rows[i].id);
        assert_non_null(type);
        assert_int_equal(type->id, rows[i].id);
        assert_string_equal(type->name, rows[i].name);
        assert_int_equal(type->block_size, rows[i].block_size);
        assert_int_equal(type->type_size, rows[i].type_size);
        assert_int_equal(type->removed, rows[i].removed);
    }
}

static void test_walk_ends_after_the_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++)
        assert_ptr_equal(ggufs_type_at(i), ggufs_type_by_id(rows[i].id));
    assert_null(ggufs_type_at(N_ROWS));
    assert_null(ggufs_type_at(SIZE_MAX));
}

static void test_unknown_types(void **state)
{
    static const uint32_t unknown[] = {43,  97,         133,        202,
                                       399, 0x7fffffff, 0x80000000, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_null(ggufs_type_by_id(unknown[i]));
}

static void test_value_type_names(void **state)
{
    static const char *const names[] = {"u8",   "i8",  "u16", "i16", "u32", "i32", "f32",
                                        "bool", "str", "arr", "u64", "i64", "f64"};
    (void)state;
    for (uint32_t i = 0; i < 13; i++)
        assert_string_equal(ggufs_value_type_name(i), names[i]);
    assert_null(ggufs_value_type_name(13));
    assert_null(ggufs_value_type_name(UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_type),
        cmocka_unit_test(test_walk_ends_after_the_last),
        cmocka_unit_test(test_unknown_types),
        cmocka_unit_test(test_value_type_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
