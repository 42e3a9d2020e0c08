/* SPDX-License-Identifier: MIT */
/* Lists of raw names and the file names that must come out, each list a row. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree/names.h"
#include "tree/naming.h"

#define LIST_MAX 8

static struct name row_name(const void *owner, uint32_t i)
{
    const char *const *raw = owner;

    return (struct name){raw[i], strlen(raw[i])};
}

static const struct {
    const char *raw[LIST_MAX];
    const char *names[LIST_MAX];
} rows[] = {
    {{"a", "b"}, {"a", "b"}},
    {{"a", "a", "a"}, {"a", "a%2", "a%3"}},
    {{"a/b", "a/b"}, {"a%2Fb", "a%2Fb%2"}},
    {{"", ""}, {"%", "%%2"}},
    {{".", "."}, {"%2E", "%2E%2"}},
    /* a%2 is taken by nobody: the raw one becomes a%252 */
    {{"a", "a%2", "a"}, {"a", "a%252", "a%2"}},
    {{"a%2", "a", "a"}, {"a%252", "a", "a%2"}},
    /* each name has its own count */
    {{"a", "b", "b", "a", "a"}, {"a", "b", "b%2", "a%2", "a%3"}},
    {{"%", "%25"}, {"%25", "%2525"}},
};

static void check_row(const char *const *raw, const char *const *names)
{
    struct naming naming;
    size_t n = 0;

    while (n < LIST_MAX && raw[n])
        n++;
    assert_int_equal(naming_init(&naming, n, 255, row_name, raw, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        struct name name = naming_name(&naming, (uint32_t)i);
        assert_int_equal(name.length, strlen(names[i]));
        assert_memory_equal(name.bytes, names[i], name.length);
        assert_int_equal(naming_find(&naming, names[i], name.length), i);
        assert_int_equal(naming_is_raw(&naming, (uint32_t)i),
                         strcmp(raw[i], names[i]) == 0);
    }
    assert_int_equal(naming_find(&naming, "nobody", 6), TABLE_NONE);
    naming_done(&naming);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(rows[i].raw, rows[i].names);
}

static void test_none(void **state)
{
    struct naming naming;
    (void)state;
    assert_int_equal(naming_init(&naming, 0, 255, row_name, NULL, NULL), 0);
    assert_int_equal(naming_find(&naming, "a", 1), TABLE_NONE);
    naming_done(&naming);
}

/* -- lists made by a rule -- */

struct list {
    size_t count;
    size_t (*write)(size_t i, char *bytes); /* the i-th raw name */
    char bytes[4][512];                     /* the last few, in turn */
    unsigned turn;
};

static struct name list_name(const void *owner, uint32_t i)
{
    struct list *list = (struct list *)(uintptr_t)owner;
    char *bytes = list->bytes[list->turn++ % 4];

    return (struct name){bytes, list->write(i, bytes)};
}

/* Every name is legal, found again as its own number and so nobody else's. */
static void check_list(struct naming *naming, struct list *list, size_t room)
{
    assert_int_equal(naming_init(naming, list->count, room, list_name, list, NULL), 0);
    for (size_t i = 0; i < list->count; i++) {
        struct name name = naming_name(naming, (uint32_t)i);
        if (name.length == 0 || name.length > room ||
            memchr(name.bytes, '/', name.length))
            fail_msg("%zu: %.*s", i, (int)name.length, name.bytes);
        if (naming_find(naming, name.bytes, name.length) != i)
            fail_msg("%zu is not found: %.*s", i, (int)name.length, name.bytes);
    }
}

static void check_name(const struct naming *naming, uint32_t i, const char *expected)
{
    struct name name = naming_name(naming, i);

    assert_int_equal(name.length, strlen(expected));
    assert_memory_equal(name.bytes, expected, name.length);
}

static size_t write_same(size_t i, char *bytes)
{
    (void)i;
    memcpy(bytes, "same", 4);
    return 4;
}

static void test_many_of_one_name(void **state)
{
    struct list list = {.count = 300000, .write = write_same};
    struct naming naming;
    (void)state;
    check_list(&naming, &list, 255);
    check_name(&naming, 0, "same");
    check_name(&naming, 1, "same%2");
    check_name(&naming, 299999, "same%300000");
    naming_done(&naming);
}

/* Half of them bear the names that the other half would get. */
static size_t write_traps(size_t i, char *bytes)
{
    if (i % 2 == 0)
        return (size_t)sprintf(bytes, "x");
    return (size_t)sprintf(bytes, "x%%%zu", i / 2);
}

static void test_suffixes_that_are_taken(void **state)
{
    struct list list = {.count = 50000, .write = write_traps};
    struct naming naming;
    (void)state;
    check_list(&naming, &list, 255);
    check_name(&naming, 0, "x");
    check_name(&naming, 2, "x%2");
    /* "x%0" to "x%9" are x%250 to x%259: the 250th x goes on behind them */
    check_name(&naming, 5, "x%252");
    check_name(&naming, 2 * 248, "x%249");
    check_name(&naming, 2 * 249, "x%260");
    naming_done(&naming);
}

/* Long names that are equal up to their last bytes. */
static size_t write_long(size_t i, char *bytes)
{
    memset(bytes, 'l', 250);
    return 250 + (size_t)sprintf(bytes + 250, "%08zu", i);
}

static void test_many_that_need_cuts(void **state)
{
    struct list list = {.count = 50000, .write = write_long};
    struct naming naming;
    (void)state;
    check_list(&naming, &list, 255);
    naming_done(&naming);
}

/* Names of 255 bytes, equal: a suffix needs room. */
static size_t write_full(size_t i, char *bytes)
{
    (void)i;
    memset(bytes, 'f', 255);
    return 255;
}

static void test_suffix_needs_room(void **state)
{
    struct list list = {.count = 12, .write = write_full};
    struct naming naming;
    char expected[256];
    (void)state;
    check_list(&naming, &list, 255);
    memset(expected, 'f', 255);
    expected[255] = '\0';
    check_name(&naming, 0, expected);
    name_escape(expected, 255, expected, 253);
    assert_int_equal(strlen(expected), 253);
    strcat(expected, "%2");
    check_name(&naming, 1, expected);
    /* and with two digits one byte more */
    struct name last = naming_name(&naming, 11);
    assert_int_equal(last.length, 255);
    assert_memory_equal(last.bytes + 252, "%12", 3);
    naming_done(&naming);
}

/* -- a table that is there already -- */

static void test_borrowed_table(void **state)
{
    static const char *const plain[] = {"a", "b", "c"};
    static const char *const odd[] = {"a", "b/", "c"};
    struct table known;
    struct naming naming;
    (void)state;
    assert_int_equal(table_init(&known, 3, row_name, plain), 0);
    for (uint32_t i = 0; i < 3; i++)
        table_add(&known, i);
    assert_int_equal(naming_init(&naming, 3, 255, row_name, plain, &known), 0);
    assert_ptr_equal(naming.table, &known);
    assert_int_equal(naming_find(&naming, "c", 1), 2);
    naming_done(&naming);
    table_done(&known);

    assert_int_equal(table_init(&known, 3, row_name, odd), 0);
    for (uint32_t i = 0; i < 3; i++)
        table_add(&known, i);
    assert_int_equal(naming_init(&naming, 3, 255, row_name, odd, &known), 0);
    assert_ptr_equal(naming.table, &naming.own);
    assert_int_equal(naming_find(&naming, "b/", 2), TABLE_NONE);
    assert_int_equal(naming_find(&naming, "b%2F", 4), 1);
    naming_done(&naming);
    table_done(&known);
}

/* Equal names stand in a table once: it cannot serve for all of them. */
static void test_table_of_fewer_names(void **state)
{
    static const char *const twice[] = {"a", "a"};
    struct table known;
    struct naming naming;
    (void)state;
    assert_int_equal(table_init(&known, 2, row_name, twice), 0);
    for (uint32_t i = 0; i < 2; i++)
        table_add(&known, i);
    assert_int_equal(naming_init(&naming, 2, 255, row_name, twice, &known), 0);
    assert_int_equal(naming_find(&naming, "a%2", 3), 1);
    naming_done(&naming);
    table_done(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_many_of_one_name),
        cmocka_unit_test(test_suffixes_that_are_taken),
        cmocka_unit_test(test_many_that_need_cuts),
        cmocka_unit_test(test_suffix_needs_room),
        cmocka_unit_test(test_borrowed_table),
        cmocka_unit_test(test_table_of_fewer_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
