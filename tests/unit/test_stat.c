/* SPDX-License-Identifier: MIT */
/* What stat says: the model's owner, times and read bits; sizes and blocks; links. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "support/opened.h"

static void open_small(struct opened *opened)
{
    struct build build;

    build_init(&build, 3, false);
    build_key_str(&build, "general.architecture", "llama");
    build_key_str(&build, "tokenizer.chat_template", "{{ a }}");
    build_key_strings(&build, "tokenizer.ggml.tokens", 2, (const char *[]){"<s>", "a"});
    build_tensor(&build, "w", 0, 2, (uint64_t[]){129, 1});
    build_tensor(&build, "empty", 0, 1, (uint64_t[]){0});
    opened_build(opened, &build, NULL);
}

static struct stat stat_of(const struct opened *opened, const char *path)
{
    struct stat st;

    assert_int_equal(tree_stat(opened->tree, opened_node(opened, path), 4711, true, &st),
                     0);
    return st;
}

static void test_sizes(void **state)
{
    static const struct {
        const char *path;
        off_t size;
        blkcnt_t blocks;
    } rows[] = {
        {"chat_template.jinja", 7, 1},
        {"metadata/general.architecture", 6, 1},
        {"metadata/tokenizer.ggml.tokens", 10, 1},
        {"tensors/w", 516, 2},
        {"tensors/empty", 0, 0},
        {"npy/w.npy", 128 + 516, 2},
        {"npy/empty.npy", 128, 1},
        {"tensors.tsv", 33 + 20 + 16, 1},
    };
    struct opened opened;
    (void)state;
    open_small(&opened);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stat st = stat_of(&opened, rows[i].path);
        if (st.st_size != rows[i].size || st.st_blocks != rows[i].blocks)
            fail_msg("%s: %jd bytes, %jd blocks", rows[i].path, (intmax_t)st.st_size,
                     (intmax_t)st.st_blocks);
        assert_int_equal(st.st_ino, 4711);
        assert_int_equal(st.st_nlink, 1);
        assert_int_equal(st.st_mode & S_IFMT, S_IFREG);
        assert_int_equal(st.st_blksize, 1 << 20);
    }
    opened_close(&opened);
}

/* What stat says is what a read gives. */
static void test_sizes_are_true(void **state)
{
    static const char *const paths[] = {
        "info.json",         "tensors.tsv",         "model.gguf",
        "model.safetensors", "SHA256SUMS",          "metadata/general.architecture",
        "npy/w.npy",         "chat_template.jinja",
    };
    struct opened opened;
    (void)state;
    open_small(&opened);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        size_t size;
        struct stat st = stat_of(&opened, paths[i]);
        free(opened_read(&opened, paths[i], &size));
        assert_int_equal(st.st_size, size);
    }
    opened_close(&opened);
}

static void test_directories(void **state)
{
    static const struct {
        const char *path;
        nlink_t links;
        off_t entries;
    } rows[] = {{"", 5, 9}, {"metadata", 2, 3}, {"tensors", 2, 2}, {"npy", 2, 2}};
    struct opened opened;
    (void)state;
    open_small(&opened);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stat st = stat_of(&opened, rows[i].path);
        assert_int_equal(st.st_mode & S_IFMT, S_IFDIR);
        assert_int_equal(st.st_nlink, rows[i].links);
        assert_int_equal(st.st_size, rows[i].entries);
        assert_int_equal(st.st_blocks, 0);
    }
    opened_close(&opened);
}

static void test_modes(void **state)
{
    static const struct {
        mode_t model, file, directory;
    } rows[] = {
        {0644, 0444, 0555}, {0600, 0400, 0500}, {0640, 0440, 0550},
        {0777, 0444, 0555}, {0004, 0004, 0005}, {0311, 0000, 0000},
    };
    struct opened opened;
    (void)state;
    open_small(&opened);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        opened.model->stat.st_mode = S_IFREG | rows[i].model;
        assert_int_equal(stat_of(&opened, "tensors/w").st_mode, S_IFREG | rows[i].file);
        assert_int_equal(stat_of(&opened, "info.json").st_mode, S_IFREG | rows[i].file);
        assert_int_equal(stat_of(&opened, "").st_mode, S_IFDIR | rows[i].directory);
        assert_int_equal(stat_of(&opened, "npy").st_mode, S_IFDIR | rows[i].directory);
    }
    opened_close(&opened);
}

static void test_owner_and_times(void **state)
{
    struct opened opened;
    (void)state;
    open_small(&opened);
    opened.model->stat.st_uid = 12;
    opened.model->stat.st_gid = 34;
    opened.model->stat.st_mtim = (struct timespec){1000000000, 5};
    opened.model->stat.st_ctim = (struct timespec){1000000001, 6};
    opened.model->stat.st_atim = (struct timespec){1000000002, 7};
    for (int i = 0; i < 2; i++) {
        struct stat st = stat_of(&opened, i ? "tensors/w" : "metadata");
        assert_int_equal(st.st_uid, 12);
        assert_int_equal(st.st_gid, 34);
        assert_int_equal(st.st_mtim.tv_sec, 1000000000);
        assert_int_equal(st.st_mtim.tv_nsec, 5);
        assert_memory_equal(&st.st_ctim, &st.st_mtim, sizeof(st.st_mtim));
        assert_memory_equal(&st.st_atim, &st.st_mtim, sizeof(st.st_mtim));
    }
    opened_close(&opened);
}

/* Nothing is measured where nobody asked for it, and what was measured is known then. */
static void test_without_measuring(void **state)
{
    static const struct {
        const char *path;
        int rc;
    } rows[] = {
        {"", 0},
        {"metadata", 0},
        {"info.json", -EAGAIN},
        {"tensors.tsv", -EAGAIN},
        {"chat_template.jinja", 0},
        {"metadata/general.architecture", 0},
        {"metadata/tokenizer.ggml.tokens", -EAGAIN},
        {"tensors/w", 0},
        {"npy/w.npy", 0},
    };
    struct opened opened;
    struct stat st;
    (void)state;
    open_small(&opened);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t node = opened_node(&opened, rows[i].path);
        assert_int_equal(tree_stat(opened.tree, node, 1, false, &st), rows[i].rc);
        assert_int_equal(tree_stat(opened.tree, node, 1, true, &st), 0);
        off_t size = st.st_size;
        assert_int_equal(tree_stat(opened.tree, node, 1, false, &st), 0);
        assert_int_equal(st.st_size, size);
    }
    assert_int_equal(tree_stat(opened.tree, tree_count(opened.tree), 1, true, &st),
                     -ENOENT);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_sizes_are_true),
        cmocka_unit_test(test_directories),     cmocka_unit_test(test_modes),
        cmocka_unit_test(test_owner_and_times), cmocka_unit_test(test_without_measuring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
