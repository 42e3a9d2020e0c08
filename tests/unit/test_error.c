/* SPDX-License-Identifier: MIT */
/* Errors: the first one wins, texts are fit for a terminal and cut where they must be. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

static void test_set_fills(void **state)
{
    (void)state;
    struct ggufs_error error = {0};
    int result = error_set(&error, GGUFS_FORMAT, 77, "key %s: %d dimensions", "'a'", 9);
    assert_int_equal(result, -EBADMSG);
    assert_int_equal(error.code, GGUFS_FORMAT);
    assert_int_equal(error.errnum, EBADMSG);
    assert_int_equal(error.offset, 77);
    assert_string_equal(error.file, "");
    assert_string_equal(error.text, "key 'a': 9 dimensions");
}

static void test_results(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, GGUFS_FORMAT, 0, "x"), -EBADMSG);
    assert_int_equal(error_set(NULL, GGUFS_VERSION, 0, "x"), -EBADMSG);
    assert_int_equal(error_set(NULL, GGUFS_INCOMPLETE, 0, "x"), -EBADMSG);
    assert_int_equal(error_set(NULL, GGUFS_USAGE, 0, "x"), -EINVAL);
    assert_int_equal(error_system(NULL, ENOENT, "x"), -ENOENT);
    assert_int_equal(error_memory(NULL), -ENOMEM);
    error_in_file(NULL, "file");
}

static void test_first_wins(void **state)
{
    (void)state;
    struct ggufs_error error = {0};
    error_set(&error, GGUFS_VERSION, 4, "first");
    assert_int_equal(error_set(&error, GGUFS_USAGE, 5, "second"), -EINVAL);
    assert_int_equal(error_system(&error, EIO, "third"), -EIO);
    assert_int_equal(error_memory(&error), -ENOMEM);
    assert_int_equal(error.code, GGUFS_VERSION);
    assert_int_equal(error.errnum, EBADMSG);
    assert_int_equal(error.offset, 4);
    assert_string_equal(error.text, "first");
}

static void test_system(void **state)
{
    (void)state;
    struct ggufs_error error = {0};
    error_system(&error, ENOENT, "cannot open %s", "it");
    char expected[200] = "cannot open it: ";
    strcat(expected, strerror(ENOENT));
    assert_int_equal(error.code, GGUFS_SYSTEM);
    assert_int_equal(error.errnum, ENOENT);
    assert_true(error.offset == GGUFS_NO_OFFSET);
    assert_string_equal(error.text, expected);
}

static void test_memory(void **state)
{
    (void)state;
    struct ggufs_error error = {0};
    error_memory(&error);
    assert_int_equal(error.code, GGUFS_SYSTEM);
    assert_int_equal(error.errnum, ENOMEM);
    assert_true(error.offset == GGUFS_NO_OFFSET);
    assert_string_equal(error.text, "out of memory");
}

/* The reason stands at the end, also of a text that is cut. */
static void test_long_texts(void **state)
{
    (void)state;
    char many[3000];
    memset(many, 'x', sizeof(many) - 1);
    many[sizeof(many) - 1] = '\0';
    struct ggufs_error error = {0};
    error_set(&error, GGUFS_FORMAT, 0, "%s", many);
    assert_int_equal(strlen(error.text), 511);
    assert_string_equal(error.text + 507, "x...");

    memset(&error, 0, sizeof(error));
    error_system(&error, EIO, "%s", many);
    char end[200] = "x...: ";
    strcat(end, strerror(EIO));
    assert_int_equal(strlen(error.text), 511);
    assert_string_equal(error.text + 511 - strlen(end), end);
}

/* A cut text ends between characters. */
static void test_cut_between_characters(void **state)
{
    (void)state;
    char many[1200] = "";
    for (int i = 0; i < 300; i++)
        strcat(many, "\xe2\x82\xac"); /* the euro sign */
    struct ggufs_error error = {0};
    error_set(&error, GGUFS_FORMAT, 0, "%s", many);
    assert_int_equal(strlen(error.text), 169 * 3 + 3);
    assert_string_equal(error.text + 168 * 3, "\xe2\x82\xac...");
}

static void test_texts_are_escaped(void **state)
{
    (void)state;
    struct ggufs_error error = {0};
    error_set(&error, GGUFS_FORMAT, 0, "a\x1b[31m\n%s \xff", quoted("\x1b\\", 2).text);
    assert_string_equal(error.text, "a\\x1b[31m\\x0a'\\x1b\\\\' \\xff");
}

static void test_in_file(void **state)
{
    (void)state;
    struct ggufs_error error = {0};
    error_in_file(&error, "none");
    assert_string_equal(error.file, "");
    error_set(&error, GGUFS_FORMAT, 0, "x");
    error_in_file(&error, "a\nb\\");
    assert_string_equal(error.file, "a\\x0ab\\\\");
    error_in_file(&error, "other");
    assert_string_equal(error.file, "a\\x0ab\\\\");
}

static void test_format(void **state)
{
    (void)state;
    static const struct {
        const char *own; /* what error_in_file says; NULL: nothing */
        const char *file;
        uint64_t offset;
        const char *line;
    } rows[] = {
        {NULL, "m.gguf", 12, "m.gguf: text (at byte 12)"},
        {NULL, "m.gguf", 0, "m.gguf: text (at byte 0)"},
        {NULL, "m.gguf", GGUFS_NO_OFFSET, "m.gguf: text"},
        {NULL, NULL, GGUFS_NO_OFFSET, "text"},
        {"own.gguf", "m.gguf", 12, "own.gguf: text (at byte 12)"},
        {"own.gguf", NULL, GGUFS_NO_OFFSET, "own.gguf: text"},
        {NULL, "a\x1b", GGUFS_NO_OFFSET, "a\\x1b: text"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ggufs_error error = {0};
        error_set(&error, GGUFS_FORMAT, rows[i].offset, "text");
        if (rows[i].own)
            error_in_file(&error, rows[i].own);
        char line[100];
        int n = ggufs_error_format(&error, rows[i].file, line, sizeof(line));
        assert_string_equal(line, rows[i].line);
        assert_int_equal(n, strlen(rows[i].line));
        char small[5];
        assert_int_equal(ggufs_error_format(&error, rows[i].file, small, 5), n);
        assert_int_equal(strlen(small), 4);
        assert_int_equal(ggufs_error_format(&error, rows[i].file, NULL, 0), n);
    }
}

static void test_quoted(void **state)
{
    (void)state;
    assert_string_equal(quoted("general.name", 12).text, "'general.name'");
    assert_string_equal(quoted("", 0).text, "''");
    assert_string_equal(quoted(NULL, 0).text, "''");
    assert_string_equal(quoted("a\0b", 3).text, "'a\\x00b'");
    char many[100];
    memset(many, 'n', sizeof(many));
    struct quoted fits = quoted(many, 80);
    assert_int_equal(strlen(fits.text), 82);
    assert_string_equal(fits.text + 78, "nnn'");
    struct quoted cut = quoted(many, 81);
    assert_int_equal(strlen(cut.text), 82);
    assert_string_equal(cut.text + 77, "n...'");
    assert_string_equal(quoted(many, UINT64_MAX).text, cut.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_fills),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_first_wins),
        cmocka_unit_test(test_system),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_cut_between_characters),
        cmocka_unit_test(test_texts_are_escaped),
        cmocka_unit_test(test_in_file),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
