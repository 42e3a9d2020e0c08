/* SPDX-License-Identifier: MIT */
/* The table: what went in is found, the first of a name wins, nothing else is there. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"

static struct name name_in_list(const void *owner, uint32_t number)
{
    return ((const struct name *)owner)[number];
}

static void test_names(void **state)
{
    (void)state;
    static const struct name names[] = {
        {"a", 1}, {"", 0}, {"a\0", 2}, {"b", 1}, {"a", 1}, {"ab", 2}, {NULL, 0},
    };
    struct table table;
    assert_int_equal(table_init(&table, 7, name_in_list, names), 0);
    assert_int_equal(table_find(&table, "a", 1), TABLE_NONE);
    static const uint32_t expected[] = {0, 1, 2, 3, 0, 5, 1};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(table_add(&table, i), expected[i]);
    assert_int_equal(table.count, 5);
    assert_int_equal(table_find(&table, "a", 1), 0);
    assert_int_equal(table_find(&table, "", 0), 1);
    assert_int_equal(table_find(&table, "a\0", 2), 2);
    assert_int_equal(table_find(&table, "ab", 2), 5);
    assert_int_equal(table_find(&table, "ac", 2), TABLE_NONE);
    assert_int_equal(table_find(&table, "A", 1), TABLE_NONE);
    table_done(&table);
    assert_int_equal(table_find(&table, "a", 1), TABLE_NONE);
    table_done(&table);
}

#define MANY 20000

struct label {
    char text[16];
};

static struct name numbered_name(const void *owner, uint32_t number)
{
    const char *text = ((const struct label *)owner)[number % MANY].text;
    return (struct name){text, strlen(text)};
}

static void test_many(void **state)
{
    (void)state;
    static struct label labels[MANY];
    for (unsigned i = 0; i < MANY; i++)
        snprintf(labels[i].text, sizeof(labels[i].text), "name.%u", i);
    struct table table;
    assert_int_equal(table_init(&table, MANY, numbered_name, labels), 0);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(table_add(&table, i), i);
    for (uint32_t i = 0; i < MANY; i++) {
        size_t n = strlen(labels[i].text);
        assert_int_equal(table_add(&table, i + MANY), i);
        assert_int_equal(table_find(&table, labels[i].text, n), i);
        assert_int_equal(table_find(&table, labels[i].text, n - 1),
                         i >= 10 ? i / 10 : TABLE_NONE);
    }
    assert_int_equal(table.count, MANY);
    table_done(&table);
}

static void test_empty_and_too_large(void **state)
{
    (void)state;
    struct table table;
    assert_int_equal(table_init(&table, 0, name_in_list, NULL), 0);
    assert_int_equal(table_find(&table, "a", 1), TABLE_NONE);
    table_done(&table);
    assert_int_equal(table_init(&table, UINT32_MAX, name_in_list, NULL), -ENOMEM);
    assert_int_equal(table_init(&table, SIZE_MAX, name_in_list, NULL), -ENOMEM);
    table_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_empty_and_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
