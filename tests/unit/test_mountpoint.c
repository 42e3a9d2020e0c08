/* SPDX-License-Identifier: MIT */
/* The mountpoint: what is refused and how it is told, what is made and removed. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/mountpoint.h"

/* In a directory with: empty/ full/inside file link -> empty. */
static const struct row {
    const char *path;
    bool make, nonempty;
    const char *text; /* NULL: accepted */
    const char *resolved;
    bool made;
} rows[] = {
    {"empty", false, false, NULL, "empty", false},
    {"link", false, false, NULL, "empty", false},
    {"full/../empty/", false, false, NULL, "empty", false},
    {"missing", false, false, "no such directory to mount on", NULL, false},
    {"file", false, false, "not a directory: cannot mount on it", NULL, false},
    {"file/x", false, false, "cannot mount here: Not a directory", NULL, false},
    {"full", false, false, "not empty (-o nonempty mounts over what is in it)", NULL,
     false},
    {"full", false, true, NULL, "full", false},
    {"new", true, false, NULL, "new", true},
    {"empty", true, false, NULL, "empty", false},
    {"full", true, false, "not empty (-o nonempty mounts over what is in it)", NULL,
     false},
    {"file", true, false, "not a directory: cannot mount on it", NULL, false},
    {"missing/new", true, false, "cannot make the mountpoint: No such file or directory",
     NULL, false},
};

struct place {
    char dir[200];
};

static void path_in(const struct place *place, const char *name, char path[300])
{
    snprintf(path, 300, "%s/%s", place->dir, name);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void check_row(const struct place *place, const struct row *row)
{
    char path[300], resolved[300];
    struct mount_options options = {
        .mountpoint = path,
        .make_mountpoint = row->make,
        .nonempty = row->nonempty,
    };
    struct ggufs_error error = {0};
    struct mountpoint point;
    bool existed;

    path_in(place, row->path, path);
    existed = exists(path);
    assert_int_equal(mountpoint_init(&point, &options, &error), row->text ? 6 : 0);
    if (row->text) {
        assert_string_equal(error.text, row->text);
        assert_string_equal(error.file, path);
        assert_null(point.path);
    } else {
        path_in(place, row->resolved, resolved);
        assert_string_equal(point.path, resolved);
        assert_int_equal(point.made, row->made);
        assert_true(exists(path));
    }
    assert_int_equal(mountpoint_unmount(&point), 0); /* nothing of ours is there */
    mountpoint_done(&point, true);
    assert_int_equal(exists(path), existed);
}

static void test_rows(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(*state, &rows[i]);
}

static void test_kept(void **state)
{
    char path[300];
    struct mount_options options = {.mountpoint = path, .make_mountpoint = true};
    struct ggufs_error error = {0};
    struct mountpoint point;

    path_in(*state, "kept", path);
    assert_int_equal(mountpoint_init(&point, &options, &error), 0);
    mountpoint_done(&point, false); /* in a process that leaves it to another */
    assert_true(exists(path));
    assert_int_equal(rmdir(path), 0);
}

static int set_up(void **state)
{
    static struct place place;
    const char *tmp = getenv("TMPDIR");
    char name[150], path[300];
    int file;

    snprintf(name, sizeof name, "%.100s/mountpoint.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(name))
        return -1;
    char *real = realpath(name, NULL);
    if (!real)
        return -1;
    snprintf(place.dir, sizeof place.dir, "%.199s", real);
    free(real);
    path_in(&place, "empty", path);
    mkdir(path, 0700);
    path_in(&place, "full", path);
    mkdir(path, 0700);
    path_in(&place, "full/inside", path);
    mkdir(path, 0700);
    path_in(&place, "file", path);
    file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    close(file);
    path_in(&place, "link", path);
    *state = &place;
    return symlink("empty", path);
}

static int tear_down(void **state)
{
    static const char *const directories[] = {"empty", "full/inside", "full"};
    const struct place *place = *state;
    char path[300];

    path_in(place, "link", path);
    unlink(path);
    path_in(place, "file", path);
    unlink(path);
    for (size_t i = 0; i < 3; i++) {
        path_in(place, directories[i], path);
        rmdir(path);
    }
    return rmdir(place->dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_kept),
    };

    return cmocka_run_group_tests_name("mountpoint", tests, set_up, tear_down);
}
