/* SPDX-License-Identifier: MIT */
/* The head's way into memory: heads of sizes around those of the pieces, files that
 * end in the middle of one, and files far larger than memory behind one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "model/load.h"
#include "support/plan.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define HEADER 24 /* of a file */
#define KEY                                                                              \
    (8 + 1 + 4 + 8) /* a string's record with a name of one byte, but for its bytes */
#define INFO                                                                             \
    (8 + 1 + 4 + 8 + 4 + 8) /* a tensor's with a name of one byte and a dimension */

/* A file whose head is so many bytes: one long string, one tensor of 8 floats. */
static struct plan_bytes build(size_t head_size)
{
    size_t length = head_size - HEADER - KEY - INFO;
    char *string = malloc(length + 1);
    memset(string, 'x', length);
    string[length] = '\0';
    const struct plan plan = {
        .version = 3,
        .n_keys = 1,
        .keys = {{"k", 8, 0, string}},
        .n_tensors = 1,
        .tensors = {{"t", 0, 1, {8}}},
    };
    struct plan_bytes file = plan_build(&plan);
    free(string);
    return file;
}

static const char *write_bytes(const struct plan_set *set, const void *bytes, size_t size)
{
    const char *path = plan_set_path(set, "m.gguf");
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static int setup(void **state)
{
    *state = plan_set_new();
    return 0;
}

static int teardown(void **state)
{
    plan_set_free(*state);
    return 0;
}

static void test_sizes_around_pieces(void **state)
{
    const size_t piece = 256 << 10;
    const size_t sizes[] = {
        100,           piece - 1,        piece,
        piece + 1,     2 * piece - 1,    2 * piece,
        2 * piece + 1, 2 * piece + INFO, 5 * piece + 3,
    };
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct plan_bytes file = build(sizes[i]);
        struct source *source;
        struct head head = {0};
        uint8_t *bytes;
        assert_int_equal(
            source_open(write_bytes(*state, file.bytes, file.size), &source, NULL), 0);
        assert_int_equal(load_head(source, &head, &bytes, NULL), 0);
        assert_int_equal(head.size, sizes[i]);
        assert_ptr_equal(head.bytes, bytes);
        assert_memory_equal(bytes, file.bytes, head.size);
        assert_int_equal(head.n_keys, 1);
        assert_int_equal(head.n_tensors, 1);
        assert_int_equal(head.tensors[0].offset, (sizes[i] + 31) / 32 * 32);
        assert_int_equal(table_find(&head.tensors_by_name, "t", 1), 0);
        assert_int_equal(table_find(&head.keys_by_name, "k", 1), 0);
        head_done(&head);
        free(bytes);
        source_close(source);
        free(file.bytes);
    }
}

/* The error is the parser's; nothing is left behind (leak checkers look). */
static void test_files_that_end_in_the_head(void **state)
{
    const size_t head_size = (512 << 10) + 7;
    const size_t sizes[] = {
        1,       4,         8,         HEADER - 1,       HEADER,        HEADER + 5,
        1 << 10, 256 << 10, 512 << 10, head_size - INFO, head_size - 1,
    };
    struct plan_bytes file = build(head_size);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct source *source;
        struct head head = {0};
        uint8_t *bytes;
        struct ggufs_error error = {0};
        assert_int_equal(
            source_open(write_bytes(*state, file.bytes, sizes[i]), &source, NULL), 0);
        assert_int_equal(load_head(source, &head, &bytes, &error), -EBADMSG);
        assert_int_equal(error.code, GGUFS_FORMAT);
        assert_null(head.keys);
        source_close(source);
    }
    free(file.bytes);
}

/* A terabyte that nobody wrote costs no memory, if the file system takes such a file. */
static void test_large_file(void **state)
{
    struct plan_bytes file = build(1000);
    const char *path = write_bytes(*state, file.bytes, file.size);
    free(file.bytes);
    if (truncate(path, (off_t)1 << 40) < 0) {
        print_message("# no file of a terabyte here\n");
        return;
    }
    struct source *source;
    struct head head = {0};
    uint8_t *bytes;
    assert_int_equal(source_open(path, &source, NULL), 0);
    assert_int_equal(load_head(source, &head, &bytes, NULL), 0);
    assert_int_equal(head.size, 1000);
    assert_int_equal(head.file_size, (uint64_t)1 << 40);
    head_done(&head);
    free(bytes);
    source_close(source);
}

static void test_truncated_before_it_is_read(void **state)
{
    struct plan_bytes file = build(1000);
    const char *path = write_bytes(*state, file.bytes, file.size);
    free(file.bytes);
    struct source *source;
    struct head head = {0};
    uint8_t *bytes;
    struct ggufs_error error = {0};
    assert_int_equal(source_open(path, &source, NULL), 0);
    assert_int_equal(truncate(path, 50), 0);
    assert_int_equal(load_head(source, &head, &bytes, &error), -EIO);
    assert_int_equal(error.code, GGUFS_SYSTEM);
    assert_string_equal(error.text, "cannot read: Input/output error");
    source_close(source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sizes_around_pieces),
        TEST(test_files_that_end_in_the_head),
        TEST(test_large_file),
        TEST(test_truncated_before_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
