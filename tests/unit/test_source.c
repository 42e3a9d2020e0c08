/* SPDX-License-Identifier: MIT */
/* One open file: what is refused, exact reads, the map, and how changes are noticed. */

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

#include "model/source.h"
#include "support/access_list.h"

#define SIZE 10000

struct place {
    char directory[256];
    char path[300];
    char line[400]; /* what was logged last */
    int lines;
};

static void keep_line(void *data, const char *line)
{
    struct place *place = data;
    snprintf(place->line, sizeof(place->line), "%s", line);
    place->lines++;
}

static void write_file(const char *path, char fill, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        putc((char)(fill + (char)(i % 7)), file);
    assert_int_equal(fclose(file), 0);
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    const char *base = getenv("TMPDIR");
    snprintf(place->directory, sizeof(place->directory), "%s/ggufs-source-XXXXXX",
             base ? base : "/tmp");
    if (!mkdtemp(place->directory))
        return -1;
    snprintf(place->path, sizeof(place->path), "%s/m.gguf", place->directory);
    write_file(place->path, 'a', SIZE);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    rmdir(place->directory);
    free(place);
    return 0;
}

static struct source *open_it(struct place *place)
{
    struct source *source;
    struct ggufs_error error = {0};
    assert_int_equal(source_open(place->path, &source, &error), 0);
    source_log(source, keep_line, place);
    return source;
}

/* Gives the file times that no clock will give it again. */
static void set_time(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{seconds, 1}, {seconds, 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

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
    write_file(place->path, 'a', 0);
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
    struct source *source = open_it(place);
    struct stat st;
    assert_int_equal(stat(place->path, &st), 0);
    assert_string_equal(source_name(source), "m.gguf");
    assert_int_equal(source_size(source), SIZE);
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
    struct source *source = open_it(place);
    const struct {
        uint64_t offset;
        size_t size;
        int rc;
    } rows[] = {
        {0, SIZE, 0},         {SIZE - 1, 1, 0},      {0, 0, 0},
        {SIZE, 0, 0},         {SIZE, 1, -EIO},       {SIZE - 1, 2, -EIO},
        {SIZE + 1, 0, -EIO},  {UINT64_MAX, 1, -EIO}, {UINT64_MAX - 4, 8, -EIO},
        {INT64_MAX, 8, -EIO}, {1, SIZE_MAX, -EIO},
    };
    static char buffer[SIZE];
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
    struct source *source = open_it(*state);
    const void *mapped;
    assert_int_equal(source_map(source, 5000, 3, &mapped), 0);
    /* Nobody truncates it here, so this test may look. */
    assert_memory_equal(mapped, "cde", 3);
    source_close(source);
}

static void test_truncated(void **state)
{
    struct place *place = *state;
    struct source *source = open_it(place);
    char byte;
    const void *mapped;
    assert_int_equal(truncate(place->path, 5000), 0);
    assert_int_equal(source_read(source, 5000, &byte, 1), -EIO);
    assert_int_equal(place->lines, 1);
    assert_string_equal(place->line,
                        "m.gguf: was truncated since it was opened: reads of "
                        "what is gone fail");
    assert_int_equal(source_map(source, 4999, 2, &mapped), -EIO);
    assert_int_equal(source_read(source, SIZE - 1, &byte, 1), -EIO);
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
    struct source *source = open_it(place);
    assert_int_equal(truncate(place->path, 5000), 0);
    assert_int_equal(source_check(source), 0);
    assert_int_equal(truncate(place->path, SIZE), 0);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

/* Shorter than before, but with another head. */
static void test_rewritten_shorter(void **state)
{
    struct place *place = *state;
    struct source *source = open_it(place);
    char head[5000];
    assert_int_equal(source_read(source, 0, head, sizeof(head)), 0);
    source_remember(source, head, sizeof(head));
    assert_int_equal(truncate(place->path, 3000), 0);
    assert_int_equal(source_check(source), 0);
    write_file(place->path, head[0] + 1, 2000);
    assert_int_equal(source_check(source), -ESTALE);
    assert_int_equal(place->lines, 1);
    source_close(source);
}

static void test_rewritten(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = open_it(place);
    char byte;
    const void *mapped;
    assert_int_equal(source_check(source), 0);
    write_file(place->path, 'x', SIZE);
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
    struct source *source = open_it(place);
    struct stat st;
    do {
        write_file(place->path, 'x', SIZE);
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
    struct source *source = open_it(place);
    assert_int_equal(truncate(place->path, SIZE + 1), 0);
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
    struct source *source = open_it(place);
    assert_int_equal(unlink(place->path), 0);
    expect_readable(place, source);
    source_close(source);
}

static void test_renamed_over(void **state)
{
    struct place *place = *state;
    struct source *source = open_it(place);
    char other[310];
    snprintf(other, sizeof(other), "%s.new", place->path);
    write_file(other, 'x', SIZE);
    assert_int_equal(rename(other, place->path), 0);
    expect_readable(place, source);
    source_close(source);
}

static void test_other_rights(void **state)
{
    struct place *place = *state;
    struct source *source = open_it(place);
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
    struct source *source = open_it(place);
    assert_int_equal(source_stat(source)->st_mode & 0777, 0600);
    expect_readable(place, source);
    source_close(source);
}

static void test_rewritten_after_other_rights(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = open_it(place);
    assert_int_equal(chmod(place->path, 0640), 0);
    expect_readable(place, source);
    write_file(place->path, 'x', SIZE);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

static void test_rewritten_and_other_rights(void **state)
{
    struct place *place = *state;
    set_time(place->path, 1000);
    struct source *source = open_it(place);
    write_file(place->path, 'x', SIZE);
    assert_int_equal(chmod(place->path, 0640), 0);
    assert_int_equal(source_check(source), -ESTALE);
    source_close(source);
}

static void test_names_in_the_log_are_safe(void **state)
{
    struct place *place = *state;
    char odd[310];
    snprintf(odd, sizeof(odd), "%s/\x1b[2J.gguf", place->directory);
    assert_int_equal(rename(place->path, odd), 0);
    snprintf(place->path, sizeof(place->path), "%s/\x1b[2J.gguf", place->directory);
    struct source *source = open_it(place);
    assert_int_equal(truncate(odd, 0), 0);
    char byte;
    assert_int_equal(source_read(source, 0, &byte, 1), -EIO);
    assert_string_equal(place->line,
                        "\\x1b[2J.gguf: was truncated since it was opened: reads "
                        "of what is gone fail");
    source_close(source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        TEST(test_names_in_the_log_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
