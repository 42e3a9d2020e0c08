/* SPDX-License-Identifier: MIT */
/* A run of a model's file: copied, handed out from the map, and what is not there. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content/content.h"
#include "model/source.h"

#define FILE_SIZE 40000

struct place {
    char directory[256];
    char path[300];
    struct source *source;
};

static char byte_at(uint64_t i)
{
    return (char)(i % 251);
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    const char *base = getenv("TMPDIR");
    snprintf(place->directory, sizeof(place->directory), "%s/ggufs-range-XXXXXX",
             base ? base : "/tmp");
    if (!mkdtemp(place->directory))
        return -1;
    snprintf(place->path, sizeof(place->path), "%s/m.gguf", place->directory);
    FILE *file = fopen(place->path, "w");
    if (!file)
        return -1;
    for (uint64_t i = 0; i < FILE_SIZE; i++)
        putc(byte_at(i), file);
    *state = place;
    return fclose(file) != 0 || source_open(place->path, &place->source, NULL) != 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    source_close(place->source);
    unlink(place->path);
    rmdir(place->directory);
    free(place);
    return 0;
}

static void check_bytes(const char *bytes, uint64_t from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != byte_at(from + i))
            fail_msg("byte %zu of those from %zu on", i, (size_t)from);
}

static void test_read(void **state)
{
    struct place *place = *state;
    struct content *range = content_range(place->source, 1000, 5000);
    char buffer[6000];
    uint64_t size;
    assert_int_equal(content_size_known(range, &size), 0);
    assert_int_equal(size, 5000);
    assert_int_equal(content_read(range, NULL, 0, buffer, 6000), 5000);
    check_bytes(buffer, 1000, 5000);
    assert_int_equal(content_read(range, NULL, 4990, buffer, 100), 10);
    check_bytes(buffer, 5990, 10);
    assert_int_equal(content_read(range, NULL, 5000, buffer, 100), 0);
    content_free(range);
}

/* Mapped bytes are not touched here: write(2) looks at them, as the kernel would. */
static void test_gather(void **state)
{
    struct place *place = *state;
    struct content *range = content_range(place->source, 1000, 30000);
    char scratch[20000] = "untouched";
    struct iovec piece;
    int n = 1;
    assert_int_equal(content_gather(range, NULL, 10, 20000, scratch, &piece, &n), 20000);
    assert_int_equal(n, 1);
    assert_int_equal(piece.iov_len, 20000);
    assert_string_equal(scratch, "untouched");
    content_free(range);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], piece.iov_base, 20000), 20000);
    assert_int_equal(read(ends[0], scratch, 20000), 20000);
    check_bytes(scratch, 1010, 20000);
    close(ends[0]);
    close(ends[1]);
}

static void test_gather_little(void **state)
{
    struct place *place = *state;
    struct content *range = content_range(place->source, 1000, 30000);
    char scratch[100];
    struct iovec piece;
    int n = 1;
    assert_int_equal(content_gather(range, NULL, 10, 100, scratch, &piece, &n), 100);
    assert_int_equal(n, 1);
    assert_ptr_equal(piece.iov_base, scratch);
    check_bytes(scratch, 1010, 100);
    content_free(range);
}

/* What is there can be read; what lies past the file's end is an error, never less. */
static void test_cut_off(void **state)
{
    struct place *place = *state;
    struct content *range = content_range(place->source, FILE_SIZE - 1000, 2000);
    char buffer[2000];
    struct iovec piece;
    int n = 1;
    assert_int_equal(content_read(range, NULL, 0, buffer, 1000), 1000);
    check_bytes(buffer, FILE_SIZE - 1000, 1000);
    assert_int_equal(content_gather(range, NULL, 0, 1000, buffer, &piece, &n), 1000);
    assert_int_equal(content_read(range, NULL, 0, buffer, 1001), -EIO);
    assert_int_equal(content_read(range, NULL, 1500, buffer, 1), -EIO);
    n = 1;
    assert_int_equal(content_gather(range, NULL, 0, 1001, buffer, &piece, &n), -EIO);
    assert_int_equal(content_read(range, NULL, 2000, buffer, 1), 0);
    content_free(range);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gather, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gather_little, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_off, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
