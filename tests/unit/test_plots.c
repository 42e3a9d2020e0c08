/* SPDX-License-Identifier: MIT */
/* src/forest/plots.c: how many models are open, and who keeps them so. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/grove.h"

#define MODELS 20

static void make_models(struct grove *grove, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char path[64], architecture[16];
        snprintf(path, sizeof(path), "m/%03u.gguf", i);
        snprintf(architecture, sizeof(architecture), "arch%u", i);
        grove_model(grove, path, architecture, 4);
    }
}

static int setup(void **state)
{
    struct grove *grove = calloc(1, sizeof(*grove));
    grove_new(grove);
    make_models(grove, MODELS);
    grove_open(grove, "m");
    *state = grove;
    return 0;
}

static int teardown(void **state)
{
    grove_free(*state);
    free(*state);
    return 0;
}

static uint64_t node_of(struct grove *grove, unsigned i, const char *below)
{
    char path[300];
    snprintf(path, sizeof(path), "%03u/%s", i, below);
    return grove_node(grove, path);
}

static bool is_open(struct grove *grove, unsigned i)
{
    return grove->tree->plots[i + 1]->tree != NULL;
}

/* Each is looked into; eight stay open, the last ones. */
static void test_least_recently_used(void **state)
{
    struct grove *grove = *state;
    for (unsigned i = 0; i < MODELS; i++) {
        node_of(grove, i, "info.json");
        assert_true(grove_descriptors(grove) <= PLOTS_OPEN_MAX);
    }
    assert_int_equal(grove_descriptors(grove), PLOTS_OPEN_MAX);
    for (unsigned i = 0; i < MODELS; i++)
        assert_int_equal(is_open(grove, i), i >= MODELS - PLOTS_OPEN_MAX);
    /* One that is used again stays while another goes. */
    node_of(grove, MODELS - PLOTS_OPEN_MAX, "info.json");
    node_of(grove, 0, "info.json");
    assert_true(is_open(grove, 0));
    assert_true(is_open(grove, MODELS - PLOTS_OPEN_MAX));
    assert_false(is_open(grove, MODELS - PLOTS_OPEN_MAX + 1));
    assert_int_equal(grove_descriptors(grove), PLOTS_OPEN_MAX);
}

/* Open files keep their models, as many as there are; the others stay few. */
static void test_pinned(void **state)
{
    struct grove *grove = *state;
    struct ggufs_file *files[12];
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(
            ggufs_file_open(grove->tree, node_of(grove, i, "tensors/w"), &files[i]), 0);
    for (unsigned i = 0; i < MODELS; i++)
        node_of(grove, i, "info.json");
    for (unsigned i = 0; i < 12; i++)
        assert_true(is_open(grove, i));
    assert_in_range(grove_descriptors(grove), 12, 12 + PLOTS_OPEN_MAX);
    for (unsigned i = 0; i < 12; i++) {
        char bytes[16];
        assert_int_equal(ggufs_file_read(files[i], 0, bytes, 16), 16);
        ggufs_file_close(files[i]);
    }
    assert_int_equal(grove_descriptors(grove), PLOTS_OPEN_MAX);
}

/* The same numbers, attributes and bytes when a model was closed and opened again. */
static void test_opened_again(void **state)
{
    struct grove *grove = *state;
    struct stat before, after;
    uint64_t node = node_of(grove, 3, "metadata/general.architecture");
    assert_int_equal(ggufs_tree_stat(grove->tree, node, &before), 0);
    char *text = grove_read(grove, "003/info.json");
    plots_close_idle(grove->tree, 0);
    assert_int_equal(grove_descriptors(grove), 0);
    assert_int_equal(grove->tree->n_open, 0);
    assert_int_equal(node_of(grove, 3, "metadata/general.architecture"), node);
    assert_int_equal(ggufs_tree_stat(grove->tree, node, &after), 0);
    assert_memory_equal(&before, &after, sizeof(before));
    char *again = grove_read(grove, "003/info.json");
    assert_string_equal(text, again);
    free(text);
    free(again);
}

/* -- several threads -- */

#define THREADS 6

struct user {
    pthread_t thread;
    struct grove *grove;
    unsigned number;
    const char *trouble;
};

static const char *use_one(struct ggufs_tree *tree, unsigned i)
{
    char path[100], expected[20], text[20];
    uint64_t node;
    struct ggufs_file *file;
    snprintf(path, sizeof(path), "%03u/metadata/general.architecture", i);
    snprintf(expected, sizeof(expected), "arch%u\n", i);
    if (ggufs_tree_resolve(tree, path, &node) < 0)
        return "resolve";
    if (ggufs_file_open(tree, node, &file) < 0)
        return "open";
    ssize_t length = ggufs_file_read(file, 0, text, sizeof(text));
    ggufs_file_close(file);
    return length == (ssize_t)strlen(expected) &&
                   memcmp(text, expected, (size_t)length) == 0
               ? NULL
               : "read";
}

static int count_entry(void *data, const struct ggufs_entry *entry)
{
    (void)entry;
    ++*(unsigned *)data;
    return 0;
}

static void *use_all(void *data)
{
    struct user *user = data;
    struct ggufs_tree *tree = user->grove->tree;
    for (unsigned round = 0; round < 4 && !user->trouble; round++) {
        for (unsigned i = 0; i < MODELS && !user->trouble; i++)
            user->trouble = use_one(tree, (i * 7 + user->number * 3) % MODELS);
        unsigned entries = 0;
        struct stat st;
        if (find_again(tree, true) < 0 ||
            ggufs_tree_list(tree, GGUFS_ROOT, 0, count_entry, &entries) < 0 ||
            ggufs_tree_stat(tree, number_of(0, TOP_MODELS_TSV), &st) < 0 ||
            entries != MODELS + 1)
            user->trouble = "list";
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct grove *grove = *state;
    struct user users[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        users[i] = (struct user){.grove = grove, .number = i};
        assert_int_equal(pthread_create(&users[i].thread, NULL, use_all, &users[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        if (users[i].trouble)
            fail_msg("%s", users[i].trouble);
    assert_int_equal(grove_descriptors(grove), PLOTS_OPEN_MAX);
    assert_int_equal(grove->tree->n_plots, MODELS + 1);
    for (uint32_t i = 1; i < grove->tree->n_plots; i++)
        assert_int_equal(grove->tree->plots[i]->pins, 0);
}

/* -- few descriptors -- */

#define MANY 500

/* In a process of its own, with room for 64 descriptors: each model is read, and as many are
 * kept open as go. Returns what went wrong. */
static const char *use_many(struct grove *grove)
{
    static struct ggufs_file *files[MANY];
    unsigned entries = 0, kept = 0;
    const char *model = layout_path(&grove->layout, "m");
    struct ggufs_tree *tree;
    if (ggufs_tree_open(&model, 1, NULL, &tree, NULL) < 0)
        return "open";
    if (ggufs_tree_list(tree, GGUFS_ROOT, 0, count_entry, &entries) < 0 ||
        entries != MANY + 1)
        return "list";
    for (unsigned i = 0; i < MANY; i++)
        if (use_one(tree, i))
            return use_one(tree, i);
    int taken[64], n = 0;
    while (n < 64 && (taken[n] = dup(STDERR_FILENO)) >= 0)
        n++;
    if (use_one(tree, 0))
        return "make room by closing what idles";
    while (n > 0)
        close(taken[--n]);
    for (; kept < MANY; kept++) {
        int r = ggufs_file_open(tree, number_of(kept + 1, 1), &files[kept]);
        if (r == -EMFILE)
            break;
        if (r < 0)
            return "open one more";
    }
    if (kept < 40 || kept > 64)
        return "keep open";
    while (kept > 0)
        ggufs_file_close(files[--kept]);
    for (unsigned i = 0; i < MANY; i++)
        if (use_one(tree, i))
            return "read when there is room again";
    ggufs_tree_close(tree);
    return NULL;
}

static void test_few_descriptors(void **state)
{
    struct grove *grove = *state;
    make_models(grove, MANY);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {64, 64};
        const char *trouble = setrlimit(RLIMIT_NOFILE, &limit) < 0 ? "setrlimit" : NULL;
        if (!trouble)
            trouble = use_many(grove);
        if (trouble)
            fprintf(stderr, "# cannot %s\n", trouble);
        _exit(trouble != NULL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_least_recently_used), TEST(test_pinned),
        TEST(test_opened_again),        TEST(test_threads),
        TEST(test_few_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
