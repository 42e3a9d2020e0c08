/* SPDX-License-Identifier: MIT */
/* src/stores/pick.c: which of a repository's models is meant. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stores/pick.h"

struct item {
    const char *name, *folder;
    enum found_kind kind;
};

static const struct item items[] = {
    {"M-Q4_K_M", "o/r", FOUND_MODEL},         {"M-Q4_K_S", "o/r", FOUND_MODEL},
    {"M.Q8_0", "o/r", FOUND_MODEL},           {"m_q5_0", "o/r", FOUND_MODEL},
    {"M", "o/r/BF16", FOUND_MODEL},           {"M-F16", "o/r", FOUND_MODEL},
    {"mmproj-M-F16", "o/r", FOUND_PROJECTOR}, {"M-IQ4_XS", "o/r/a", FOUND_MODEL},
    {"M-IQ4_XS", "o/r/b", FOUND_MODEL},
};

struct pick_case {
    const char *wanted;
    int rc;
    int picked; /* index of the item */
};

static const struct pick_case cases[] = {
    {"M-Q4_K_M", 0, 0},
    {"M-Q4_K_M.gguf", 0, 0},
    {"q4_k_s", 0, 1},
    {"Q4_K", -ENOENT, -1},
    {"Q4", -ENOENT, -1},
    {"Q8_0", 0, 2},
    {"Q5_0", 0, 3},
    {"BF16", 0, 4},
    {"BF16/M.gguf", 0, 4},
    {"BF16/M-00001-of-00004.gguf", 0, 4},
    {"F16", 0, 5},
    {"mmproj-M-F16", 0, 6},
    {"mmproj-M-F16.gguf", 0, 6},
    {"mmproj", -ENOENT, -1},
    {"a/M-IQ4_XS", 0, 7},
    {"b/M-IQ4_XS.gguf", 0, 8},
    {"M-IQ4_XS", -EINVAL, -1},
    {"IQ4_XS", -EINVAL, -1},
    {"m-q4_k_m.gguf", 0, 0},
};

static void fill(struct found_list *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct found found = {.name = items[i].name,
                              .path = "/p",
                              .folder = items[i].folder,
                              .kind = items[i].kind};
        assert_int_equal(found_add(list, &found), 0);
    }
}

static void names_and_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct found_list list = {0};
        fill(&list, sizeof(items) / sizeof(*items));
        assert_int_equal(pick_model(&list, "o/r", cases[i].wanted, "r", NULL),
                         cases[i].rc);
        if (cases[i].rc == 0) {
            const struct item *expected = &items[cases[i].picked];
            assert_true(list.single);
            assert_int_equal(list.count, 1);
            assert_string_equal(list.items[0].name, expected->name);
            assert_string_equal(list.items[0].folder, expected->folder);
        }
        found_done(&list);
    }
}

static void without_a_choice(void **state)
{
    struct found_list list = {0};
    (void)state;
    fill(&list, 2);
    assert_int_equal(pick_model(&list, "o/r", "", "r", NULL), 0);
    assert_false(list.single);
    assert_int_equal(list.count, 2);
    found_done(&list);
    fill(&list, 1);
    assert_int_equal(pick_model(&list, "o/r", "", "r", NULL), 0);
    assert_true(list.single);
    found_done(&list);
}

static void what_is_broken_cannot_be_picked(void **state)
{
    struct found_list list = {0};
    struct ggufs_error error = {0};
    (void)state;
    fill(&list, 1);
    assert_int_equal(
        found_add_broken(&list, "x.gguf", "o/r", "/x.gguf", "a link to %s", "y"), 0);
    assert_int_equal(pick_model(&list, "o/r", "x.gguf", "r", &error), -ENOENT);
    assert_string_equal(error.text, "/x.gguf: a link to y");
    found_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_parts),
        cmocka_unit_test(without_a_choice),
        cmocka_unit_test(what_is_broken_cannot_be_picked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
