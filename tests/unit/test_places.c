/* SPDX-License-Identifier: MIT */
/* src/stores/places.c: which folders are kept. Changes are tested with what scans
 * notice. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "stores/places.h"
#include "support/layout.h"

static void folders_below_others_are_dropped(void **state)
{
    static const char *const paths[] = {"a",     "a/c", "a-b",  "a",
                                        "a/c/d", "b/e", "link", "a.d"};
    struct layout layout;
    struct places places = {0};
    (void)state;
    layout_new(&layout);
    layout_file(&layout, "a/c/d/file", "");
    layout_directory(&layout, "a-b");
    layout_directory(&layout, "a.d");
    layout_directory(&layout, "b/e");
    layout_link(&layout, "link", "b/e");
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        assert_int_equal(places_folder(&places, layout_path(&layout, paths[i])), 0);
    assert_int_equal(places_folder(&places, layout_path(&layout, "missing")), 0);
    assert_int_equal(places_folder_of(&places, layout_path(&layout, "a/c/d/file")), 0);
    places_finish(&places);
    char *text = layout_folders(&layout, &places);
    assert_string_equal(text, "a\na-b\na.d\nb/e\n");
    free(text);
    places_done(&places);
    layout_free(&layout);
}

static void the_root_holds_everything(void **state)
{
    struct places places = {0};
    (void)state;
    assert_int_equal(places_folder(&places, "/proc"), 0);
    assert_int_equal(places_folder(&places, "/"), 0);
    places_finish(&places);
    assert_int_equal(places.n_folders, 1);
    assert_string_equal(places.folders[0], "/");
    places_done(&places);
}

static void what_vanished_has_changed(void **state)
{
    struct layout layout;
    struct places places = {0};
    struct stat st;
    (void)state;
    layout_new(&layout);
    layout_file(&layout, "file", "1");
    assert_int_equal(stat(layout_path(&layout, "file"), &st), 0);
    assert_int_equal(places_watch(&places, layout_path(&layout, "file"), &st), 0);
    places.watched[0].when.tv_sec += 100;
    assert_false(places_changed(&places));
    assert_int_equal(unlink(layout_path(&layout, "file")), 0);
    assert_true(places_changed(&places));
    places_done(&places);
    layout_free(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_below_others_are_dropped),
        cmocka_unit_test(the_root_holds_everything),
        cmocka_unit_test(what_vanished_has_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
