/* SPDX-License-Identifier: MIT */
/* JSON as it is written: escapes, what is not UTF-8, every type of value. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "content/json.h"
#include "content/text.h"

#define S(literal) literal, sizeof(literal) - 1

static char out[4096];

static void check_output(struct sink *sink, const char *expected)
{
    size_t n = sink_filled(sink);
    assert_int_equal(n, sink->position);
    out[n] = '\0';
    assert_string_equal(out, expected);
}

static struct sink open_output(void)
{
    return sink_window(0, 0, out, sizeof(out) - 1);
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *json;
    } rows[] = {
        {S(""), "\"\""},
        {S("plain"), "\"plain\""},
        {S("\n"), "\"\\n\""},
        {S("\t\r\b\f"), "\"\\t\\r\\b\\f\""},
        {S("a\0b"), "\"a\\u0000b\""},
        {S("\x01\x1f"), "\"\\u0001\\u001f\""},
        {S("\v"), "\"\\u000b\""},
        {S("\x7f"), "\"\x7f\""},
        {S("\"\\/"), "\"\\\"\\\\/\""},
        {S("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
         "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {S("0123456789abcdef\"0123456789"), "\"0123456789abcdef\\\"0123456789\""},
        {S("\"\"\"\"\"\"\"\"\""), "\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sink sink = open_output();
        json_write_string(&sink, rows[i].bytes, rows[i].length);
        check_output(&sink, rows[i].json);
    }
}

/* Every ASCII character at every place of the words that are looked at at once: a JSON
 * reader gives back what went in. */
static void test_strings_read_back(void **state)
{
    (void)state;
    for (int c = 0; c < 128; c++)
        for (size_t place = 0; place < 20; place++) {
            char bytes[] = "abcdefgh~ !#[]^_\xc3\xa4+-";
            if (place == 16 || place == 17)
                continue;
            bytes[place] = (char)c;
            struct sink sink = open_output();
            json_write_string(&sink, bytes, sizeof(bytes) - 1);
            size_t n = sink_filled(&sink);
            json_t *json = json_loadb(out, n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
            assert_non_null(json);
            assert_int_equal(json_string_length(json), sizeof(bytes) - 1);
            assert_memory_equal(json_string_value(json), bytes, sizeof(bytes) - 1);
            json_decref(json);
        }
}

static void test_base64(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *base64;
    } rows[] = {
        {S(""), ""},
        {S("f"), "Zg=="},
        {S("fo"), "Zm8="},
        {S("foo"), "Zm9v"},
        {S("foob"), "Zm9vYg=="},
        {S("fooba"), "Zm9vYmE="},
        {S("foobar"), "Zm9vYmFy"},
        {S("\xff\xfe\xfd"), "//79"},
        {S("\xfb\xef\xbe\0"), "++++AA=="},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sink sink = open_output();
        json_write_base64(&sink, rows[i].bytes, rows[i].length);
        check_output(&sink, rows[i].base64);
    }
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        struct ggufs_value value;
        const char *json;
    } rows[] = {
        {{GGUFS_U8, {.u = 255}}, "255"},
        {{GGUFS_I8, {.i = -128}}, "-128"},
        {{GGUFS_U16, {.u = 65535}}, "65535"},
        {{GGUFS_I16, {.i = -32768}}, "-32768"},
        {{GGUFS_U32, {.u = 4294967295}}, "4294967295"},
        {{GGUFS_I32, {.i = -2147483648}}, "-2147483648"},
        {{GGUFS_U64, {.u = UINT64_MAX}}, "18446744073709551615"},
        {{GGUFS_I64, {.i = INT64_MIN}}, "-9223372036854775808"},
        {{GGUFS_BOOL, {.u = 0}}, "false"},
        {{GGUFS_BOOL, {.u = 1}}, "true"},
        {{GGUFS_BOOL, {.u = 255}}, "true"},
        {{GGUFS_F32, {.f32 = 0.1f}}, "0.1"},
        {{GGUFS_F32, {.f32 = 1e-5f}}, "1e-05"},
        {{GGUFS_F32, {.f32 = -0.0f}}, "-0"},
        {{GGUFS_F32, {.f32 = NAN}}, "\"nan\""},
        {{GGUFS_F32, {.f32 = INFINITY}}, "\"inf\""},
        {{GGUFS_F32, {.f32 = -INFINITY}}, "\"-inf\""},
        {{GGUFS_F64, {.f64 = 0.1}}, "0.1"},
        {{GGUFS_F64, {.f64 = 1e300}}, "1e+300"},
        {{GGUFS_F64, {.f64 = (double)NAN}}, "\"nan\""},
        {{GGUFS_F64, {.f64 = (double)INFINITY}}, "\"inf\""},
        {{GGUFS_F64, {.f64 = -(double)INFINITY}}, "\"-inf\""},
        {{GGUFS_STR, {.str = {"a\n", 2}}}, "\"a\\n\""},
        {{GGUFS_STR, {.str = {NULL, 0}}}, "\"\""},
        {{GGUFS_STR, {.str = {"\xff", 1}}}, "{\"base64\":\"/w==\"}"},
        {{GGUFS_STR, {.str = {"ab\xc3", 3}}}, "{\"base64\":\"YWLD\"}"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sink sink = open_output();
        json_write_value(&sink, &rows[i].value);
        check_output(&sink, rows[i].json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_strings_read_back),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
