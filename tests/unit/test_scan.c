/* SPDX-License-Identifier: MIT */
/* src/stores/scan.c: directories searched for models, with all that can lie in the
 * way. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stores/scan.h"
#include "support/layout.h"

struct scene {
    struct layout layout;
    struct scan_options options;
    struct mounts mounts;
    struct found_list list;
    struct places places;
    struct ggufs_error error;
};

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    layout_new(&scene->layout);
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    found_done(&scene->list);
    places_done(&scene->places);
    mounts_done(&scene->mounts);
    layout_free(&scene->layout);
    free(scene);
    return 0;
}

/* Searches the directory at path in the layout anew. */
static int scan(struct scene *scene, const char *path)
{
    found_done(&scene->list);
    places_done(&scene->places);
    int rc = scan_directory(layout_path(&scene->layout, path), "", &scene->options,
                            &scene->list, &scene->places, &scene->error);
    assert_int_equal(found_finish(&scene->list), 0);
    places_finish(&scene->places);
    return rc;
}

static void expect_text(struct scene *scene, const char *expected)
{
    char *text = layout_text(&scene->layout, &scene->list);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_folders(struct scene *scene, const char *expected)
{
    char *text = layout_folders(&scene->layout, &scene->places);
    assert_string_equal(text, expected);
    free(text);
}

static void finds_models_below(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "b.gguf", "12");
    layout_file(&scene->layout, "a.gguf", "1");
    layout_file(&scene->layout, "x/y/.hidden/c.gguf", "123");
    layout_file(&scene->layout, "x/mmproj-c.gguf", "1");
    layout_file(&scene->layout, "x/readme.md", "1");
    layout_file(&scene->layout, "x/d.GGUF", "1");
    layout_file(&scene->layout, "x/d.gguf.part", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "a = a.gguf 1\n"
                       "b = b.gguf 2\n"
                       "c = x/y/.hidden/c.gguf 3\n"
                       "mmproj-c = x/mmproj-c.gguf 1 projector\n");
    expect_folders(scene, ".\n");
}

static void an_empty_directory_is_no_fault(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "");
}

static void names_hold_any_byte(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "a\nb\x80%.gguf", "1");
    layout_file(&scene->layout, ".gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, ".gguf = .gguf 1\n"
                       "a\nb\x80% = a\nb\x80%.gguf 1\n");
}

static void shards_are_one_model(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "m-00002-of-00003.gguf", "22");
    layout_file(&scene->layout, "m-00001-of-00003.gguf", "1");
    layout_file(&scene->layout, "m-00003-of-00003.gguf", "333");
    /* Without its first shard: what is there is named, opening says what is missing. */
    layout_file(&scene->layout, "n-00002-of-00002.gguf", "1");
    /* Of two digits, of one, and what only looks like a shard. */
    layout_file(&scene->layout, "o-01-of-02.gguf", "1");
    layout_file(&scene->layout, "o-02-of-02.gguf", "1");
    layout_file(&scene->layout, "p-9-of-10.gguf", "1");
    layout_file(&scene->layout, "p-10-of-10.gguf", "1");
    layout_file(&scene->layout, "q-00003-of-00002.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "m = m-00001-of-00003.gguf 6 (3 files)\n"
                       "n = n-00002-of-00002.gguf 1 (1 files)\n"
                       "o = o-01-of-02.gguf 2 (2 files)\n"
                       "p = p-9-of-10.gguf 2 (2 files)\n"
                       "q-00003-of-00002 = q-00003-of-00002.gguf 1\n");
}

static void clashes_are_resolved_by_folders(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "model.gguf", "1");
    layout_file(&scene->layout, "a/model.gguf", "1");
    layout_file(&scene->layout, "b/x/model.gguf", "1");
    layout_file(&scene->layout, "c/x/model.gguf", "1");
    layout_file(&scene->layout, "d/other.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "a-model = a/model.gguf 1\n"
                       "b-x-model = b/x/model.gguf 1\n"
                       "c-x-model = c/x/model.gguf 1\n"
                       "model = model.gguf 1\n"
                       "other = d/other.gguf 1\n");
}

static void what_no_folder_tells_apart_is_numbered(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "a-b/model.gguf", "1");
    layout_file(&scene->layout, "a/b/model.gguf", "1");
    layout_file(&scene->layout, "a-b-model.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "a-b-model = a-b-model.gguf 1\n"
                       "a-b-model-2 = a-b/model.gguf 1\n"
                       "b-model = a/b/model.gguf 1\n");
}

static void a_set_beside_its_merged_file(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "m.gguf", "1");
    layout_file(&scene->layout, "m-00001-of-00002.gguf", "1");
    layout_file(&scene->layout, "m-00002-of-00002.gguf", "1");
    layout_file(&scene->layout, "m-00001-of-00001.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "m = m.gguf 1\n"
                       "m-00001-of-00001 = m-00001-of-00001.gguf 1 (1 files)\n"
                       "m-00001-of-00002 = m-00001-of-00002.gguf 2 (2 files)\n");
}

static void links_are_followed(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "outside/blob", "12345");
    layout_file(&scene->layout, "elsewhere/deep/e.gguf", "1");
    layout_link(&scene->layout, "in/m.gguf", "../outside/blob");
    layout_link(&scene->layout, "in/sub", "../elsewhere/deep");
    assert_int_equal(scan(scene, "in"), 0);
    expect_text(scene, "e = in/sub/e.gguf 1\n"
                       "m = in/m.gguf 5\n");
    expect_folders(scene, "elsewhere/deep\nin\noutside\n");
}

static void what_cannot_be_opened_is_listed(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "good.gguf", "1");
    layout_link(&scene->layout, "dangling.gguf", "nothing");
    layout_link(&scene->layout, "self.gguf", "self.gguf");
    layout_fifo(&scene->layout, "fifo.gguf");
    layout_fifo(&scene->layout, "m-00001-of-00002.gguf");
    layout_file(&scene->layout, "m-00002-of-00002.gguf", "1");
    layout_link(&scene->layout, "nowhere", "nothing");
    layout_directory(&scene->layout, "directory.gguf");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene,
                "dangling.gguf ! dangling.gguf: a link to nothing\n"
                "fifo.gguf ! fifo.gguf: not a regular file\n"
                "good = good.gguf 1\n"
                "m = m-00002-of-00002.gguf 1 (1 files)\n"
                "m-00001-of-00002.gguf ! m-00001-of-00002.gguf: not a regular file\n"
                "self.gguf ! self.gguf: a cycle of links\n");
}

static void a_cycle_of_links_ends(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "a/m.gguf", "1");
    layout_link(&scene->layout, "a/b/up", "../..");
    layout_link(&scene->layout, "a/here", ".");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene,
                "here ! a/here: not searched: a cycle of links, it lies in itself\n"
                "m = a/m.gguf 1\n"
                "up ! a/b/up: not searched: a cycle of links, it lies in itself\n");
}

static void depth_is_bounded(void **state)
{
    struct scene *scene = *state;
    scene->options.depth = 2;
    layout_file(&scene->layout, "1/2/m.gguf", "1");
    layout_file(&scene->layout, "1/2/3/n.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "3 ! 1/2/3: not searched: too many directories in directories\n"
                       "m = 1/2/m.gguf 1\n");
}

/* Each level has two links to the next: 2^20 ways lead to the last. */
static void a_maze_of_links_ends(void **state)
{
    struct scene *scene = *state;
    scene->options.entries = 1000;
    for (int i = 0; i < 20; i++) {
        char path[32], target[32];
        snprintf(target, sizeof(target), "../%d", i + 1);
        snprintf(path, sizeof(path), "%d/x", i);
        layout_link(&scene->layout, path, target);
        snprintf(path, sizeof(path), "%d/y", i);
        layout_link(&scene->layout, path, target);
    }
    layout_file(&scene->layout, "20/m.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    unsigned cut = 0;
    for (size_t i = 0; i < scene->list.count; i++)
        cut +=
            scene->list.items[i].trouble &&
            strstr(scene->list.items[i].trouble, "too many files, the rest is left out");
    assert_int_equal(cut, 1);
    assert_true(scene->list.count > 1 && scene->list.count < 1000);
}

static void as_many_as_allowed_are_not_cut(void **state)
{
    struct scene *scene = *state;
    scene->options.entries = 2;
    layout_file(&scene->layout, "a.gguf", "1");
    layout_file(&scene->layout, "b.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "a = a.gguf 1\nb = b.gguf 1\n");
}

static void an_unreadable_directory_is_listed(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "a.gguf", "1");
    layout_directory(&scene->layout, "closed");
    if (!layout_close(&scene->layout, "closed"))
        return;
    int rc = scan(scene, "");
    layout_root_again();
    assert_int_equal(rc, 0);
    expect_text(scene, "a = a.gguf 1\n"
                       "closed ! closed: not searched: Permission denied\n");
}

static void the_directory_itself_must_be_there(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(scan(scene, "nothing"), -ENOENT);
    assert_int_equal(scene->error.code, GGUFS_SYSTEM);
    assert_int_equal(scene->error.errnum, ENOENT);
    assert_string_equal(scene->error.text,
                        "cannot read the directory: No such file or directory");
}

/* Times are set back, so that the scan does not seem to be in the same moment. */
static void age(const char *path, time_t by)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    struct timespec times[2] = {{st.st_mtime - by, 0}, {st.st_mtime - by, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void changes_are_noticed(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "x/a.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    assert_int_equal(scene->places.n_watched, 2);
    /* As though the scan had been long after the files were made. */
    for (size_t i = 0; i < scene->places.n_watched; i++)
        scene->places.watched[i].when.tv_sec += 100;
    assert_false(places_changed(&scene->places));
    age(layout_path(&scene->layout, "x"), 10);
    assert_true(places_changed(&scene->places));
}

static void a_scan_at_the_time_of_a_change_is_not_trusted(void **state)
{
    struct scene *scene = *state;
    layout_file(&scene->layout, "a.gguf", "1");
    assert_int_equal(scan(scene, ""), 0);
    scene->places.watched[0].when = scene->places.watched[0].stat.st_ctim;
    assert_true(places_changed(&scene->places));
}

static void a_filesystem_mounted_later_is_not_entered(void **state)
{
    struct scene *scene = *state;
    struct stat here, there;
    assert_int_equal(stat(scene->layout.root, &here), 0);
    if (stat("/proc/self", &there) < 0 || here.st_dev == there.st_dev) {
        print_message("# there is no second filesystem\n");
        return;
    }
    layout_file(&scene->layout, "a.gguf", "1");
    scene->options.mounts = &scene->mounts;
    assert_int_equal(scan(scene, ""), 0);
    assert_int_equal(scene->mounts.count, 1);
    scene->mounts.known = true;
    layout_link(&scene->layout, "status.gguf", "/proc/self/status");
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "a = a.gguf 1\n");
    scene->mounts.known = false;
    assert_int_equal(scan(scene, ""), 0);
    expect_text(scene, "a = a.gguf 1\nstatus = status.gguf 0\n");
    assert_int_equal(scene->mounts.count, 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(finds_models_below),
        CASE(an_empty_directory_is_no_fault),
        CASE(names_hold_any_byte),
        CASE(shards_are_one_model),
        CASE(clashes_are_resolved_by_folders),
        CASE(what_no_folder_tells_apart_is_numbered),
        CASE(a_set_beside_its_merged_file),
        CASE(links_are_followed),
        CASE(what_cannot_be_opened_is_listed),
        CASE(a_cycle_of_links_ends),
        CASE(depth_is_bounded),
        CASE(a_maze_of_links_ends),
        CASE(as_many_as_allowed_are_not_cut),
        CASE(an_unreadable_directory_is_listed),
        CASE(the_directory_itself_must_be_there),
        CASE(changes_are_noticed),
        CASE(a_scan_at_the_time_of_a_change_is_not_trusted),
        CASE(a_filesystem_mounted_later_is_not_entered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
