/* SPDX-License-Identifier: MIT */
/* The files of metadata/: every type of value, every rule, and the same bytes however
 * one reads them: whole, in odd pieces, by measuring. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "content/text.h"

#define S(literal) literal, sizeof(literal) - 1

/* -- bytes as a head has them -- */

struct bytes {
    uint8_t *data;
    size_t size;
    size_t room;
    bool big_endian;
    bool v1;
};

static uint8_t *grow(struct bytes *b, size_t n)
{
    if (b->size + n > b->room) {
        b->room = (b->size + n) * 2;
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    b->size += n;
    return b->data + b->size - n;
}

static void put_u32(struct bytes *b, uint32_t value)
{
    store_u32(grow(b, 4), value, b->big_endian);
}

static void put_u64(struct bytes *b, uint64_t value)
{
    store_u64(grow(b, 8), value, b->big_endian);
}

static void put_length(struct bytes *b, uint64_t length)
{
    if (b->v1)
        put_u32(b, (uint32_t)length);
    else
        put_u64(b, length);
}

static void put_string(struct bytes *b, const char *bytes, size_t length)
{
    put_length(b, length);
    memcpy(grow(b, length), bytes, length);
}

static void put_array(struct bytes *b, uint32_t type, uint64_t count)
{
    put_u32(b, type);
    put_length(b, count);
}

static struct ggufs_value array_value(const struct bytes *b, uint32_t type,
                                      uint64_t count)
{
    return (struct ggufs_value){
        .type = GGUFS_ARR,
        .arr = {b->data, b->size, count, type, b->big_endian, b->v1},
    };
}

/* -- reading -- */

/* All of it, by one read; and the same in odd pieces, and as long as was measured. */
static char *read_all(struct content *content, size_t *size)
{
    uint64_t measured;
    assert_non_null(content);
    assert_int_equal(content_size(content, &measured), 0);
    *size = (size_t)measured;
    char *whole = malloc(*size + 2), *piece = malloc(*size + 2);
    assert_non_null(whole);
    assert_non_null(piece);
    assert_int_equal(content_read(content, NULL, 0, whole, *size + 1), *size);
    whole[*size] = '\0';
    size_t step = 1;
    for (size_t offset = 0; offset < *size; offset += step, step = step * 3 % 9973 + 1) {
        ssize_t got = content_read(content, NULL, offset, piece, step);
        assert_int_equal(got, step < *size - offset ? step : *size - offset);
        assert_memory_equal(piece, whole + offset, (size_t)got);
    }
    free(piece);
    return whole;
}

static void check(const struct ggufs_value *value, const char *expected, size_t length)
{
    struct content *content = content_value(value);
    size_t size;
    char *whole = read_all(content, &size);
    assert_int_equal(size, length);
    assert_memory_equal(whole, expected, length);
    free(whole);
    content_free(content);
}

static void test_scalars(void **state)
{
    (void)state;
    static const struct {
        struct ggufs_value value;
        const char *text;
    } rows[] = {
        {{GGUFS_U8, {.u = 0}}, "0\n"},
        {{GGUFS_U8, {.u = 255}}, "255\n"},
        {{GGUFS_I8, {.i = -128}}, "-128\n"},
        {{GGUFS_U16, {.u = 65535}}, "65535\n"},
        {{GGUFS_I16, {.i = -32768}}, "-32768\n"},
        {{GGUFS_U32, {.u = 4294967295}}, "4294967295\n"},
        {{GGUFS_I32, {.i = -2147483648}}, "-2147483648\n"},
        {{GGUFS_U64, {.u = UINT64_MAX}}, "18446744073709551615\n"},
        {{GGUFS_I64, {.i = INT64_MIN}}, "-9223372036854775808\n"},
        {{GGUFS_BOOL, {.u = 0}}, "false\n"},
        {{GGUFS_BOOL, {.u = 1}}, "true\n"},
        {{GGUFS_BOOL, {.u = 2}}, "true\n"},
        {{GGUFS_F32, {.f32 = 1e-5f}}, "1e-05\n"},
        {{GGUFS_F32, {.f32 = 500000.0f}}, "500000\n"},
        {{GGUFS_F32, {.f32 = NAN}}, "nan\n"},
        {{GGUFS_F32, {.f32 = INFINITY}}, "inf\n"},
        {{GGUFS_F32, {.f32 = -INFINITY}}, "-inf\n"},
        {{GGUFS_F64, {.f64 = 0.1}}, "0.1\n"},
        {{GGUFS_F64, {.f64 = -1.7976931348623157e308}}, "-1.7976931348623157e+308\n"},
        {{GGUFS_F64, {.f64 = (double)NAN}}, "nan\n"},
        {{GGUFS_F64, {.f64 = -(double)INFINITY}}, "-inf\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(&rows[i].value, rows[i].text, strlen(rows[i].text));
}

/* A string is its bytes, whatever they are, and one newline. */
static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *text;
    } rows[] = {
        {S(""), "\n"},
        {S("llama"), "llama\n"},
        {S("two\nlines\n"), "two\nlines\n\n"},
        {S("a\0b"), "a\0b\n"},
        {S("\xff\"\\"), "\xff\"\\\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ggufs_value value = {GGUFS_STR, {.str = {rows[i].bytes, rows[i].length}}};
        check(&value, rows[i].text, rows[i].length + 1);
    }
}

/* The size of a scalar or a string is known at once, and a string is not copied. */
static void test_strings_are_mapped(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789";
    struct ggufs_value value = {GGUFS_STR, {.str = {bytes, 10}}};
    struct content *content = content_value(&value);
    uint64_t size;
    assert_int_equal(content_size_known(content, &size), 0);
    assert_int_equal(size, 11);
    char scratch[11];
    struct iovec pieces[4];
    int n = 4;
    assert_int_equal(content_gather(content, NULL, 3, 100, scratch, pieces, &n), 8);
    assert_int_equal(n, 2);
    assert_ptr_equal(pieces[0].iov_base, bytes + 3);
    assert_memory_equal(pieces[1].iov_base, "\n", 1);
    content_free(content);
}

/* An array of each type of number: the same in both byte orders. */
static void test_number_arrays(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        int width;
        uint64_t elements[4];
        const char *text;
    } rows[] = {
        {GGUFS_U8, 1, {0, 1, 128, 255}, "0\n1\n128\n255\n"},
        {GGUFS_I8, 1, {0, 1, 128, 255}, "0\n1\n-128\n-1\n"},
        {GGUFS_U16, 2, {0, 1, 32768, 65535}, "0\n1\n32768\n65535\n"},
        {GGUFS_I16, 2, {0, 1, 32768, 65535}, "0\n1\n-32768\n-1\n"},
        {GGUFS_U32, 4, {0, 1, 1u << 31, UINT32_MAX}, "0\n1\n2147483648\n4294967295\n"},
        {GGUFS_I32, 4, {0, 1, 1u << 31, UINT32_MAX}, "0\n1\n-2147483648\n-1\n"},
        {GGUFS_U64, 8, {0, 1, 1, UINT64_MAX}, "0\n1\n1\n18446744073709551615\n"},
        {GGUFS_I64,
         8,
         {0, 1, UINT64_MAX, UINT64_C(1) << 63},
         "0\n1\n-1\n-9223372036854775808\n"},
        {GGUFS_BOOL, 1, {0, 1, 2, 255}, "false\ntrue\ntrue\ntrue\n"},
        {GGUFS_F32,
         4,
         {0x3dcccccd, 0x7fc00000, 0x7f800000, 0xff800000},
         "0.1\n\"nan\"\n\"inf\"\n\"-inf\"\n"},
        {GGUFS_F64,
         8,
         {0x3fb999999999999a, 0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000},
         "0.1\n\"nan\"\n\"inf\"\n\"-inf\"\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int big_endian = 0; big_endian < 2; big_endian++) {
            struct bytes b = {.big_endian = big_endian};
            for (int k = 0; k < 4; k++)
                for (int byte = 0; byte < rows[i].width; byte++) {
                    int shift = big_endian ? rows[i].width - 1 - byte : byte;
                    *grow(&b, 1) = (uint8_t)(rows[i].elements[k] >> (8 * shift));
                }
            struct ggufs_value value = array_value(&b, rows[i].type, 4);
            check(&value, rows[i].text, strlen(rows[i].text));
            free(b.data);
        }
}

static void test_string_arrays(void **state)
{
    (void)state;
    static const char text[] = "\"<s>\"\n\"\\n\"\n\"\"\n\"\\u0000\"\n\"\xc3\xa4\"\n"
                               "{\"base64\":\"/w==\"}\n\"\\\"\"\n";
    for (int form = 0; form < 4; form++) {
        struct bytes b = {.big_endian = form & 1, .v1 = form & 2};
        put_string(&b, S("<s>"));
        put_string(&b, S("\n"));
        put_string(&b, S(""));
        put_string(&b, S("\0"));
        put_string(&b, S("\xc3\xa4"));
        put_string(&b, S("\xff"));
        put_string(&b, S("\""));
        struct ggufs_value value = array_value(&b, GGUFS_STR, 7);
        check(&value, text, sizeof(text) - 1);
        free(b.data);
    }
}

static void test_empty_arrays(void **state)
{
    (void)state;
    struct bytes b = {0};
    for (uint32_t type = GGUFS_U8; type <= GGUFS_F64; type++) {
        struct ggufs_value value = array_value(&b, type, 0);
        check(&value, "", 0);
    }
}

static void test_nested_arrays(void **state)
{
    (void)state;
    static const char text[] = "[]\n[1,2]\n[\"a\",{\"base64\":\"gA==\"}]\n"
                               "[[],[\"nan\",-0.5],[[true]],[]]\n[\"\"]\n";
    for (int form = 0; form < 4; form++) {
        struct bytes b = {.big_endian = form & 1, .v1 = form & 2};
        put_array(&b, GGUFS_STR, 0);
        put_array(&b, GGUFS_U32, 2);
        put_u32(&b, 1);
        put_u32(&b, 2);
        put_array(&b, GGUFS_STR, 2);
        put_string(&b, S("a"));
        put_string(&b, S("\x80"));
        put_array(&b, GGUFS_ARR, 4);
        put_array(&b, GGUFS_ARR, 0);
        put_array(&b, GGUFS_F32, 2);
        put_u32(&b, 0x7fc00000);
        put_u32(&b, 0xbf000000);
        put_array(&b, GGUFS_ARR, 1);
        put_array(&b, GGUFS_BOOL, 1);
        *grow(&b, 1) = 1;
        put_array(&b, GGUFS_I64, 0);
        put_array(&b, GGUFS_STR, 1);
        put_string(&b, S(""));
        struct ggufs_value value = array_value(&b, GGUFS_ARR, 5);
        check(&value, text, sizeof(text) - 1);
        free(b.data);
    }
}

/* Eight arrays within the outermost: as many as there may be, however one counts. */
static void test_deepest(void **state)
{
    (void)state;
    struct bytes b = {0};
    for (int i = 1; i < GGUFS_NESTING_MAX; i++)
        put_array(&b, GGUFS_ARR, 1);
    put_array(&b, GGUFS_U8, 2);
    memcpy(grow(&b, 2), "\x05\x06", 2);
    struct ggufs_value value = array_value(&b, GGUFS_ARR, 1);
    check(&value, S("[[[[[[[[5,6]]]]]]]]\n"));
    free(b.data);
}

/* -- long ones -- */

static void append(struct bytes *b, const char *bytes, size_t n)
{
    memcpy(grow(b, n), bytes, n);
}

/* Strings around the length from which they are written in parts, valid and not. */
static void test_long_strings(void **state)
{
    (void)state;
    static const size_t lengths[] = {6143,  6144,  6145,   6146,
                                     12288, 12289, 100000, 300001};
    struct bytes array = {0}, text = {0};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        size_t n = lengths[i];
        char *bytes = malloc(n);
        memset(bytes, '\x01', n);
        put_string(&array, bytes, n);
        append(&text, "\"", 1);
        for (size_t k = 0; k < n; k++)
            append(&text, "\\u0001", 6);
        append(&text, "\"\n", 2);
        memset(bytes, 0xff, n); /* nothing but ones: all digits '/' */
        put_string(&array, bytes, n);
        append(&text, S("{\"base64\":\""));
        memset(grow(&text, n / 3 * 4), '/', n / 3 * 4);
        if (n % 3 == 1)
            append(&text, "/w==", 4);
        if (n % 3 == 2)
            append(&text, "//8=", 4);
        append(&text, S("\"}\n"));
        free(bytes);
    }
    struct ggufs_value value = array_value(&array, GGUFS_STR, 16);
    check(&value, (const char *)text.data, text.size);
    free(array.data);
    free(text.data);
}

/* The same within a nested array, with an invalid byte at the very end and characters
 * that the parts cut through. */
static void test_long_nested(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct bytes array = {.v1 = true}, text = {0};
    char *euros = malloc(N * 3);
    for (int i = 0; i < N; i++)
        memcpy(euros + 3 * i, "\xe2\x82\xac", 3);
    put_array(&array, GGUFS_STR, 3);
    put_string(&array, S("x"));
    put_string(&array, euros + 3, N * 3 - 3);
    put_string(&array, S("y"));
    append(&text, S("[\"x\",\""));
    append(&text, euros + 3, N * 3 - 3);
    append(&text, S("\",\"y\"]\n"));
    put_array(&array, GGUFS_ARR, N);
    append(&text, "[", 1);
    for (int i = 0; i < N; i++) {
        put_array(&array, GGUFS_U8, 1);
        *grow(&array, 1) = (uint8_t)i; /* of one to three digits: steps end anywhere */
        char element[8];
        int n = snprintf(element, sizeof(element), i ? ",[%d]" : "[%d]", i % 256);
        append(&text, element, (size_t)n);
    }
    append(&text, "]\n", 2);
    struct ggufs_value value = array_value(&array, GGUFS_ARR, 2);
    check(&value, (const char *)text.data, text.size);
    free(euros);
    free(array.data);
    free(text.data);
}

/* Element i is line i + 1. */
static void test_many_tokens(void **state)
{
    (void)state;
    enum { N = 50000 };
    struct bytes array = {0}, text = {0};
    for (int i = 0; i < N; i++) {
        char token[16];
        int n = snprintf(token, sizeof(token), "t%d", i);
        put_string(&array, token, (size_t)n);
        append(&text, "\"", 1);
        append(&text, token, (size_t)n);
        append(&text, "\"\n", 2);
    }
    struct ggufs_value value = array_value(&array, GGUFS_STR, N);
    check(&value, (const char *)text.data, text.size);
    free(array.data);
    free(text.data);
}

/* An array is measured when somebody asks, not before. */
static void test_size_is_not_known_at_once(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 2};
    struct ggufs_value value = {GGUFS_ARR,
                                {.arr = {bytes, 2, 2, GGUFS_U8, false, false}}};
    struct content *content = content_value(&value);
    uint64_t size;
    assert_int_equal(content_size_known(content, &size), -EAGAIN);
    assert_int_equal(content_size(content, &size), 0);
    assert_int_equal(size, 4);
    assert_int_equal(content_size_known(content, &size), 0);
    content_free(content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_strings_are_mapped),
        cmocka_unit_test(test_number_arrays),
        cmocka_unit_test(test_string_arrays),
        cmocka_unit_test(test_empty_arrays),
        cmocka_unit_test(test_nested_arrays),
        cmocka_unit_test(test_deepest),
        cmocka_unit_test(test_long_strings),
        cmocka_unit_test(test_long_nested),
        cmocka_unit_test(test_many_tokens),
        cmocka_unit_test(test_size_is_not_known_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
