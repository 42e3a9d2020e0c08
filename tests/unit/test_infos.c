/* SPDX-License-Identifier: MIT */
/* What a tensor info must be like, a row a rule. How tensors lie among each other is
 * test_layout's. */

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

static void tensor_cut(struct build *b)
{
    build_tensor(b, "t", F32, 0, NULL);
    build_tensor(b, "u", F32, 0, NULL);
    b->infos.size -= 1;
    b->no_padding = true;
    b->data.size = 0;
}

static void add(struct build *b, struct build_tensor tensor)
{
    if (tensor.name_length == 0)
        tensor.name_length = BUILD_AUTO;
    tensor.offset = BUILD_AUTO;
    tensor.size = BUILD_AUTO;
    build_add(b, &tensor);
}

static void tensor_name_cut(struct build *b)
{
    add(b, (struct build_tensor){.name = "t", .type = F32});
    b->infos.bytes[2] = 1; /* 65537 bytes */
}

static void tensor_empty_name(struct build *b)
{
    build_tensor(b, "", F32, 1, DIM(8));
}

static void tensor_name(struct build *b, size_t length)
{
    char name[128] = "";
    memset(name, 'n', length);
    build_tensor(b, name, F32, 1, DIM(8));
}

static void tensor_name_64(struct build *b)
{
    tensor_name(b, 64);
}

static void tensor_name_65(struct build *b)
{
    tensor_name(b, 65);
}

static void tensor_twice(struct build *b)
{
    build_tensor(b, "t", F32, 1, DIM(8));
    build_tensor(b, "u", F32, 1, DIM(8));
    build_tensor(b, "t", F32, 1, DIM(16));
}

static void dims_0(struct build *b)
{
    build_tensor(b, "t", F32, 0, NULL);
}

static void dims_5(struct build *b)
{
    build_tensor(b, "t", F32, 5, (const uint64_t[]){2, 1, 2, 1, 2});
}

static void dims_8(struct build *b)
{
    build_tensor(b, "t", F32, 8, (const uint64_t[]){2, 1, 2, 1, 2, 1, 1, 1});
}

static void dims_9(struct build *b)
{
    add(b, (struct build_tensor){
               .name = "t", .n_dims = 9, .dims = {1, 1, 1, 1, 1, 1, 1, 1, 1}});
}

static void dims_million(struct build *b)
{
    add(b, (struct build_tensor){
               .name = "t", .n_dims = 1, .claim_dims = 1000000, .dims = {8}});
}

static void dims_cut(struct build *b)
{
    add(b, (struct build_tensor){.name = "t", .n_dims = 1, .claim_dims = 8, .dims = {8}});
    b->no_padding = true;
    b->data.size = 0;
}

static void dim_zero(struct build *b)
{
    build_tensor(b, "t", F32, 2, (const uint64_t[]){4, 0});
    build_tensor(b, "u", F32, 2, (const uint64_t[]){0, 4});
}

/* One factor of 0 makes nothing of the others, whose product would not fit. */
static void dim_zero_and_huge(struct build *b)
{
    build_tensor(b, "t", F32, 3,
                 (const uint64_t[]){(uint64_t)1 << 62, (uint64_t)1 << 62, 0});
}

static void dims_bad(struct build *b, uint32_t type, uint32_t n, const uint64_t *dims)
{
    struct build_tensor tensor = {
        .name = "t", .name_length = 1, .type = type, .n_dims = n};
    memcpy(tensor.dims, dims, n * sizeof(*dims));
    build_add(b, &tensor);
}

static void dim_minus_1(struct build *b)
{
    dims_bad(b, F32, 2, (const uint64_t[]){UINT64_MAX, 0});
}

static void elements_wrap(struct build *b)
{
    dims_bad(b, F32, 2, (const uint64_t[]){(uint64_t)1 << 32, (uint64_t)1 << 32});
}

static void elements_wrap_unknown_type(struct build *b)
{
    dims_bad(b, 99, 2, (const uint64_t[]){(uint64_t)1 << 32, (uint64_t)1 << 32});
}

static void elements_wrap_to_4(struct build *b)
{
    dims_bad(b, F32, 3, (const uint64_t[]){4194305, 4194305, 211106198978564});
}

static void elements_2_63(struct build *b)
{
    dims_bad(b, 24, 1, DIM(INT64_MAX));
}

static void bytes_wrap(struct build *b)
{
    dims_bad(b, F32, 1, DIM((uint64_t)1 << 62));
}

static void bytes_2_63(struct build *b)
{
    dims_bad(b, 27, 1, DIM((uint64_t)1 << 60));
}

/* 2^64 - 16 bytes: padding them would wrap to 0. */
static void bytes_pad_wraps(struct build *b)
{
    dims_bad(b, F32, 4, (const uint64_t[]){4, 1073741823, 1073741825, 1});
}

static void rows_odd(struct build *b)
{
    build_tensor(b, "t", 2, 2, (const uint64_t[]){16, 4});
}

static void rows_scalar(struct build *b)
{
    build_add(
        b, &(struct build_tensor){.name = "t", .name_length = 1, .type = 8, .size = 34});
}

static void type_unknown(struct build *b)
{
    build_add(b, &(struct build_tensor){.name = "t",
                                        .name_length = 1,
                                        .type = 99,
                                        .n_dims = 1,
                                        .dims = {8},
                                        .size = 32});
}

static void type_removed(struct build *b)
{
    build_tensor(b, "t", 36, 1, DIM(64));
}

static void type_unknown_empty(struct build *b)
{
    build_tensor(b, "t", 99, 2, (const uint64_t[]){8, 0});
}

static void tensor_ends_in_type(struct build *b)
{
    add(b, (struct build_tensor){.name = "t12345678901", .type = F32});
    b->infos.size -= 12 - 2;
    b->no_padding = true;
    b->data.size = 0;
}

/* ---- What the parser says ---------------------------------------------------------------- */

static const struct rule rules[] = {
    REFUSED(tensor_cut, 66,
            "tensor 'u': an offset of 8 bytes does not fit in the 7 bytes that are left "
            "of the file"),
    REFUSED(tensor_name_cut, 32,
            "tensor 1 of 1: a name of 65537 bytes does not fit in the 64 bytes that are "
            "left of the file"),
    WARNED(tensor_empty_name, 24, "tensor 1 of 1: its name is empty"),
    TAKEN(tensor_name_64),
    WARNED(tensor_name_65, 24,
           "tensor 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn': "
           "a name of 65 bytes; at most 64 are usual"),
    WARNED(tensor_twice, 90, "tensor 3 has the name of tensor 1: 't'"),
    TAKEN(dims_0),
    WARNED(dims_5, 33, "tensor 't': 5 dimensions; at most 4 are usual"),
    WARNED(dims_8, 33, "tensor 't': 8 dimensions; at most 4 are usual"),
    REFUSED(dims_9, 33, "tensor 't': 9 dimensions; at most 8 are allowed"),
    REFUSED(dims_million, 33, "tensor 't': 1000000 dimensions; at most 8 are allowed"),
    REFUSED(dims_cut, 53,
            "tensor 't': a dimension of 8 bytes does not fit in the 4 bytes that are "
            "left of the file"),
    TAKEN(dim_zero),
    TAKEN(dim_zero_and_huge),
    REFUSED(dim_minus_1, 37,
            "tensor 't': dimensions 18446744073709551615x0: more elements than 2^63 - 2"),
    REFUSED(elements_wrap, 37,
            "tensor 't': dimensions 4294967296x4294967296: more elements than 2^63 - 2"),
    REFUSED(elements_wrap_unknown_type, 37,
            "tensor 't': dimensions 4294967296x4294967296: more elements than 2^63 - 2"),
    REFUSED(elements_wrap_to_4, 37,
            "tensor 't': dimensions 4194305x4194305x211106198978564: more elements than "
            "2^63 - 2"),
    REFUSED(elements_2_63, 37,
            "tensor 't': dimensions 9223372036854775807: more elements than 2^63 - 2"),
    REFUSED(bytes_wrap, 37,
            "tensor 't': dimensions 4611686018427387904: more bytes than 2^63 - 2"),
    REFUSED(bytes_2_63, 37,
            "tensor 't': dimensions 1152921504606846976: more bytes than 2^63 - 2"),
    REFUSED(bytes_pad_wraps, 37,
            "tensor 't': dimensions 4x1073741823x1073741825x1: more bytes than 2^63 - 2"),
    WARNED(rows_odd, 37,
           "tensor 't': 16 elements a row, not a multiple of Q4_0's block of 32"),
    WARNED(rows_scalar, 37,
           "tensor 't': 1 elements a row, not a multiple of Q8_0's block of 32"),
    WARNED(type_unknown, 45,
           "tensor 't': unknown type 99; shown up to the next tensor or the end of the "
           "file"),
    WARNED(type_removed, 45,
           "tensor 't': type 36 (IQ4_NL_4_4) was removed from ggml; shown up to the next "
           "tensor or the end of the file"),
    WARNED(type_unknown_empty, 53,
           "tensor 't': unknown type 99; shown up to the next tensor or the end of the "
           "file"),
    REFUSED(tensor_ends_in_type, 48,
            "tensor 't12345678901': a type of 4 bytes does not fit in the 2 bytes that "
            "are left of the file"),
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
