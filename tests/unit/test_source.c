/* SPDX-License-Identifier: MIT */
/* src/model/source.c: what is refused, exact reads, the map. */

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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/place.h"

static void expect_refused(const char *path, int rc, enum ggufs_code code,
                           const char *text)
{
    struct source *source;
    struct ggufs_error error = {0};
    assert_int_equal(source_open(path, &source, &error), rc);
    assert_int_equal(error.code, code);
    assert_string_equal(error.text, text);
    assert_string_equal(error.file, "");
}

static void test_what_is_refused(void **state)
{
    struct place *place = *state;
    assert_int_equal(unlink(place->path), 0);
    expect_refused(place->path, -ENOENT, GGUFS_SYSTEM,
                   "cannot open: No such file or directory");
    assert_int_equal(symlink("gone", place->path), 0);
    expect_refused(place->path, -ENOENT, GGUFS_SYSTEM,
                   "cannot open: No such file or directory");
    unlink(place->path);
    assert_int_equal(mkfifo(place->path, 0600), 0);
    expect_refused(place->path, -EBADMSG, GGUFS_FORMAT,
                   "this is a FIFO; a model is a regular file");
    unlink(place->path);
    place_write(place->path, 'a', 0);
    expect_refused(place->path, -EBADMSG, GGUFS_FORMAT, "the file is empty");
    expect_refused(place->directory, -EBADMSG, GGUFS_FORMAT,
                   "this is a directory; a model is a regular file");
    expect_refused("/dev/null", -EBADMSG, GGUFS_FORMAT,
                   "this is a character device; a model is a regular file");
}

static void test_socket_is_refused(void **state)
{
    struct place *place = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(place->path) >= sizeof(address.sun_path)) {
        print_message("# the path is too long for a socket\n");
        return;
    }
    strcpy(address.sun_path, place->path);
    unlink(place->path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    expect_refused(place->path, -EBADMSG, GGUFS_FORMAT,
                   "this is a socket; a model is a regular file");
    close(fd);
}

static void test_refusing_leaks_no_descriptor(void **state)
{
    struct place *place = *state;
    int before = dup(0);
    close(before);
    expect_refused(place->directory, -EBADMSG, GGUFS_FORMAT,
                   "this is a directory; a model is a regular file");
    int after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

static void test_facts(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    struct stat st;
    assert_int_equal(stat(place->path, &st), 0);
    assert_string_equal(source_name(source), "m.gguf");
    assert_int_equal(source_size(source), PLACE_SIZE);
    assert_int_equal(source_stat(source)->st_ino, st.st_ino);
    assert_true(source_fd(source) > 2);
    assert_true(fcntl(source_fd(source), F_GETFD) & FD_CLOEXEC);
    source_close(source);
    source_close(NULL);
}

/* In a child, because the test needs its own 0, 1 and 2. */
static void test_never_a_standard_descriptor(void **state)
{
    struct place *place = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct source *source;
        close(0);
        close(1);
        close(2);
        bool good =
            source_open(place->path, &source, NULL) == 0 && source_fd(source) > 2 &&
            (fcntl(source_fd(source), F_GETFD) & FD_CLOEXEC) && fcntl(0, F_GETFD) < 0;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_exact_reads(void **state)
{
    struct place *place = *state;
    struct source *source = place_open(place);
    const struct {
        uint64_t offset;
        size_t size;
        int rc;
    } rows[] = {
        {0, PLACE_SIZE, 0},        {PLACE_SIZE - 1, 1, 0}, {0, 0, 0},
        {PLACE_SIZE, 0, 0},        {PLACE_SIZE, 1, -EIO},  {PLACE_SIZE - 1, 2, -EIO},
        {PLACE_SIZE + 1, 0, -EIO}, {UINT64_MAX, 1, -EIO},  {UINT64_MAX - 4, 8, -EIO},
        {INT64_MAX, 8, -EIO},      {1, SIZE_MAX, -EIO},
    };
    static char buffer[PLACE_SIZE];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const void *mapped;
        size_t size = rows[i].size;
        assert_int_equal(source_read(source, rows[i].offset, buffer, size), rows[i].rc);
        assert_int_equal(source_map(source, rows[i].offset, size, &mapped), rows[i].rc);
        if (rows[i].rc == 0 && size > 0)
            assert_int_equal(buffer[0], 'a' + (char)(rows[i].offset % 7));
    }
    assert_int_equal(place->lines, 0);
    source_close(source);
}

static void test_map_shows_the_file(void **state)
{
    struct source *source = place_open(*state);
    const void *mapped;
    assert_int_equal(source_map(source, 5000, 3, &mapped), 0);
    /* Nobody truncates it here, so this test may look. */
    assert_memory_equal(mapped, "cde", 3);
    source_close(source);
}

static void test_names_in_the_log_are_safe(void **state)
{
    struct place *place = *state;
    char odd[310];
    snprintf(odd, sizeof(odd), "%s/\x1b[2J.gguf", place->directory);
    assert_int_equal(rename(place->path, odd), 0);
    snprintf(place->path, sizeof(place->path), "%s/\x1b[2J.gguf", place->directory);
    struct source *source = place_open(place);
    assert_int_equal(truncate(odd, 0), 0);
    char byte;
    assert_int_equal(source_read(source, 0, &byte, 1), -EIO);
    assert_string_equal(place->line,
                        "\\x1b[2J.gguf: was truncated since it was opened: reads "
                        "of what is gone fail");
    source_close(source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_refused),
        TEST(test_socket_is_refused),
        TEST(test_refusing_leaks_no_descriptor),
        TEST(test_facts),
        TEST(test_never_a_standard_descriptor),
        TEST(test_exact_reads),
        TEST(test_map_shows_the_file),
        TEST(test_names_in_the_log_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
