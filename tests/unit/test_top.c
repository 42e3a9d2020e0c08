/* SPDX-License-Identifier: MIT */
/* src/forest/top.c, table.c and look.c: the directory of many models and models.tsv. */

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
#include <unistd.h>

#include "support/access_list.h"
#include "support/build.h"
#include "support/grove.h"

static int setup(void **state)
{
    struct grove *grove = calloc(1, sizeof(*grove));
    grove_new(grove);
    grove_model(grove, "m/good.gguf", "llama", 4);
    layout_file(&grove->layout, "m/bad.gguf", "no model at all");
    layout_link(&grove->layout, "m/gone.gguf", "nowhere");
    *state = grove;
    return 0;
}

static int teardown(void **state)
{
    grove_free(*state);
    free(*state);
    return 0;
}

#define HEADER "name\tpath\tarchitecture\tparameters\ttypes\tbytes\tstate\n"

static void expect(char *text, const char *expected)
{
    assert_string_equal(text, expected);
    free(text);
}

static size_t file_size(struct grove *grove, const char *path)
{
    struct stat st;
    assert_int_equal(stat(layout_path(&grove->layout, path), &st), 0);
    return (size_t)st.st_size;
}

/* The names that are shown; what is broken is in the table only, and told once. */
static void test_broken(void **state)
{
    struct grove *grove = *state;
    uint64_t node;
    char expected[1000];
    grove_open(grove, "m");
    assert_string_equal(grove->log, "m/gone.gguf: a link to nothing\n");
    expect(grove_list(grove, ""), "models.tsv good ");
    assert_int_equal(ggufs_tree_lookup(grove->tree, GGUFS_ROOT, "bad", &node), -ENOENT);
    assert_int_equal(ggufs_tree_lookup(grove->tree, GGUFS_ROOT, "gone", &node), -ENOENT);
    const char *said = strchr(grove->log, '\n') + 1;
    assert_memory_equal(said, "m/bad.gguf: ", 12);
    snprintf(expected, sizeof(expected),
             HEADER "bad\tm/bad.gguf\t\t\t\t\tskipped: %.*s\n"
                    "gone.gguf\tm/gone.gguf\t\t\t\t\tskipped: m/gone.gguf: a link to "
                    "nothing\n"
                    "good\tm/good.gguf\tllama\t4\tF32\t%zu\tok\n",
             (int)strcspn(said, "\n"), said, file_size(grove, "m/good.gguf"));
    expect(grove_read(grove, "models.tsv"), expected);
    assert_null(strchr(strchr(said, '\n') + 1, '\n'));
}

/* Types by their share of bytes; what a table cannot hold is escaped. */
static void test_columns(void **state)
{
    struct grove *grove = *state;
    struct build build;
    char expected[500];
    build_init(&build, 3, false);
    build_key_str(&build, "general.architecture", "a\tb");
    build_tensor(&build, "a", 24, 1, (uint64_t[]){10});
    build_tensor(&build, "b", 0, 1, (uint64_t[]){100});
    build_tensor(&build, "c", 8, 1, (uint64_t[]){64});
    build_tensor(&build, "d", 24, 1, (uint64_t[]){20});
    build_tensor(&build, "e", 99, 1, (uint64_t[]){1});
    layout_file(&grove->layout, "n/x\ty.gguf", "");
    assert_int_equal(build_write(&build, layout_path(&grove->layout, "n/x\ty.gguf")), 0);
    build_done(&build);
    build_init(&build, 3, false);
    assert_int_equal(build_write(&build, layout_path(&grove->layout, "n/empty.gguf")), 0);
    build_done(&build);
    grove_open(grove, "n");
    snprintf(expected, sizeof(expected),
             HEADER "empty\tn/empty.gguf\t\t0\t\t%zu\tok\n"
                    "x%%09y\tn/x\\x09y.gguf\ta\\x09b\t195\tF32,Q8_0,I8,99\t%zu\tok\n",
             file_size(grove, "n/empty.gguf"), file_size(grove, "n/x\ty.gguf"));
    expect(grove_read(grove, "models.tsv"), expected);
    expect(grove_list(grove, ""), "models.tsv empty x%09y ");
}

/* A model that is called so does not hide the table. */
static void test_table_name(void **state)
{
    struct grove *grove = *state;
    grove_model(grove, "k/models.tsv.gguf", "llama", 1);
    grove_open(grove, "k");
    expect(grove_list(grove, ""), "models.tsv models.tsv%2 ");
    assert_int_equal(grove_node(grove, "models.tsv"), number_of(0, TOP_MODELS_TSV));
    free(grove_read(grove, "models.tsv%2/info.json"));
}

static void test_stat(void **state)
{
    struct grove *grove = *state;
    struct stat root, table, directory;
    /* The newest is a broken one: the table speaks of it too. */
    const struct timespec times[2] = {{4102444800, 5}, {4102444800, 7}};
    const char *bad = layout_path(&grove->layout, "m/bad.gguf");
    assert_int_equal(utimensat(AT_FDCWD, bad, times, 0), 0);
    assert_int_equal(chmod(layout_path(&grove->layout, "m/good.gguf"), 0640), 0);
    grove_open(grove, "m");
    uint64_t node = number_of(0, TOP_MODELS_TSV);
    assert_int_equal(ggufs_tree_stat_known(grove->tree, node, &table), -EAGAIN);
    assert_int_equal(ggufs_tree_stat(grove->tree, node, &table), 0);
    char *text = grove_read(grove, "models.tsv");
    assert_true((size_t)table.st_size > strlen(text)); /* root/ is left out of text */
    free(text);
    assert_int_equal(ggufs_tree_stat_known(grove->tree, node, &directory), 0);
    assert_memory_equal(&table, &directory, sizeof(table));
    assert_int_equal(table.st_ino, 2);
    assert_int_equal(table.st_mode, S_IFREG | 0400);
    assert_int_equal(table.st_nlink, 1);
    assert_int_equal(ggufs_tree_stat(grove->tree, GGUFS_ROOT, &root), 0);
    assert_int_equal(root.st_ino, 1);
    assert_int_equal(root.st_mode, S_IFDIR | 0555);
    assert_int_equal(root.st_nlink, 3);
    assert_int_equal(root.st_mtim.tv_sec, 4102444800);
    assert_int_equal(root.st_mtim.tv_nsec, 7);
    assert_memory_equal(&table.st_mtim, &root.st_mtim, sizeof(root.st_mtim));
    assert_int_equal(ggufs_tree_stat(grove->tree, grove_node(grove, "good"), &directory),
                     0);
    assert_int_equal(directory.st_mode, S_IFDIR | 0550);
}

/* The mode of a file with an access control list is not the whole truth. */
static void test_access_list(void **state)
{
    struct grove *grove = *state;
    struct stat table, directory;
    const char *path = layout_path(&grove->layout, "m/good.gguf");
    if (!access_list_set(path))
        return;
    assert_int_equal(stat(path, &table), 0);
    assert_int_equal(table.st_mode & 0777, 0644);
    grove_open(grove, "m");
    uint64_t node = number_of(0, TOP_MODELS_TSV);
    /* Also before the model was looked at. */
    assert_int_equal(ggufs_tree_stat_known(grove->tree, node, &table), -EAGAIN);
    assert_int_equal(table.st_mode, S_IFREG | 0400);
    assert_int_equal(ggufs_tree_stat(grove->tree, node, &table), 0);
    assert_int_equal(table.st_mode, S_IFREG | 0400);
    assert_int_equal(ggufs_tree_stat(grove->tree, grove_node(grove, "good"), &directory),
                     0);
    assert_int_equal(directory.st_mode, S_IFDIR | 0500);
}

/* A model's directory is known when its model was closed again, without opening it. */
static void test_closed_directory(void **state)
{
    struct grove *grove = *state;
    struct stat open, closed;
    grove_open(grove, "m");
    uint64_t node = grove_node(grove, "good");
    assert_int_equal(ggufs_tree_stat(grove->tree, node, &open), 0);
    plots_close_idle(grove->tree, 0);
    assert_int_equal(grove_descriptors(grove), 0);
    assert_int_equal(ggufs_tree_stat_known(grove->tree, node, &closed), 0);
    assert_memory_equal(&open, &closed, sizeof(open));
    assert_int_equal(grove_descriptors(grove), 0);
}

/* Nothing was opened before somebody looked. */
static void test_lazy(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m");
    assert_int_equal(grove_descriptors(grove), 0);
    assert_int_equal(grove->tree->n_open, 0);
    grove_node(grove, "good");
    assert_int_equal(grove->tree->n_open, 1);
}

/* An empty directory of models is one, and so is one with only broken ones. */
static void test_empty(void **state)
{
    struct grove *grove = *state;
    layout_directory(&grove->layout, "e");
    grove_open(grove, "e");
    expect(grove_list(grove, ""), "models.tsv ");
    expect(grove_read(grove, "models.tsv"), HEADER);
}

/* What goes wrong for the moment hides nothing: the name is listed, and the table says so. */
static void test_passing_error(void **state)
{
    struct grove *grove = *state;
    char expected[300];
    uint64_t node;
    grove_open(grove, "m");
    /* As if the descriptors were out: the plot's file cannot be opened. */
    const char *path = layout_path(&grove->layout, "m/good.gguf");
    struct plot *plot = find_plot(grove->tree, "good");
    char *right = plot->path;
    plot->path = strdup("/proc/self/mem/x/good.gguf"); /* ENOTDIR */
    expect(grove_list(grove, ""), "models.tsv good ");
    snprintf(expected, sizeof(expected), "good\t%s\t\t\t\t\tunreadable at the moment\n",
             plot->path);
    char *table = grove_read(grove, "models.tsv");
    assert_non_null(strstr(table, expected));
    free(table);
    free(plot->path);
    plot->path = right;
    assert_string_equal(right, path);
    assert_int_equal(ggufs_tree_lookup(grove->tree, GGUFS_ROOT, "good", &node), 0);
    table = grove_read(grove, "models.tsv");
    assert_non_null(strstr(table, "\tok\n"));
    free(table);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_broken), TEST(test_columns),          TEST(test_table_name),
        TEST(test_stat),   TEST(test_closed_directory), TEST(test_lazy),
        TEST(test_empty),  TEST(test_passing_error),    TEST(test_access_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
