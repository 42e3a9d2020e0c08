/* SPDX-License-Identifier: MIT */
/* The tables of types: those of metadata values, and every tensor type that ggml ever gave a
 * number. What a type's bytes mean is quant's to know; here are names and sizes.
 *
 * Numbers that only forks use are left out: their sizes do not follow from a block, so that a
 * tensor of such a type is better shown as an unknown one. */

#include "ggufs.h"

static const char *const value_type_names[] = {
    [GGUFS_U8] = "u8",   [GGUFS_I8] = "i8",   [GGUFS_U16] = "u16", [GGUFS_I16] = "i16",
    [GGUFS_U32] = "u32", [GGUFS_I32] = "i32", [GGUFS_F32] = "f32", [GGUFS_BOOL] = "bool",
    [GGUFS_STR] = "str", [GGUFS_ARR] = "arr", [GGUFS_U64] = "u64", [GGUFS_I64] = "i64",
    [GGUFS_F64] = "f64",
};

/* name, id, elements a block, bytes a block, removed. A type's id is its place. */
static const struct ggufs_type types[] = {
    {"F32", 0, 1, 4, false},
    {"F16", 1, 1, 2, false},
    {"Q4_0", 2, 32, 18, false},
    {"Q4_1", 3, 32, 20, false},
    {"Q4_2", 4, 16, 10, true}, /* gone before there was GGUF */
    {"Q4_3", 5, 16, 12, true}, /* gone before there was GGUF */
    {"Q5_0", 6, 32, 22, false},
    {"Q5_1", 7, 32, 24, false},
    {"Q8_0", 8, 32, 34, false},
    {"Q8_1", 9, 32, 36, false},
    {"Q2_K", 10, 256, 84, false},
    {"Q3_K", 11, 256, 110, false},
    {"Q4_K", 12, 256, 144, false},
    {"Q5_K", 13, 256, 176, false},
    {"Q6_K", 14, 256, 210, false},
    {"Q8_K", 15, 256, 292, false},
    {"IQ2_XXS", 16, 256, 66, false},
    {"IQ2_XS", 17, 256, 74, false},
    {"IQ3_XXS", 18, 256, 98, false},
    {"IQ1_S", 19, 256, 50, false},
    {"IQ4_NL", 20, 32, 18, false},
    {"IQ3_S", 21, 256, 110, false},
    {"IQ2_S", 22, 256, 82, false},
    {"IQ4_XS", 23, 256, 136, false},
    {"I8", 24, 1, 1, false},
    {"I16", 25, 1, 2, false},
    {"I32", 26, 1, 4, false},
    {"I64", 27, 1, 8, false},
    {"F64", 28, 1, 8, false},
    {"IQ1_M", 29, 256, 56, false},
    {"BF16", 30, 1, 2, false},
    {"Q4_0_4_4", 31, 32, 18, true}, /* rows interleaved, as in all removed ones below */
    {"Q4_0_4_8", 32, 32, 18, true},
    {"Q4_0_8_8", 33, 32, 18, true},
    {"TQ1_0", 34, 256, 54, false},
    {"TQ2_0", 35, 256, 66, false},
    {"IQ4_NL_4_4", 36, 32, 18, true}, /* in forks: I2_S */
    {"IQ4_NL_4_8", 37, 32, 18, true},
    {"IQ4_NL_8_8", 38, 32, 18, true},
    {"MXFP4", 39, 32, 17, false},
    {"NVFP4", 40, 64, 36, false},
    {"Q1_0", 41, 128, 18, false},
    {"Q2_0", 42, 64, 18, false},
};

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *ggufs_value_type_name(uint32_t type)
{
    return type < LENGTH_OF(value_type_names) ? value_type_names[type] : NULL;
}

const struct ggufs_type *ggufs_type_by_id(uint32_t id)
{
    return ggufs_type_at(id);
}

const struct ggufs_type *ggufs_type_at(size_t i)
{
    return i < LENGTH_OF(types) ? &types[i] : NULL;
}
