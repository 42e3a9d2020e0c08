/* SPDX-License-Identifier: MIT */
/* src/forest/file.c: opening, reading, gathering, and what opening refuses. */

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

#include "support/build.h"
#include "support/grove.h"

static int setup(void **state)
{
    struct grove *grove = calloc(1, sizeof(*grove));
    grove_new(grove);
    grove_model(grove, "m/a.gguf", "llama", 1000);
    grove_shard(grove, "s/s-00001-of-00002.gguf", 0, 2);
    grove_shard(grove, "s/s-00002-of-00002.gguf", 1, 2);
    *state = grove;
    return 0;
}

static int teardown(void **state)
{
    grove_free(*state);
    free(*state);
    return 0;
}

static struct ggufs_file *open_path(struct grove *grove, const char *path)
{
    struct ggufs_file *file;
    assert_int_equal(ggufs_file_open(grove->tree, grove_node(grove, path), &file), 0);
    return file;
}

static int try_open(struct grove *grove, uint64_t node)
{
    struct ggufs_file *file;
    int r = ggufs_file_open(grove->tree, node, &file);
    if (r == 0)
        ggufs_file_close(file);
    return r;
}

static void test_directories(void **state)
{
    static const char *const paths[] = {"", "metadata", "tensors", "npy"};
    struct grove *grove = *state;
    for (int many = 0; many < 2; many++) {
        grove_open(grove, many ? "m" : "m/a.gguf");
        assert_int_equal(try_open(grove, GGUFS_ROOT), -EISDIR);
        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
            char path[100];
            snprintf(path, sizeof(path), "%s%s", many ? "a/" : "", paths[i]);
            assert_int_equal(try_open(grove, grove_node(grove, path)), -EISDIR);
        }
    }
    ggufs_file_close(NULL);
}

/* Pieces put together are what read says, whatever room there is for them. */
static void check_gather(struct ggufs_file *file, uint64_t offset, size_t size)
{
    char *scratch = malloc(size + 1), *read = malloc(size + 1), *whole = malloc(size + 1);
    ssize_t length = ggufs_file_read(file, offset, read, size);
    for (int room = 1; room < 5; room++) {
        struct iovec pieces[5];
        int n = room;
        size_t at = 0;
        assert_int_equal(ggufs_file_gather(file, offset, size, scratch, pieces, &n, NULL),
                         length);
        assert_true(n <= room);
        for (int i = 0; i < n; i++) {
            memcpy(whole + at, pieces[i].iov_base, pieces[i].iov_len);
            at += pieces[i].iov_len;
        }
        assert_int_equal(at, length);
        assert_memory_equal(whole, read, at);
    }
    free(scratch);
    free(read);
    free(whole);
}

static void test_gather(void **state)
{
    static const char *const paths[] = {"info.json",  "metadata/general.architecture",
                                        "tensors/w",  "npy/w.npy",
                                        "model.gguf", "model.safetensors",
                                        "SHA256SUMS", "tensors.tsv"};
    struct grove *grove = *state;
    grove_open(grove, "m/a.gguf");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct ggufs_file *file = open_path(grove, paths[i]);
        uint64_t size;
        assert_int_equal(ggufs_file_size(file, &size), 0);
        check_gather(file, 0, (size_t)size);
        check_gather(file, 0, (size_t)size + 10);
        check_gather(file, size / 3, (size_t)size / 3);
        check_gather(file, size, 10);
        check_gather(file, size + 1000, 10);
        check_gather(file, size - 1, 1);
        ggufs_file_close(file);
    }
}

static void test_stopped(void **state)
{
    struct grove *grove = *state;
    struct iovec piece;
    char scratch[10];
    const volatile int stop = 1;
    int n = 1;
    grove_open(grove, "m/a.gguf");
    struct ggufs_file *file = open_path(grove, "SHA256SUMS");
    assert_int_equal(ggufs_file_gather(file, 0, 10, scratch, &piece, &n, &stop), -EINTR);
    n = 1;
    assert_int_equal(ggufs_file_gather(file, 0, 10, scratch, &piece, &n, NULL), 10);
    ggufs_file_close(file);
}

/* Only where the whole file is one file of the model. */
static void test_backing(void **state)
{
    struct grove *grove = *state;
    struct stat there, here;
    grove_open(grove, "m/a.gguf");
    struct ggufs_file *file = open_path(grove, "model.gguf");
    assert_int_equal(fstat(ggufs_file_backing(file), &here), 0);
    assert_int_equal(stat(layout_path(&grove->layout, "m/a.gguf"), &there), 0);
    assert_int_equal(here.st_ino, there.st_ino);
    ggufs_file_close(file);
    file = open_path(grove, "tensors/w");
    assert_int_equal(ggufs_file_backing(file), -1);
    ggufs_file_close(file);
    grove_open(grove, "s/s-00001-of-00002.gguf");
    file = open_path(grove, "model.gguf");
    assert_int_equal(ggufs_file_backing(file), -1);
    ggufs_file_close(file);
    grove_open(grove, "m");
    file = open_path(grove, "models.tsv");
    assert_int_equal(ggufs_file_backing(file), -1);
    ggufs_file_close(file);
}

/* What the second shard is needed for cannot be opened when that was rewritten; all else can. */
static void test_changed_shard(void **state)
{
    static const struct {
        const char *path;
        int r;
    } rows[] = {
        {"info.json", 0},        {"metadata/split.no", 0},       {"tensors/w0", 0},
        {"npy/w0.npy", 0},       {"tensors/w1", -ESTALE},        {"npy/w1.npy", -ESTALE},
        {"model.gguf", -ESTALE}, {"model.safetensors", -ESTALE}, {"SHA256SUMS", -ESTALE},
    };
    struct grove *grove = *state;
    struct build build;
    grove_open(grove, "s/s-00001-of-00002.gguf");
    build_init(&build, 3, false);
    build_tensor(&build, "other", 0, 1, (uint64_t[]){5000});
    assert_int_equal(
        build_write(&build, layout_path(&grove->layout, "s/s-00002-of-00002.gguf")), 0);
    build_done(&build);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int r = try_open(grove, grove_node(grove, rows[i].path));
        if (r != rows[i].r)
            fail_msg("%s: %d", rows[i].path, r);
    }
}

/* The table is of the moment when it was opened. */
static void test_table_stays(void **state)
{
    struct grove *grove = *state;
    uint64_t before, after;
    grove_open(grove, "m");
    struct ggufs_file *file = open_path(grove, "models.tsv");
    assert_int_equal(ggufs_file_size(file, &before), 0);
    grove_model(grove, "m/b.gguf", "gemma", 1);
    grove_wait(grove);
    struct ggufs_file *other = open_path(grove, "models.tsv");
    assert_int_equal(ggufs_file_size(other, &after), 0);
    assert_true(after > before);
    assert_int_equal(ggufs_file_size(file, &after), 0);
    assert_int_equal(after, before);
    ggufs_file_close(other);
    ggufs_file_close(file);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_directories), TEST(test_gather),        TEST(test_stopped),
        TEST(test_backing),     TEST(test_changed_shard), TEST(test_table_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
