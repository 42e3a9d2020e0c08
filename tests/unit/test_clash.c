/* SPDX-License-Identifier: MIT */
/* src/stores/clash.c: models of one name are told apart, whatever it takes. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stores/clash.h"

#define ROOM 6

struct item {
    const char *name, *folder, *path, *expected;
    bool set, broken;
};

static const struct item cases[][ROOM] = {
    /* Nothing to do. */
    {{"a", "x", "/x/a.gguf", "a"}, {"b", "x", "/x/b.gguf", "b"}},
    /* As many folders as it takes, for those that share a name only. */
    {{"m", "x", "/x/m.gguf", "x-m"},
     {"m", "y", "/y/m.gguf", "y-m"},
     {"n", "y", "/y/n.gguf", "n"}},
    {{"m", "x/q", "/x/q/m.gguf", "x-q-m"},
     {"m", "y/q", "/y/q/m.gguf", "y-q-m"},
     {"m", "z/p", "/z/p/m.gguf", "p-m"}},
    {{"m", "", "/m.gguf", "m"}, {"m", "x", "/x/m.gguf", "x-m"}},
    /* What a name becomes may be another's. */
    {{"m", "x", "/x/m.gguf", "x-m-2"},
     {"m", "y", "/y/m.gguf", "y-m"},
     {"x-m", "", "/x-m.gguf", "x-m"}},
    {{"m", "", "/1", "m"},
     {"m", "", "/2", "m-2"},
     {"m", "", "/3", "m-3"},
     {"m-2", "", "/4", "m-2-2"}},
    /* A set beside a file of its name, in one folder and in two. */
    {{"m", "x", "/x/m.gguf", "m"},
     {"m", "x", "/x/m-00001-of-00002.gguf", "m-00001-of-00002", .set = true}},
    {{"m", "x", "/x/m.gguf", "x-m"},
     {"m", "y", "/y/m-00001-of-00002.gguf", "y-m", .set = true}},
    /* What cannot be opened takes no name from others. */
    {{"m", "x", "/x/m.gguf", "m"}, {"m", "y", "/y/m.gguf", "m", .broken = true}},
};

/* The order in which they were found must not matter. */
static void check(const struct item *items, bool backwards)
{
    struct found_list list = {0};
    size_t n = 0;
    while (n < ROOM && items[n].name)
        n++;
    for (size_t k = 0; k < n; k++) {
        const struct item *item = &items[backwards ? n - 1 - k : k];
        struct found found = {.name = item->name,
                              .path = item->path,
                              .folder = item->folder,
                              .trouble = item->broken ? "broken" : NULL,
                              .set = item->set};
        assert_int_equal(found_add(&list, &found), 0);
    }
    assert_int_equal(clash_resolve(&list), 0);
    for (size_t k = 0; k < n; k++)
        assert_string_equal(list.items[k].name,
                            items[backwards ? n - 1 - k : k].expected);
    found_done(&list);
}

static void names_differ_afterwards(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        check(cases[i], false);
        check(cases[i], true);
    }
}

static void thousands_of_one_name(void **state)
{
    struct found_list list = {0};
    char last[32];
    (void)state;
    for (int i = 0; i < 5000; i++) {
        char path[32];
        snprintf(path, sizeof(path), "/%04d", i);
        struct found found = {.name = "m", .path = path, .folder = ""};
        assert_int_equal(found_add(&list, &found), 0);
    }
    assert_int_equal(clash_resolve(&list), 0);
    snprintf(last, sizeof(last), "m-%d", 5000);
    assert_string_equal(list.items[0].name, "m");
    assert_string_equal(list.items[4999].name, last);
    found_done(&list);
}

static void an_empty_list(void **state)
{
    struct found_list list = {0};
    (void)state;
    assert_int_equal(clash_resolve(&list), 0);
    assert_int_equal(found_finish(&list), 0);
    found_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_differ_afterwards),
        cmocka_unit_test(thousands_of_one_name),
        cmocka_unit_test(an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
