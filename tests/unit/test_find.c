/* SPDX-License-Identifier: MIT */
/* src/forest/find.c: files that come, go and are replaced, and what several names mean. */

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
#include <sys/resource.h>
#include <unistd.h>

#include "support/grove.h"

static int setup(void **state)
{
    struct grove *grove = calloc(1, sizeof(*grove));
    grove_new(grove);
    grove_model(grove, "m/a.gguf", "llama", 4);
    grove_model(grove, "m/b.gguf", "gemma", 4);
    *state = grove;
    return 0;
}

static int teardown(void **state)
{
    grove_free(*state);
    free(*state);
    return 0;
}

static void expect_list(struct grove *grove, const char *expected)
{
    grove_wait(grove);
    char *text = grove_list(grove, "");
    assert_string_equal(text, expected);
    free(text);
}

static void remove_file(struct grove *grove, const char *path)
{
    assert_int_equal(unlink(layout_path(&grove->layout, path)), 0);
}

static void move_file(struct grove *grove, const char *from, const char *to)
{
    assert_int_equal(
        rename(layout_path(&grove->layout, from), layout_path(&grove->layout, to)), 0);
}

static void expect_architecture(struct grove *grove, const char *model,
                                const char *expected)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/metadata/general.architecture", model);
    char *text = grove_read(grove, path);
    assert_memory_equal(text, expected, strlen(expected));
    assert_string_equal(text + strlen(expected), "\n");
    free(text);
}

static void test_comes(void **state)
{
    struct grove *grove = *state;
    uint64_t node;
    grove_open(grove, "m");
    uint64_t a = grove_node(grove, "a"), b = grove_node(grove, "b");
    grove_model(grove, "m/aa.gguf", "llama", 4);
    expect_list(grove, "models.tsv a b aa ");
    assert_int_equal(grove_node(grove, "a"), a);
    assert_int_equal(grove_node(grove, "b"), b);
    assert_int_equal(grove_node(grove, "aa"), number_of(3, 0));
    /* By its name alone, too. */
    grove_model(grove, "m/c.gguf", "llama", 4);
    grove_wait(grove);
    assert_int_equal(ggufs_tree_lookup(grove->tree, GGUFS_ROOT, "c", &node), 0);
    assert_int_equal(node, number_of(4, 0));
}

static void test_goes(void **state)
{
    struct grove *grove = *state;
    struct ggufs_file *file;
    struct stat st;
    char bytes[16];
    grove_open(grove, "m");
    uint64_t a = grove_node(grove, "a");
    assert_int_equal(
        ggufs_file_open(grove->tree, grove_node(grove, "a/tensors/w"), &file), 0);
    remove_file(grove, "m/a.gguf");
    expect_list(grove, "models.tsv b ");
    /* Who has it open reads on. */
    assert_int_equal(ggufs_file_read(file, 0, bytes, sizeof(bytes)), sizeof(bytes));
    ggufs_file_close(file);
    plots_close_idle(grove->tree, 0);
    assert_int_equal(ggufs_tree_stat(grove->tree, a, &st), -ESTALE);
    assert_int_equal(ggufs_tree_stat(grove->tree, a + 1, &st), -ESTALE);
    assert_int_equal(ggufs_file_open(grove->tree, a + 1, &file), -ESTALE);
    char *table = grove_read(grove, "models.tsv");
    assert_null(strstr(table, "a.gguf"));
    free(table);
}

/* Noticed by who asks for the name, at once. */
static void test_vanished_name(void **state)
{
    struct grove *grove = *state;
    uint64_t node;
    grove_open(grove, "m");
    remove_file(grove, "m/a.gguf");
    assert_int_equal(ggufs_tree_lookup(grove->tree, GGUFS_ROOT, "a", &node), -ENOENT);
    expect_list(grove, "models.tsv b ");
}

/* Another file under the name: other numbers, so that nothing of the old one is mixed in. */
static void test_replaced(void **state)
{
    struct grove *grove = *state;
    struct stat st;
    grove_open(grove, "m");
    uint64_t old = grove_node(grove, "a/metadata"), b = grove_node(grove, "b");
    grove_model(grove, "new", "falcon", 9);
    move_file(grove, "new", "m/a.gguf");
    /* The number that was given is the old file's until nobody has it open. */
    assert_int_equal(ggufs_tree_stat(grove->tree, old, &st), 0);
    uint64_t new = grove_node(grove, "a/metadata");
    assert_int_equal(number_plot(new), 3);
    expect_architecture(grove, "a", "falcon");
    assert_int_equal(grove_node(grove, "b"), b);
    expect_list(grove, "models.tsv b a ");
    plots_close_idle(grove->tree, 0);
    assert_int_equal(ggufs_tree_stat(grove->tree, old, &st), -ESTALE);
}

/* The same inode, other bytes; nothing in the directory changed. */
static void test_rewritten(void **state)
{
    struct grove *grove = *state;
    struct ggufs_file *file;
    grove_open(grove, "m");
    uint64_t old = grove_node(grove, "a/metadata/general.architecture");
    grove_model(grove, "m/a.gguf", "falcon", 9);
    assert_int_equal(ggufs_file_open(grove->tree, old, &file), -ESTALE);
    expect_list(grove, "models.tsv b a ");
    expect_architecture(grove, "a", "falcon");
}

/* Rewritten while it was closed, and asked for by an old number before anybody looked at the
 * folders: never the new file under the old number. */
static void test_rewritten_while_closed(void **state)
{
    struct grove *grove = *state;
    struct stat st;
    grove_open(grove, "m");
    uint64_t old = grove_node(grove, "a/metadata");
    plots_close_idle(grove->tree, 0);
    grove_model(grove, "m/a.gguf", "falcon", 9);
    assert_int_equal(ggufs_tree_stat(grove->tree, old, &st), -ESTALE);
    expect_architecture(grove, "a", "falcon");
    assert_int_equal(number_plot(grove_node(grove, "a")), 3);
}

/* What was broken is looked at again when it changed, and the other way round. */
static void test_mended(void **state)
{
    struct grove *grove = *state;
    layout_file(&grove->layout, "m/c.gguf", "GGUF, perhaps");
    grove_open(grove, "m");
    expect_list(grove, "models.tsv a b ");
    grove_model(grove, "m/c.gguf", "llama", 1);
    expect_list(grove, "models.tsv a b c ");
    layout_file(&grove->layout, "m/c.gguf", "broken again");
    expect_list(grove, "models.tsv a b ");
    layout_link(&grove->layout, "m/d.gguf", "../d");
    expect_list(grove, "models.tsv a b ");
    grove_model(grove, "d", "llama", 1);
    expect_list(grove, "models.tsv a b d ");
}

/* A set whose second shard comes later, though its first did not change. */
static void test_set_grows(void **state)
{
    struct grove *grove = *state;
    grove_shard(grove, "m/s-00001-of-00002.gguf", 0, 2);
    grove_open(grove, "m");
    expect_list(grove, "models.tsv a b ");
    grove_shard(grove, "m/s-00002-of-00002.gguf", 1, 2);
    expect_list(grove, "models.tsv a b s ");
    free(grove_read(grove, "s/tensors/w1"));
}

/* The second shard of a set is another: noticed by who opens a file of it. */
static void test_set_rewritten(void **state)
{
    struct grove *grove = *state;
    struct ggufs_file *file;
    struct stat st;
    grove_shard(grove, "m/s-00001-of-00002.gguf", 0, 2);
    grove_shard(grove, "m/s-00002-of-00002.gguf", 1, 2);
    grove_open(grove, "m");
    uint64_t old = grove_node(grove, "s/tensors/w1");
    remove_file(grove, "m/s-00002-of-00002.gguf");
    grove_shard(grove, "m/s-00002-of-00002.gguf", 1, 2);
    plots_close_idle(grove->tree, 0);
    assert_int_equal(ggufs_tree_stat(grove->tree, old, &st), -ESTALE);
    assert_int_equal(
        ggufs_file_open(grove->tree, grove_node(grove, "s/tensors/w1"), &file), 0);
    ggufs_file_close(file);
    assert_int_not_equal(grove_node(grove, "s/tensors/w1"), old);
}

/* Without a change nothing is new, however often one looks. */
static void test_stays(void **state)
{
    struct grove *grove = *state;
    layout_file(&grove->layout, "m/bad.gguf", "x");
    layout_link(&grove->layout, "m/gone.gguf", "nowhere");
    grove_open(grove, "m");
    expect_list(grove, "models.tsv a b ");
    size_t said = strlen(grove->log);
    uint32_t n = grove->tree->n_plots;
    uint64_t generation = grove->tree->generation;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(find_again(grove->tree, true), 0);
        expect_list(grove, "models.tsv a b ");
    }
    assert_int_equal(grove->tree->n_plots, n);
    assert_int_equal(grove->tree->generation, generation);
    assert_int_equal(strlen(grove->log), said);
}

/* At most once a second, but for names that are known to be out of date. */
static void test_not_too_often(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m");
    grove->tree->found_at.tv_sec += 1000; /* the second does not pass while this runs */
    struct timespec at = grove->tree->found_at;
    assert_int_equal(find_again(grove->tree, true), 0);
    assert_true(grove->tree->found_at.tv_sec < at.tv_sec);
}

/* A model of the same name in another folder: told apart by folders, as in a new tree. */
static void test_clash(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m");
    grove_node(grove, "a");
    grove_model(grove, "m/sub/a.gguf", "falcon", 4);
    grove_wait(grove);
    char *later = grove_list(grove, "");
    char *table = grove_read(grove, "models.tsv");
    assert_non_null(strstr(table, "m/a.gguf"));
    assert_non_null(strstr(table, "m/sub/a.gguf"));
    struct grove fresh = {.layout = grove->layout, .options = grove->options};
    grove_open(&fresh, "m");
    char *anew = grove_list(&fresh, "");
    assert_int_equal(strlen(later), strlen(anew));
    assert_non_null(strstr(anew, " sub-a "));
    assert_non_null(strstr(later, " sub-a "));
    ggufs_tree_close(fresh.tree);
    free(later);
    free(anew);
    free(table);
}

/* -- several names of one file -- */

#define DIGEST "dde5aa3fc5ffc17176b5e8bdc82f587b24b2678c6c66101bf7da77af9f7ccdff"
#define MANIFEST                                                                         \
    "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","                \
    "\"digest\":\"sha256:" DIGEST "\"}]}"
#define LIBRARY "ollama/manifests/registry.ollama.ai/library/"

static void test_tags(void **state)
{
    struct grove *grove = *state;
    setenv("OLLAMA_MODELS", layout_path(&grove->layout, "ollama"), 1);
    grove_model(grove, "ollama/blobs/sha256-" DIGEST, "llama", 4);
    layout_file(&grove->layout, LIBRARY "m/latest", MANIFEST);
    layout_file(&grove->layout, LIBRARY "m/8b", MANIFEST);
    grove_open(grove, "ollama:");
    expect_list(grove, "models.tsv m:8b m:latest ");
    expect_architecture(grove, "m:8b", "llama");
    expect_architecture(grove, "m:latest", "llama");
    uint64_t node = grove_node(grove, "m:latest");
    layout_file(&grove->layout, LIBRARY "m/q4", MANIFEST);
    expect_list(grove, "models.tsv m:8b m:latest m:q4 ");
    remove_file(grove, LIBRARY "m/8b");
    expect_list(grove, "models.tsv m:latest m:q4 ");
    assert_int_equal(grove_node(grove, "m:latest"), node);
    unsetenv("OLLAMA_MODELS");
}

/* -- the folder itself -- */

static void test_folder_goes(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m");
    move_file(grove, "m", "elsewhere");
    expect_list(grove, "models.tsv ");
    move_file(grove, "elsewhere", "m");
    expect_list(grove, "models.tsv a b ");
}

/* Takes all descriptors that are left. */
static int take_all(int taken[64])
{
    int n = 0;
    while (n < 64 && (taken[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    assert_true(n < 64);
    return n;
}

/* Folders that cannot be read for the moment: what is known is shown. */
static void test_out_of_descriptors(void **state)
{
    struct grove *grove = *state;
    struct rlimit before, few;
    struct ggufs_file *file;
    int taken[64];
    grove_model(grove, "m/sub/c.gguf", "llama", 4);
    grove_open(grove, "m");
    expect_list(grove, "models.tsv a b c ");
    assert_int_equal(
        ggufs_file_open(grove->tree, grove_node(grove, "c/info.json"), &file), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){48, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    /* Models that idle make room. */
    int n = take_all(taken);
    assert_int_equal(find_again(grove->tree, true), 0);
    assert_int_equal(grove->tree->n_open, 1);
    while (n > 0)
        close(taken[--n]);
    n = take_all(taken);
    assert_int_equal(find_again(grove->tree, true), -EMFILE);
    grove_wait(grove);
    char *text = grove_list(grove, "");
    while (n > 0)
        close(taken[--n]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_string_equal(text, "models.tsv a b c ");
    free(text);
    ggufs_file_close(file);
    expect_list(grove, "models.tsv a b c ");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_comes),    TEST(test_goes),          TEST(test_vanished_name),
        TEST(test_replaced), TEST(test_rewritten),     TEST(test_rewritten_while_closed),
        TEST(test_mended),   TEST(test_set_grows),     TEST(test_set_rewritten),
        TEST(test_stays),    TEST(test_not_too_often), TEST(test_clash),
        TEST(test_tags),     TEST(test_folder_goes),   TEST(test_out_of_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
