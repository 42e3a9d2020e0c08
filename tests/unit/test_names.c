/* SPDX-License-Identifier: MIT */
/* The escaping rule, a row a rule; then what holds for any bytes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "tree/names.h"

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct {
    const char *bytes;
    size_t length;
    const char *name;
} rules[] = {
    {BYTES("general.name"), "general.name"},
    {BYTES(""), "%"},
    {BYTES("."), "%2E"},
    {BYTES(".."), "%2E."},
    {BYTES("..."), "..."},
    {BYTES(".hidden"), ".hidden"},
    {BYTES("a/b"), "a%2Fb"},
    {BYTES("../up"), "..%2Fup"},
    {BYTES("a\0b"), "a%00b"},
    {BYTES("tab\tx"), "tab%09x"},
    {BYTES("\x1f"), "%1F"},
    {BYTES(" "), " "},
    {BYTES("~"), "~"},
    {BYTES("\x7f"), "%7F"},
    {BYTES("%"), "%25"},
    {BYTES("100%41"), "100%2541"},
    {BYTES("\xc3\xbc"), "\xc3\xbc"},
    {BYTES("\xc3"), "%C3"},
    {BYTES("\xc3\xbc\xbc"), "\xc3\xbc%BC"},
    {BYTES("\xff\xfe"), "%FF%FE"},
    {BYTES("\xc0\xaf"), "%C0%AF"},                   /* an overlong '/' */
    {BYTES("\xed\xa0\x80"), "%ED%A0%80"},            /* a surrogate */
    {BYTES("\xf0\x9f\xa6\x99"), "\xf0\x9f\xa6\x99"}, /* a llama */
    {BYTES("\xf4\x90\x80\x80"), "%F4%90%80%80"},     /* beyond U+10FFFF */
    {BYTES("a\\b\"c'"), "a\\b\"c'"},
};

static void test_each_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        char name[NAME_MAX_BYTES + 1], back[NAME_MAX_BYTES];
        size_t n = name_escape(rules[i].bytes, rules[i].length, name, NAME_MAX_BYTES), m;

        assert_string_equal(name, rules[i].name);
        assert_int_equal(n, strlen(rules[i].name));
        assert_true(name_unescape(name, n, back, &m));
        assert_int_equal(m, rules[i].length);
        assert_memory_equal(back, rules[i].bytes, m);
        bool same = n == m && memcmp(name, back, n) == 0;
        assert_int_equal(name_is_plain(rules[i].bytes, m, NAME_MAX_BYTES), same);
    }
}

static void test_names_that_nobody_writes(void **state)
{
    static const char *const names[] = {
        "",   ".",   "..",   "a/b",  "%41",    "%2e",   "%2f",  "%2",     "x%",
        "%%", "x%2", "a%~b", "\xff", "%C3%BC", "tab\t", "\x7f", "%2E%2E", "a%2E",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char back[256];
        size_t m;
        if (name_unescape(names[i], strlen(names[i]), back, &m))
            fail_msg("'%s' is taken for a name", names[i]);
    }
}

/* -- cutting -- */

static void check_cut(const char *bytes, size_t length, size_t room, const char *kept)
{
    char name[NAME_MAX_BYTES + 1], back[NAME_MAX_BYTES];
    size_t n = name_escape(bytes, length, name, room), m;

    assert_int_equal(n, strlen(kept) + 18);
    assert_true(n <= room);
    assert_memory_equal(name, kept, strlen(kept));
    assert_memory_equal(name + n - 18, "%~", 2);
    assert_int_equal(strspn(name + n - 16, "0123456789abcdef"), 16);
    assert_false(name_unescape(name, n, back, &m));
    assert_false(name_is_plain(bytes, length, room));
}

static void test_cut(void **state)
{
    char bytes[300], kept[300];
    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    memset(kept, 'x', sizeof(kept));
    assert_true(name_is_plain(bytes, 255, 255));
    kept[237] = '\0';
    check_cut(bytes, 256, 255, kept);
    kept[233] = '\0';
    check_cut(bytes, 252, 251, kept);
}

/* One byte more than fits, so that the cut falls where the row says. */
static void test_cut_between_characters(void **state)
{
    static const struct {
        size_t before; /* plain bytes in front */
        const char *character;
        size_t kept; /* bytes of the name that are kept */
    } rows[] = {
        {236, "/", 236},                /* %2F would end at 239 */
        {235, "/", 235},                /* at 238 */
        {234, "/", 237},                /* at 237: it fits */
        {236, "\xc3\xbc", 236},         /* two bytes that would end at 238 */
        {235, "\xc3\xbc", 237},         /* at 237 */
        {234, "\xf0\x9f\xa6\x99", 234}, /* four bytes that would end at 238 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char bytes[300], escaped[300];
        size_t n = strlen(rows[i].character);
        memset(bytes, 'x', sizeof(bytes));
        memcpy(bytes + rows[i].before, rows[i].character, n);
        memset(escaped, 'x', sizeof(escaped));
        memcpy(escaped + rows[i].before, n == 1 ? "%2F" : rows[i].character,
               n == 1 ? 3 : n);
        escaped[rows[i].kept] = '\0';
        check_cut(bytes, 256, 255, escaped);
    }
}

/* The hash under the published key, worked out by another program. */
static void test_cut_is_the_same_everywhere(void **state)
{
    char bytes[256], name[256];
    (void)state;
    memset(bytes, 'a', sizeof(bytes));
    name_escape(bytes, sizeof(bytes), name, 255);
    assert_string_equal(name + 237, "%~03413138de48340e");
}

static void test_cut_names_differ(void **state)
{
    char bytes[400], one[256], other[256];
    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    name_escape(bytes, 400, one, 255);
    bytes[399] = 'y';
    name_escape(bytes, 400, other, 255);
    assert_string_not_equal(one, other);
    name_escape(bytes, 398, other, 255);
    assert_string_not_equal(one, other);
}

/* -- any bytes -- */

static bool is_legal(const char *name, size_t length)
{
    if (length == 0 || length > 255 || strlen(name) != length || strchr(name, '/'))
        return false;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !utf8_valid(name, length))
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return true;
}

/* Bytes from a small alphabet, so that the same few meet in all ways. */
static size_t draw(uint32_t *seed, char *bytes, size_t most)
{
    static const char alphabet[] = "a.%/\0\xc3\xbc\xf0\x9f\xa6\x99\n~2F\x7f\xff";
    size_t length = 0;

    *seed = *seed * 1664525 + 1013904223;
    length = *seed >> 8 & 7;
    if ((*seed >> 16 & 15) == 0)
        length = *seed >> 20 & 0xff;
    if (length > most)
        length = most;
    for (size_t i = 0; i < length; i++) {
        *seed = *seed * 1664525 + 1013904223;
        bytes[i] = alphabet[(*seed >> 16) % (sizeof(alphabet) - 1)];
    }
    return length;
}

static void test_any_bytes(void **state)
{
    uint32_t seed = 1;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        char bytes[256], name[NAME_MAX_BYTES + 1], back[NAME_MAX_BYTES];
        size_t length = draw(&seed, bytes, sizeof(bytes)), m;
        size_t n = name_escape(bytes, length, name, NAME_MAX_BYTES);
        bool cut = strstr(name, "%~") != NULL;

        assert_true(is_legal(name, n));
        assert_int_equal(name_unescape(name, n, back, &m), !cut);
        /* What comes back whole is what went in: no two inputs share a name. */
        if (!cut) {
            assert_int_equal(m, length);
            assert_memory_equal(back, bytes, m);
        }
    }
}

/* And names of any bytes that are taken as such are what the rule writes. */
static void test_any_name(void **state)
{
    uint32_t seed = 2;
    int taken = 0;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        char bytes[256], back[256], name[NAME_MAX_BYTES + 1];
        size_t length = draw(&seed, bytes, 255), m;
        if (!name_unescape(bytes, length, back, &m))
            continue;
        taken++;
        assert_int_equal(name_escape(back, m, name, NAME_MAX_BYTES), length);
        assert_memory_equal(name, bytes, length);
    }
    assert_true(taken > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rule),
        cmocka_unit_test(test_names_that_nobody_writes),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_between_characters),
        cmocka_unit_test(test_cut_is_the_same_everywhere),
        cmocka_unit_test(test_cut_names_differ),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
