/* SPDX-License-Identifier: MIT */
/* src/forest/nodes.c: the public tree over one model and over several: every way from a node
 * to another, and that numbers do not depend on who asked what first. */

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

#include "support/grove.h"

static int setup(void **state)
{
    struct grove *grove = calloc(1, sizeof(*grove));
    grove_new(grove);
    grove_model(grove, "models/a.gguf", "llama", 4);
    grove_model(grove, "models/b.gguf", "gemma", 8);
    *state = grove;
    return 0;
}

static int teardown(void **state)
{
    grove_free(*state);
    free(*state);
    return 0;
}

/* -- a walk over all of it -- */

struct walk {
    struct ggufs_tree *tree;
    uint64_t dir;
    const char *path;
    FILE *out; /* a line a node: number, path */
};

static void walk(struct ggufs_tree *tree, uint64_t dir, const char *path, FILE *out);

static int visit(void *data, const struct ggufs_entry *entry)
{
    const struct walk *at = data;
    char path[600];
    uint64_t node;
    struct stat st, known;
    snprintf(path, sizeof(path), "%s/%s", at->path, entry->name);
    fprintf(at->out, "%ju %s\n", (uintmax_t)entry->node, path);
    assert_int_equal(ggufs_tree_lookup(at->tree, at->dir, entry->name, &node), 0);
    assert_int_equal(node, entry->node);
    assert_int_equal(ggufs_tree_resolve(at->tree, path, &node), 0);
    assert_int_equal(node, entry->node);
    assert_int_equal(ggufs_tree_parent(at->tree, entry->node, &node), 0);
    assert_int_equal(node, at->dir);
    int r = ggufs_tree_stat_known(at->tree, entry->node, &known);
    assert_int_equal(ggufs_tree_stat(at->tree, entry->node, &st), 0);
    assert_int_equal(st.st_ino, entry->node);
    assert_int_equal(st.st_mode & S_IFMT, entry->type);
    if (r != -EAGAIN)
        assert_memory_equal(&st, &known, sizeof(st));
    assert_int_equal(ggufs_tree_stat_known(at->tree, entry->node, &known), 0);
    assert_memory_equal(&st, &known, sizeof(st));
    if (entry->type == S_IFDIR)
        walk(at->tree, entry->node, path, at->out);
    else
        assert_int_equal(ggufs_tree_list(at->tree, entry->node, 0, visit, data),
                         -ENOTDIR);
    return 0;
}

static void walk(struct ggufs_tree *tree, uint64_t dir, const char *path, FILE *out)
{
    struct walk at = {tree, dir, path, out};
    assert_int_equal(ggufs_tree_list(tree, dir, 0, visit, &at), 0);
}

static char *walk_all(struct grove *grove)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    walk(grove->tree, GGUFS_ROOT, "", out);
    fclose(out);
    return text;
}

static void test_one(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "models/a.gguf");
    assert_non_null(ggufs_tree_model(grove->tree));
    assert_null(ggufs_tree_folder(grove->tree, 0));
    assert_string_equal(ggufs_tree_name(grove->tree), "a");
    char *first = walk_all(grove);
    assert_string_equal(first, "2 /info.json\n"
                               "3 /tensors.tsv\n"
                               "4 /metadata\n"
                               "10 /metadata/general.architecture\n"
                               "5 /tensors\n"
                               "11 /tensors/w\n"
                               "6 /npy\n"
                               "12 /npy/w.npy\n"
                               "7 /model.gguf\n"
                               "8 /model.safetensors\n"
                               "9 /SHA256SUMS\n");
    grove_open(grove, "models/a.gguf");
    grove_node(grove, "npy/w.npy");
    char *second = walk_all(grove);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* What says that it is the whole model is there for a whole one only. */
static void test_partial(void **state)
{
    struct grove *grove = *state;
    uint64_t node;
    for (uint32_t i = 1; i <= 3; i++) {
        char path[64];
        snprintf(path, sizeof(path), "set/m-0000%u-of-00003.gguf", i);
        grove_shard(grove, path, i - 1, 3);
    }
    grove->options.partial = true;
    grove_open(grove, "set/m-00001-of-00003.gguf");
    char *whole = grove_list(grove, "");
    assert_string_equal(whole, "info.json tensors.tsv metadata tensors npy model.gguf "
                               "model.safetensors SHA256SUMS ");
    free(whole);
    assert_int_equal(unlink(layout_path(&grove->layout, "set/m-00002-of-00003.gguf")), 0);
    grove_open(grove, "set/m-00001-of-00003.gguf");
    char *part = walk_all(grove);
    assert_string_equal(part, "2 /info.json\n"
                              "3 /tensors.tsv\n"
                              "4 /metadata\n"
                              "8 /metadata/split.no\n"
                              "9 /metadata/split.count\n"
                              "10 /metadata/split.tensors.count\n"
                              "5 /tensors\n"
                              "11 /tensors/w0\n"
                              "12 /tensors/w2\n"
                              "6 /npy\n"
                              "13 /npy/w0.npy\n"
                              "14 /npy/w2.npy\n"
                              "7 /SHA256SUMS\n");
    free(part);
    assert_int_equal(ggufs_tree_resolve(grove->tree, "model.gguf", &node), -ENOENT);
}

static void test_many(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "models");
    assert_null(ggufs_tree_model(grove->tree));
    assert_string_equal(ggufs_tree_name(grove->tree), "models");
    assert_string_equal(ggufs_tree_folder(grove->tree, 0),
                        layout_path(&grove->layout, "models"));
    char *first = walk_all(grove);
    assert_non_null(strstr(first, "2 /models.tsv\n4294967297 /a\n"));
    assert_non_null(strstr(first, "\n8589934593 /b\n"));
    assert_non_null(strstr(first, "\n8589934603 /b/tensors/w\n"));
    grove_open(grove, "models");
    grove_node(grove, "b/tensors/w"); /* before a */
    char *second = walk_all(grove);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* -- what is not there -- */

static void test_missing(void **state)
{
    static const struct {
        const char *model, *path;
        int r;
    } rows[] = {
        {"models/a.gguf", "", 0},
        {"models/a.gguf", "/", 0},
        {"models/a.gguf", "//tensors/./w/", 0},
        {"models/a.gguf", ".", 0},
        {"models/a.gguf", "nothing", -ENOENT},
        {"models/a.gguf", "..", -ENOENT},
        {"models/a.gguf", "tensors/w/x", -ENOTDIR},
        {"models/a.gguf", "models.tsv", -ENOENT},
        {"models", "models.tsv", 0},
        {"models", "models.tsv/x", -ENOTDIR},
        {"models", "a/metadata", 0},
        {"models", "a/nothing", -ENOENT},
        {"models", "c", -ENOENT},
        {"models", "", 0},
    };
    struct grove *grove = *state;
    uint64_t node;
    char name[400];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        grove_open(grove, rows[i].model);
        if (ggufs_tree_resolve(grove->tree, rows[i].path, &node) != rows[i].r)
            fail_msg("%s in %s", rows[i].path, rows[i].model);
    }
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(ggufs_tree_resolve(grove->tree, name, &node), -ENAMETOOLONG);
}

static int count_entry(void *data, const struct ggufs_entry *entry)
{
    (void)entry;
    ++*(int *)data;
    return 0;
}

static void check_no_node(struct ggufs_tree *tree, uint64_t number)
{
    struct stat st;
    struct ggufs_file *file;
    uint64_t node;
    int n = 0;
    assert_int_equal(ggufs_tree_stat(tree, number, &st), -ENOENT);
    assert_int_equal(ggufs_tree_stat_known(tree, number, &st), -ENOENT);
    assert_true(ggufs_tree_lookup(tree, number, "x", &node) < 0);
    assert_true(ggufs_tree_list(tree, number, 0, count_entry, &n) < 0);
    assert_true(ggufs_tree_getxattr(tree, number, "user.gguf.name", NULL, 0) < 0);
    assert_int_equal(ggufs_file_open(tree, number, &file), -ENOENT);
    assert_int_equal(n, 0);
}

static void test_wrong_numbers(void **state)
{
    static const uint64_t numbers[] = {0, 13, (uint64_t)1 << 32, UINT64_MAX};
    static const uint64_t of_many[] = {
        0,         3, (uint64_t)3 << 32 | 1, (uint64_t)9 << 32, ((uint64_t)1 << 32) + 13,
        UINT64_MAX};
    struct grove *grove = *state;
    grove_open(grove, "models/a.gguf");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        check_no_node(grove->tree, numbers[i]);
    grove_open(grove, "models");
    for (size_t i = 0; i < sizeof(of_many) / sizeof(of_many[0]); i++)
        check_no_node(grove->tree, of_many[i]);
}

/* -- positions -- */

struct stop {
    unsigned left;
    char names[400];
    uint64_t next;
};

static int stop_after(void *data, const struct ggufs_entry *entry)
{
    struct stop *stop = data;
    snprintf(stop->names + strlen(stop->names), 100, "%s ", entry->name);
    stop->next = entry->next;
    return --stop->left == 0 ? 77 : 0;
}

/* However a listing is cut into pieces, it is the same. */
static void check_positions(struct grove *grove, const char *path)
{
    char *all = grove_list(grove, path);
    uint64_t node = grove_node(grove, path);
    for (unsigned piece = 1; piece < 5; piece++) {
        struct stop stop = {.left = piece};
        int r;
        while ((r = ggufs_tree_list(grove->tree, node, stop.next, stop_after, &stop)) ==
               77)
            stop.left = piece;
        assert_int_equal(r, 0);
        assert_string_equal(stop.names, all);
    }
    struct stop beyond = {.left = 1};
    assert_int_equal(ggufs_tree_list(grove->tree, node, 1000000, stop_after, &beyond), 0);
    assert_string_equal(beyond.names, "");
    free(all);
}

static void test_positions(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "models/a.gguf");
    check_positions(grove, "");
    check_positions(grove, "tensors");
    grove_open(grove, "models");
    check_positions(grove, "");
    check_positions(grove, "b");
}

/* -- the rest -- */

static void test_xattrs(void **state)
{
    struct grove *grove = *state;
    char value[64], names[400];
    grove_open(grove, "models");
    uint64_t node = grove_node(grove, "b");
    ssize_t n = ggufs_tree_getxattr(grove->tree, node, "user.gguf.architecture", value,
                                    sizeof(value));
    assert_int_equal(n, 5);
    assert_memory_equal(value, "gemma", 5);
    assert_int_equal(
        ggufs_tree_getxattr(grove->tree, node, "user.gguf.architecture", NULL, 0), 5);
    assert_int_equal(
        ggufs_tree_getxattr(grove->tree, node, "user.gguf.architecture", value, 4),
        -ERANGE);
    assert_int_equal(ggufs_tree_getxattr(grove->tree, node, "user.x", value, 64),
                     -ENODATA);
    n = ggufs_tree_listxattr(grove->tree, grove_node(grove, "b/tensors/w"), names,
                             sizeof(names));
    assert_true(n > 0);
    assert_int_equal(names[n - 1], '\0');
    assert_int_equal(ggufs_tree_listxattr(grove->tree, GGUFS_ROOT, names, 400), 0);
    assert_int_equal(ggufs_tree_getxattr(grove->tree, GGUFS_ROOT, "user.x", value, 64),
                     -ENODATA);
}

/* Of many, what is known so far. */
static void test_statfs(void **state)
{
    struct grove *grove = *state;
    struct statvfs st;
    struct stat file;
    grove_open(grove, "models/a.gguf");
    assert_int_equal(ggufs_tree_statfs(grove->tree, &st), 0);
    assert_int_equal(stat(layout_path(&grove->layout, "models/a.gguf"), &file), 0);
    assert_int_equal(st.f_blocks, (file.st_size + 4095) / 4096);
    assert_int_equal(st.f_bfree, 0);
    assert_int_equal(st.f_namemax, 255);
    assert_int_equal(st.f_files, 12);
    grove_open(grove, "models");
    assert_int_equal(ggufs_tree_statfs(grove->tree, &st), 0);
    assert_int_equal(st.f_blocks, 0);
    assert_int_equal(st.f_files, 2);
    grove_node(grove, "b/info.json");
    assert_int_equal(ggufs_tree_statfs(grove->tree, &st), 0);
    assert_int_equal(st.f_blocks, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one, setup, teardown),
        cmocka_unit_test_setup_teardown(test_partial, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_positions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_xattrs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_statfs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
