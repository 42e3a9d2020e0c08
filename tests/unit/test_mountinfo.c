/* SPDX-License-Identifier: MIT */
/* Reading /proc/self/mountinfo: which mount is on top at a path. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fs/mountinfo.h"

static const char text[] =
    "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "30 22 0:40 / /mnt/a ro,nosuid shared:7 master:1 - fuse.ggufs a.gguf ro,user_id=0\n"
    "31 22 0:41 / /mnt/with\\040space rw - fuse.ggufs b rw\n"
    "32 22 0:42 / /mnt/back\\134slash\\011tab\\012line rw - tmpfs none rw\n"
    "33 30 0:43 /sub /mnt/a rw - tmpfs none rw\n"
    "not a line of it - at all\n"
    "34 22 0:44 / /mnt/cut\n"
    "35 22 1048575:9 / /mnt/last rw - fuse a\\040-\\040b rw";

static const struct row {
    const char *path;
    bool found;
    unsigned int id, major, minor;
    const char *type;
} rows[] = {
    {"/", true, 22, 254, 0, "ext4"},
    {"/mnt/a", true, 33, 0, 43, "tmpfs"}, /* the later one hides the earlier */
    {"/mnt/with space", true, 31, 0, 41, "fuse.ggufs"},
    {"/mnt/back\\slash\ttab\nline", true, 32, 0, 42, "tmpfs"},
    {"/mnt/last", true, 35, 1048575, 9, "fuse"},
    {"/mnt", false, 0, 0, 0, NULL},
    {"/mnt/a/", false, 0, 0, 0, NULL},
    {"/mnt/cut", false, 0, 0, 0, NULL},
    {"", false, 0, 0, 0, NULL},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mountinfo info = {0};
        FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

        assert_non_null(file);
        assert_int_equal(mountinfo_search(file, rows[i].path, &info), rows[i].found);
        fclose(file);
        if (!rows[i].found)
            continue;
        assert_int_equal(info.id, rows[i].id);
        assert_int_equal(info.major, rows[i].major);
        assert_int_equal(info.minor, rows[i].minor);
        assert_string_equal(info.type, rows[i].type);
    }
}

static void test_this_machine(void **state)
{
    struct mountinfo info;

    (void)state;
    assert_true(mountinfo_find("/", &info));
    assert_true(info.type[0] != '\0');
    assert_false(mountinfo_find("/no such place", &info));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_this_machine),
    };

    return cmocka_run_group_tests_name("mountinfo", tests, NULL, NULL);
}
