/* SPDX-License-Identifier: MIT */
/* src/tree/sums.c: SHA256SUMS against libcrypto, read in any order and by many at once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <unistd.h>

#include "support/opened.h"
#include "support/slices.h"

static const struct row {
    const char *name;
    uint64_t n;              /* I8 elements, so bytes */
    const char *mark, *text; /* in the line: '\' before it, and the name */
} rows[] = {
    {"a", 1, "", "a"},
    {"empty", 0, "", "empty"},
    {"large", 3 << 20, "", "large"},
    {"back\\slash\\", 100, "\\", "back\\\\slash\\\\"},
    {"line\nfeed", 65, "", "line%0Afeed"},
    {"sp ace*", 64, "", "sp ace*"},
    {"blk.0.\xc3\xa9", 1000, "", "blk.0.\xc3\xa9"},
    {"last", (1 << 20) + 1, "", "last"},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static void open_rows(struct opened *opened)
{
    struct build build;
    build_init(&build, 3, false);
    for (size_t i = 0; i < N_ROWS; i++)
        build_tensor(&build, rows[i].name, 24, 1, &rows[i].n);
    opened_build(opened, &build, NULL);
}

static void put_hash(char *out, size_t i)
{
    unsigned char hash[SHA256_DIGEST_LENGTH];
    uint8_t *bytes = malloc(rows[i].n + 1);
    for (size_t k = 0; k < rows[i].n; k++)
        bytes[k] = build_data_byte(i, k);
    SHA256(bytes, rows[i].n, hash);
    free(bytes);
    for (size_t k = 0; k < sizeof(hash); k++)
        snprintf(out + 2 * k, 3, "%02x", hash[k]);
}

/* All lines; starts[i] is where line i begins. */
static char *expected_text(size_t starts[N_ROWS + 1])
{
    char *text = calloc(N_ROWS, 200);
    size_t length = 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        char hash[65];
        starts[i] = length;
        put_hash(hash, i);
        length += (size_t)sprintf(text + length, "%s%s  tensors/%s\n", rows[i].mark, hash,
                                  rows[i].text);
    }
    starts[N_ROWS] = length;
    return text;
}

static struct content *sums_of(const struct opened *opened)
{
    struct content *content;
    assert_int_equal(
        tree_content(opened->tree, opened_node(opened, "SHA256SUMS"), &content), 0);
    return content;
}

static void test_lines(void **state)
{
    struct opened opened;
    size_t starts[N_ROWS + 1];
    char *text = expected_text(starts);
    (void)state;
    open_rows(&opened);
    slices_whole(sums_of(&opened), text, starts[N_ROWS]);
    slices_all(sums_of(&opened), text, starts[3] - 20, 120);
    opened_close(&opened);
    free(text);
}

/* The size is known though the data cannot be read at all. */
static void test_size(void **state)
{
    struct opened opened;
    size_t starts[N_ROWS + 1];
    char *text = expected_text(starts);
    uint64_t size;
    char path[300], byte;
    (void)state;
    open_rows(&opened);
    snprintf(path, sizeof(path), "%s/model.gguf", opened.directory);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(content_size_known(sums_of(&opened), &size), 0);
    assert_int_equal(size, starts[N_ROWS]);
    assert_int_equal(content_read(sums_of(&opened), NULL, 0, &byte, 1), -EIO);
    opened_close(&opened);
    free(text);
}

/* Whole lines of tensors that are there can be read, and what was hashed before is kept. */
static void test_cut(void **state)
{
    struct opened opened;
    struct ggufs_tensor tensor;
    size_t starts[N_ROWS + 1], n;
    char *text = expected_text(starts);
    char path[300], line[400];
    (void)state;
    open_rows(&opened);
    struct content *content = sums_of(&opened);
    n = starts[4] - starts[3];
    assert_int_equal(content_read(content, NULL, starts[3], line, n), n);
    ggufs_model_tensor(opened.model, 2, &tensor);
    snprintf(path, sizeof(path), "%s/model.gguf", opened.directory);
    assert_int_equal(truncate(path, (off_t)(tensor.offset + tensor.size / 2)), 0);
    assert_int_equal(content_read(content, NULL, 0, line, starts[2]), starts[2]);
    assert_memory_equal(line, text, starts[2]);
    assert_int_equal(content_read(content, NULL, 0, line, starts[2] + 1), -EIO);
    assert_int_equal(content_read(content, NULL, starts[2], line, 1), -EIO);
    assert_int_equal(content_read(content, NULL, starts[3], line, n), n);
    assert_memory_equal(line, text + starts[3], n);
    assert_int_equal(content_read(content, NULL, starts[4], line, 1), -EIO);
    opened_close(&opened);
    free(text);
}

static void test_stop(void **state)
{
    struct opened opened;
    size_t starts[N_ROWS + 1];
    char *text = expected_text(starts);
    volatile int stop = 1;
    struct reading reading = {&stop};
    char line[200];
    (void)state;
    open_rows(&opened);
    struct content *content = sums_of(&opened);
    assert_int_equal(content_read(content, &reading, 0, line, 10), -EINTR);
    assert_int_equal(content_read(content, &reading, starts[2], line, 10), -EINTR);
    stop = 0;
    assert_int_equal(content_read(content, &reading, 0, line, 10), 10);
    assert_memory_equal(line, text, 10);
    /* What is kept needs no work that could be stopped. */
    stop = 1;
    assert_int_equal(content_read(content, &reading, 2, line, 10), 10);
    slices_whole(content, text, starts[N_ROWS]);
    opened_close(&opened);
    free(text);
}

#define THREADS 8

struct reader {
    pthread_t thread;
    struct content *content;
    const char *text;
    size_t size;
    unsigned number;
    bool right;
};

static void *read_lines(void *data)
{
    struct reader *reader = data;
    reader->right = true;
    for (size_t i = 0; i < 50; i++) {
        char bytes[300];
        size_t offset = (i * 97 + reader->number * 131) % reader->size;
        size_t length =
            sizeof(bytes) < reader->size - offset ? sizeof(bytes) : reader->size - offset;
        if (content_read(reader->content, NULL, offset, bytes, length) !=
                (ssize_t)length ||
            memcmp(bytes, reader->text + offset, length) != 0)
            reader->right = false;
    }
    return NULL;
}

static void test_many_readers(void **state)
{
    struct opened opened;
    size_t starts[N_ROWS + 1];
    char *text = expected_text(starts);
    struct reader readers[THREADS];
    (void)state;
    open_rows(&opened);
    for (unsigned i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){.content = sums_of(&opened),
                                     .text = text,
                                     .size = starts[N_ROWS],
                                     .number = i};
        assert_int_equal(
            pthread_create(&readers[i].thread, NULL, read_lines, &readers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_true(readers[i].right);
    }
    opened_close(&opened);
    free(text);
}

static void test_nothing(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    opened_build(&opened, &build, NULL);
    slices_whole(sums_of(&opened), "", 0);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_size),
        cmocka_unit_test(test_cut),          cmocka_unit_test(test_stop),
        cmocka_unit_test(test_many_readers), cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
