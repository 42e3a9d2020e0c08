/* SPDX-License-Identifier: MIT */
/* What a terminal is shown of any bytes: each rule of ggufs_quote, and the cut. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "ggufs.h"

#define S(literal) literal, sizeof(literal) - 1

static void test_rules(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *expected;
    } rows[] = {
        {S(""), ""},
        {S("plain text"), "plain text"},
        {S("a\0b"), "a\\x00b"},
        {S("tab\tnl\ncr\r"), "tab\\x09nl\\x0acr\\x0d"},
        {S("\x1b[2J"), "\\x1b[2J"},
        {S("\x7f"), "\\x7f"},
        {S("back\\slash"), "back\\\\slash"},
        {S("quote'\""), "quote'\""},
        {S("\xc3\xa4"), "\xc3\xa4"},
        {S("\xe2\x82\xac"), "\xe2\x82\xac"},
        {S("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80"},
        {S("\xff\x80"), "\\xff\\x80"},
        {S("\xc3"), "\\xc3"},
        {S("\xed\xa0\x80"), "\\xed\\xa0\\x80"},
        {S("\xc2\x9b"
           "31m"),
         "\\xc2\\x9b31m"},
        {S("\xc2\xa0"), "\xc2\xa0"},
        {S("\xe2\x80\xa8"), "\\xe2\\x80\\xa8"},
        {S("\xe2\x80\xae"), "\\xe2\\x80\\xae"},
        {S("\xe2\x80\xaf"), "\xe2\x80\xaf"},
        {S("\xe2\x81\xa6"), "\\xe2\\x81\\xa6"},
        {S("\xd8\x9c"), "\\xd8\\x9c"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char out[64];
        char *result = ggufs_quote(out, sizeof(out), rows[i].bytes, rows[i].length);
        assert_ptr_equal(result, out);
        assert_string_equal(out, rows[i].expected);
    }
}

static void test_cut(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        size_t size;
        const char *expected;
    } rows[] = {
        {S("0123456789"), 11, "0123456789"},
        {S("0123456789"), 10, "012345..."},
        {S("0123456789"), 5, "0..."},
        {S("0123456789"), 4, "..."},
        {S("0123456789"), 3, ".."},
        {S("0123456789"), 2, "."},
        {S("0123456789"), 1, ""},
        {S("ab\n"), 7, "ab\\x0a"},
        {S("ab\n"), 6, "ab..."},
        {S("a\n\n"), 9, "a\\x0a..."},
        {S("a\xe2\x82\xac\xe2\x82\xac"), 8, "a\xe2\x82\xac\xe2\x82\xac"},
        {S("a\xe2\x82\xac\xe2\x82\xac"), 7, "a..."},
        {S("\\\\\\"), 7, "\\\\\\\\\\\\"},
        {S("\\\\\\"), 6, "\\\\..."},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char out[64];
        memset(out, '#', sizeof(out));
        ggufs_quote(out, rows[i].size, rows[i].bytes, rows[i].length);
        assert_string_equal(out, rows[i].expected);
        assert_int_equal(out[rows[i].size], '#');
    }
    char none = '#';
    assert_ptr_equal(ggufs_quote(&none, 0, "abc", 3), &none);
    assert_int_equal(none, '#');
}

/* Every pair of bytes, at every size: what comes out is short enough, valid and
 * harmless. */
static void test_all_pairs(void **state)
{
    (void)state;
    for (int pair = 0; pair < 65536; pair++) {
        char bytes[2] = {(char)(pair >> 8), (char)pair};
        char out[12];
        size_t size = 1 + (size_t)pair % 9;
        ggufs_quote(out, size, bytes, 2);
        size_t n = strlen(out);
        assert_in_range(n, 0, size - 1);
        assert_true(utf8_valid(out, n));
        for (size_t i = 0; i < n; i++)
            assert_true((unsigned char)out[i] >= 0x20 && out[i] != 0x7f);
    }
}

static void test_texts_keep_backslashes(void **state)
{
    (void)state;
    char out[32];
    quote_bytes(out, sizeof(out), S("'a\\x0a' \n"), false);
    assert_string_equal(out, "'a\\x0a' \\x0a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_texts_keep_backslashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
