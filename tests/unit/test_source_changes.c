/* SPDX-License-Identifier: MIT */
/* How a source notices what others do to its file: what makes it another one, and what only
 * changes who may read it or what it is called. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/access_list.h"
#include "support/place.h"

/* Gives the file times that no clock will give it again. */
static void set_time(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{seconds, 1}, {seconds, 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_truncated(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    char byte;
    const void *mapped;
    assert_int_equal(truncate(place->path, 5000), 0);
    assert_int_equal(source_read(source, 5000, &byte, 1), -EIO);
    assert_int_equal(place->lines, 1);
    assert_string_equal(place->line,
                        "m.gguf: was truncated since it was opened: reads of "
                        "what is gone fail");
    assert_int_equal(source_map(source, 4999, 2, &mapped), -EIO);
    assert_int_equal(source_read(source, PLACE_SIZE - 1, &byte, 1), -EIO);
    assert_int_equal(source_check(source), 0);
    assert_int_equal(source_read(source, 0, &byte, 1), 0);
    assert_int_equal(source_read(source, 4999, &byte, 1), 0);
    assert_int_equal(source_map(source, 0, 5000, &mapped), 0);
    assert_int_equal(place->lines, 1);
    source_close(source);
}

/* Cut off and filled again: what is there now is not what was opened. */
static void test_truncated_and_grown(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    assert_int_equal(truncate(place->path, 5000), 0);
    assert_int_equal(source_check(source), 0);
    assert_int_equal(truncate(place->path, PLACE_SIZE), 0);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

/* Shorter than before, but with another head. */
static void test_rewritten_shorter(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    char head[5000];
    assert_int_equal(source_read(source, 0, head, sizeof(head)), 0);
    source_remember(source, head, sizeof(head));
    assert_int_equal(truncate(place->path, 3000), 0);
    assert_int_equal(source_check(source), 0);
    place_write(place->path, head[0] + 1, 2000);
    assert_int_equal(source_check(source), -ESTALE);
    assert_int_equal(place->lines, 1);
    source_close(source);
}

static void test_rewritten(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = place_open(place);
    char byte;
    const void *mapped;
    assert_int_equal(source_check(source), 0);
    place_write(place->path, 'x', PLACE_SIZE);
    assert_int_equal(source_check(source), -ESTALE);
    assert_int_equal(source_read(source, 0, &byte, 1), -ESTALE);
    assert_int_equal(source_map(source, 0, 1, &mapped), -ESTALE);
    assert_int_equal(place->lines, 1);
    assert_string_equal(
        place->line, "m.gguf: was changed since it was opened: it is not read any more");
    source_close(source);
}

/* Waits for the clock of the file system to move on, then writes in place and puts the
 * time of the last change back: only ctime tells. */
static void test_rewritten_with_its_time_put_back(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = place_open(place);
    struct stat st;
    do {
        place_write(place->path, 'x', PLACE_SIZE);
        set_time(place->path, 1000);
        assert_int_equal(stat(place->path, &st), 0);
    } while (st.st_ctim.tv_sec == source_stat(source)->st_ctim.tv_sec &&
             st.st_ctim.tv_nsec == source_stat(source)->st_ctim.tv_nsec);
    assert_int_equal(source_check(source), -ESTALE);
    assert_int_equal(place->lines, 1);
    source_close(source);
}

static void test_grown(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    assert_int_equal(truncate(place->path, PLACE_SIZE + 1), 0);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

static void expect_readable(struct place *place, struct source *source)
{
    char byte = 0;
    assert_int_equal(source_check(source), 0);
    assert_int_equal(source_read(source, 0, &byte, 1), 0);
    assert_int_equal(byte, 'a');
    assert_int_equal(place->lines, 0);
}

static void test_unlinked(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    assert_int_equal(unlink(place->path), 0);
    expect_readable(place, source);
    source_close(source);
}

static void test_renamed_over(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    char other[310];
    snprintf(other, sizeof(other), "%s.new", place->path);
    place_write(other, 'x', PLACE_SIZE);
    assert_int_equal(rename(other, place->path), 0);
    expect_readable(place, source);
    source_close(source);
}

static void test_other_rights(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    assert_int_equal(chmod(place->path, 0400), 0);
    expect_readable(place, source);
    assert_int_equal(chmod(place->path, 0600), 0);
    expect_readable(place, source);
    source_close(source);
}

/* Whom the list lets in is not repeated: what is left is the owner. */
static void test_access_list(void **state)
{
    struct place *place = *state;
    struct stat st;
    if (!access_list_set(place->path))
        return;
    assert_int_equal(stat(place->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    struct source *source = place_open(place);
    assert_int_equal(source_stat(source)->st_mode & 0777, 0600);
    expect_readable(place, source);
    source_close(source);
}

static void test_rewritten_after_other_rights(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = place_open(place);
    assert_int_equal(chmod(place->path, 0640), 0);
    expect_readable(place, source);
    place_write(place->path, 'x', PLACE_SIZE);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

static void test_rewritten_and_other_rights(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = place_open(place);
    place_write(place->path, 'x', PLACE_SIZE);
    assert_int_equal(chmod(place->path, 0640), 0);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_truncated),
        TEST(test_truncated_and_grown),
        TEST(test_rewritten_shorter),
        TEST(test_rewritten),
        TEST(test_rewritten_with_its_time_put_back),
        TEST(test_grown),
        TEST(test_unlinked),
        TEST(test_renamed_over),
        TEST(test_other_rights),
        TEST(test_access_list),
        TEST(test_rewritten_after_other_rights),
        TEST(test_rewritten_and_other_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
