/* SPDX-License-Identifier: MIT */
/* What a key and its value must be like, a row a rule. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/rules.h"

#define F32 0
#define DIM(n)                                                                           \
    (const uint64_t[])                                                                   \
    {                                                                                    \
        n                                                                                \
    }

/* ---- What is built: named after the rule that it breaks or just keeps -------------------- */

static void key_long(struct build *b)
{
    build_length(b, 1000);
    build_raw(b, "k12345678", 9);
    b->n_keys = 1;
}

static void key_2_64(struct build *b)
{
    build_length(b, UINT64_MAX);
    build_raw(b, "k12345678", 9);
    b->n_keys = 1;
}

static void key_empty(struct build *b)
{
    build_key_u32(b, "", 1);
}

static void key_65535(struct build *b)
{
    static char name[65535];
    memset(name, 'k', sizeof(name));
    build_key_bytes(b, name, sizeof(name), GGUFS_U8);
    build_u8(b, 1);
}

static void key_65536(struct build *b)
{
    static char name[65536];
    memset(name, 'k', sizeof(name));
    build_key_bytes(b, name, sizeof(name), GGUFS_U8);
    build_u8(b, 1);
}

static void key_twice(struct build *b)
{
    build_key_u32(b, "a", 1);
    build_key_u32(b, "k", 1);
    build_key_str(b, "k", "other");
}

static void key_terminal(struct build *b)
{
    build_key(b, "\033[2J\n\\", 13);
    build_u32(b, 1);
}

static void key_nul(struct build *b)
{
    build_key_u32(b, "k", 1);
    build_key_bytes(b, "k\0x", 3, GGUFS_U32);
    build_u32(b, 1);
}

static void type_13(struct build *b)
{
    build_key(b, "k", 13);
    build_u32(b, 1);
}

static void type_negative(struct build *b)
{
    build_key(b, "k", UINT32_MAX);
    build_u32(b, 1);
}

static void type_cut(struct build *b)
{
    build_key_u32(b, "a", 1); /* so that the count alone does not tell */
    build_string(b, "k23456789", 9);
    build_u16(b, 4);
    b->n_keys = 2;
}

static void value_cut(struct build *b)
{
    build_key(b, "k", GGUFS_U64);
    build_u32(b, 1);
}

static void string_cut(struct build *b)
{
    build_key(b, "k", GGUFS_STR);
    build_length(b, 4);
    build_raw(b, "abc", 3);
}

static void string_2_63(struct build *b)
{
    build_key(b, "k", GGUFS_STR);
    build_length(b, (uint64_t)1 << 63);
}

static void bool_2(struct build *b)
{
    build_key_bool(b, "a", 0);
    build_key_bool(b, "b", 1);
    build_key_bool(b, "k", 2);
}

static void bool_array(struct build *b)
{
    build_key_numbers(b, "k", GGUFS_BOOL, 5, (const uint64_t[]){1, 0, 1, 255, 3});
}

static void bool_nested(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_ARR, 2);
    build_array(b, GGUFS_BOOL, 1);
    build_u8(b, 1);
    build_array(b, GGUFS_BOOL, 1);
    build_u8(b, 9);
}

static void array_of_13(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, 13, 0);
}

static void array_short(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_U16, 3);
    build_u32(b, 0);
}

static void array_wraps(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_U64, ((uint64_t)1 << 61) + 1);
    build_u64(b, 0);
}

static void array_strings_claim(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_STR, 3);
    build_string(b, "abc", 3);
    build_string(b, "", 0);
}

static void array_strings_cut(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_STR, 2);
    build_string(b, "abc", 3);
    build_length(b, 6);
    build_raw(b, "12345", 5);
}

static void array_string_2_64(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_STR, 1);
    build_length(b, UINT64_MAX);
}

static void array_arrays_claim(struct build *b)
{
    build_key(b, "k", GGUFS_ARR);
    build_array(b, GGUFS_ARR, 2);
    build_array(b, GGUFS_U8, 0);
    build_u64(b, 0);
}

static void nest(struct build *b, int depth)
{
    build_key(b, "k", GGUFS_ARR);
    for (int i = 1; i < depth; i++)
        build_array(b, GGUFS_ARR, 1);
    build_array(b, GGUFS_U8, 0);
}

static void nested_8(struct build *b)
{
    nest(b, 8);
}

static void nested_9(struct build *b)
{
    nest(b, 9);
}

static void nested_million(struct build *b)
{
    nest(b, 1000000);
}

static void alignment_0(struct build *b)
{
    build_key_u32(b, "general.alignment", 0);
}

static void alignment_12(struct build *b)
{
    build_key_u32(b, "general.alignment", 12);
}

static void alignment_1(struct build *b)
{
    build_alignment(b, 1);
}

static void alignment_24(struct build *b)
{
    build_alignment(b, 24);
    build_tensor(b, "a", F32, 1, DIM(1));
    build_tensor(b, "b", F32, 1, DIM(1));
}

static void alignment_2_31(struct build *b)
{
    build_key_u32(b, "general.alignment", (uint32_t)1 << 31);
}

static void alignment_i32(struct build *b)
{
    build_key_number(b, "general.alignment", GGUFS_I32, 32);
}

static void alignment_str(struct build *b)
{
    build_key_str(b, "general.alignment", "32");
}

static void alignment_twice(struct build *b)
{
    build_alignment(b, 64);
    build_key_u32(b, "general.alignment", 13);
    build_tensor(b, "a", F32, 1, DIM(1));
    build_tensor(b, "b", F32, 1, DIM(1));
}

static void architecture_u32(struct build *b)
{
    build_key_u32(b, "general.architecture", 1);
}

/* ---- What the parser says ---------------------------------------------------------------- */

static const struct rule rules[] = {
    REFUSED(key_long, 32,
            "key 1 of 1: a name of 1000 bytes does not fit in the 9 bytes that are left "
            "of the file"),
    REFUSED(key_2_64, 32,
            "key 1 of 1: a name of 18446744073709551615 bytes does not fit in the 9 "
            "bytes that are left of the file"),
    WARNED(key_empty, 24, "key 1 of 1: its name is empty"),
    TAKEN(key_65535),
    WARNED(key_65536, 24,
           "key "
           "'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
           "k...': a name of 65536 bytes; at most 65535 are usual"),
    WARNED(key_twice, 58, "key 3 has the name of key 2: 'k'"),
    REFUSED(key_terminal, 38,
            "key '\\x1b[2J\\x0a\\\\': a value of type 13; types are 0 to 12"),
    TAKEN(key_nul),
    REFUSED(type_13, 33, "key 'k': a value of type 13; types are 0 to 12"),
    REFUSED(type_negative, 33, "key 'k': a value of type 4294967295; types are 0 to 12"),
    REFUSED(type_cut, 58,
            "key 'k23456789': a value's type of 4 bytes does not fit in the 2 bytes that "
            "are left of the file"),
    REFUSED(value_cut, 37,
            "key 'k': a value of 8 bytes does not fit in the 4 bytes that are left of "
            "the file"),
    REFUSED(string_cut, 45,
            "key 'k': a string of 4 bytes does not fit in the 3 bytes that are left of "
            "the file"),
    REFUSED(string_2_63, 45,
            "key 'k': a string of 9223372036854775808 bytes does not fit in the 0 bytes "
            "that are left of the file"),
    WARNED(bool_2, 65, "key 'k': a bool of 2; 0 and 1 are allowed"),
    WARNED(bool_array, 52, "key 'k': a bool of 255; 0 and 1 are allowed"),
    WARNED(bool_nested, 74, "key 'k': a bool of 9; 0 and 1 are allowed"),
    REFUSED(array_of_13, 37,
            "key 'k': an array with elements of type 13; types are 0 to 12"),
    REFUSED(array_short, 49,
            "key 'k': an array of 3 u16 does not fit in the 4 bytes that are left of the "
            "file"),
    REFUSED(array_wraps, 49,
            "key 'k': an array of 2305843009213693953 u64 does not fit in the 8 bytes "
            "that are left of the file"),
    REFUSED(array_strings_claim, 49,
            "key 'k': an array of 3 str does not fit in the 19 bytes that are left of "
            "the file"),
    REFUSED(array_strings_cut, 68,
            "key 'k': a string of 6 bytes does not fit in the 5 bytes that are left of "
            "the file"),
    REFUSED(array_string_2_64, 57,
            "key 'k': a string of 18446744073709551615 bytes does not fit in the 0 bytes "
            "that are left of the file"),
    REFUSED(array_arrays_claim, 49,
            "key 'k': an array of 2 arr does not fit in the 20 bytes that are left of "
            "the file"),
    TAKEN(nested_8),
    REFUSED(nested_9, 133, "key 'k': arrays nested deeper than 8"),
    REFUSED(nested_million, 133, "key 'k': arrays nested deeper than 8"),
    REFUSED(alignment_0, 53,
            "key 'general.alignment': 0; a power of two or a multiple of 8 is allowed"),
    REFUSED(alignment_12, 53,
            "key 'general.alignment': 12; a power of two or a multiple of 8 is allowed"),
    TAKEN(alignment_1),
    TAKEN(alignment_24),
    TAKEN(alignment_2_31),
    REFUSED(alignment_i32, 49, "key 'general.alignment': of type i32; u32 is allowed"),
    REFUSED(alignment_str, 49, "key 'general.alignment': of type str; u32 is allowed"),
    WARNED(alignment_twice, 57, "key 2 has the name of key 1: 'general.alignment'"),
    WARNED(architecture_u32, 52, "key 'general.architecture': of type u32; str is usual"),
};

static void test_rules(void **state)
{
    (void)state;
    rules_check(rules, sizeof(rules) / sizeof(rules[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
