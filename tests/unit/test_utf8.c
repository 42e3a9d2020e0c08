/* SPDX-License-Identifier: MIT */
/* UTF-8: every character, and every kind of bytes that is none. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/utf8.h"

static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(0xf00 >> n | c);
    return n;
}

static void test_every_character(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x140000; c++) {
        char bytes[4];
        size_t n = encode(c, bytes);
        bool is_one = c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
        if (utf8_length(bytes, n) != (is_one ? n : 0))
            fail_msg("U+%04X", c);
        if (n > 1 && utf8_length(bytes, n - 1) != 0)
            fail_msg("U+%04X cut off", c);
    }
}

static void test_invalid(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "\x80",             /* goes on what never began */
        "\xbf",             /* the last of those */
        "\xc0\x80",         /* overlong NUL */
        "\xc1\xbf",         /* overlong 7f */
        "\xe0\x80\x80",     /* overlong */
        "\xe0\x9f\xbf",     /* overlong 7ff */
        "\xf0\x80\x80\x80", /* overlong */
        "\xf0\x8f\xbf\xbf", /* overlong ffff */
        "\xed\xa0\x80",     /* surrogate */
        "\xed\xbf\xbf",     /* surrogate */
        "\xf4\x90\x80\x80", /* beyond U+10FFFF */
        "\xf5\x80\x80\x80", /* beyond U+10FFFF */
        "\xfe",             /* never used */
        "\xff",             /* never used */
        "\xc3(",            /* broken off by ASCII */
        "\xe2\x82(",        /* broken off by ASCII */
        "\xf0\x9f\x98(",    /* broken off by ASCII */
        "\xe2(\x82",        /* ASCII inside */
        "\xc3\xc3\xa4",     /* broken off by a new character */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(utf8_length(rows[i], strlen(rows[i])), 0);
        assert_false(utf8_valid(rows[i], strlen(rows[i])));
    }
    assert_int_equal(utf8_length("a", 0), 0);
}

/* A fault is found wherever it lies in the words that are looked at at once. */
static void test_places(void **state)
{
    (void)state;
    char bytes[40];
    for (size_t length = 1; length <= sizeof(bytes); length++)
        for (size_t i = 0; i < length; i++) {
            memset(bytes, 'a', sizeof(bytes));
            assert_true(utf8_valid(bytes, length));
            bytes[i] = (char)0xff;
            assert_false(utf8_valid(bytes, length));
            memcpy(bytes + i, "\xc3\xa4", i + 1 < sizeof(bytes) ? 2 : 1);
            assert_int_equal(utf8_valid(bytes, length), i + 1 < length);
        }
    assert_true(utf8_valid("", 0));
    assert_true(utf8_valid(NULL, 0));
    assert_true(utf8_valid("a\0b", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_character),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
