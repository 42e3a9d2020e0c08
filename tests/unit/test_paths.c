/* SPDX-License-Identifier: MIT */
/* src/stores/paths.c: paths, and files that are small or say that they are not. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"
#include "stores/paths.h"
#include "support/layout.h"

static void joining(void **state)
{
    struct arena arena = {0};
    (void)state;
    assert_string_equal(path_join(&arena, "/a", "b"), "/a/b");
    assert_string_equal(path_join(&arena, "/", "b"), "/b");
    assert_string_equal(base_name("/a/b"), "b");
    assert_string_equal(base_name("/"), "");
    arena_done(&arena);
}

static void relative_paths(void **state)
{
    static const char *const cases[][2] = {
        {"a/b", "/a/b"}, {"./a", "/a"}, {".///./a/", "/a"}, {".", ""},
        {"./", ""},      {"..", "/.."}, {"../a", "/../a"},  {".a", "/.a"},
    };
    struct arena arena = {0};
    char here[4096], expected[8192];
    (void)state;
    assert_non_null(getcwd(here, sizeof(here)));
    if (strcmp(here, "/") == 0)
        here[0] = '\0';
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        snprintf(expected, sizeof(expected), "%s%s", here, cases[i][1]);
        assert_string_equal(path_absolute(&arena, cases[i][0]),
                            expected[0] ? expected : "/");
    }
    assert_string_equal(path_absolute(&arena, "/a//"), "/a");
    assert_string_equal(path_absolute(&arena, "//"), "/");
    arena_done(&arena);
}

static void parts(void **state)
{
    (void)state;
    assert_true(is_part("a", 1));
    assert_true(is_part("...", 3));
    assert_true(is_part(".a", 2));
    assert_false(is_part("", 0));
    assert_false(is_part(".", 1));
    assert_false(is_part("..", 2));
    assert_false(is_part("a/b", 3));
}

static void small_files(void **state)
{
    struct layout layout;
    struct arena arena = {0};
    struct stat st;
    char *bytes;
    size_t length;
    (void)state;
    layout_new(&layout);
    layout_file(&layout, "five", "12345");
    layout_fifo(&layout, "fifo");
    layout_link(&layout, "link", "five");
    assert_int_equal(
        read_small(&arena, layout_path(&layout, "link"), 5, &bytes, &length, &st), 0);
    assert_int_equal(length, 5);
    assert_string_equal(bytes, "12345");
    assert_int_equal(st.st_size, 5);
    assert_int_equal(
        read_small(&arena, layout_path(&layout, "five"), 4, &bytes, &length, NULL),
        -EFBIG);
    assert_int_equal(
        read_small(&arena, layout_path(&layout, "fifo"), 4, &bytes, &length, NULL),
        -EINVAL);
    assert_int_equal(
        read_small(&arena, layout_path(&layout, ""), 4, &bytes, &length, NULL), -EINVAL);
    assert_int_equal(
        read_small(&arena, layout_path(&layout, "no"), 4, &bytes, &length, NULL),
        -ENOENT);
    arena_done(&arena);
    layout_free(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joining),
        cmocka_unit_test(relative_paths),
        cmocka_unit_test(parts),
        cmocka_unit_test(small_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
