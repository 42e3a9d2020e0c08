/* SPDX-License-Identifier: MIT */
/* The table of nodes: every way from a node to another leads back; contents are made once. */

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

#include "support/opened.h"
#include "tree/names.h"
#include "tree/views.h"

/* Each node is found by its name in its parent, and stands among its children. */
static void check_ways(const struct tree *tree)
{
    uint32_t seen = 1; /* the root is nobody's child */

    for (uint32_t node = 1; node < tree_count(tree); node++) {
        char buffer[256];
        uint32_t first, found, parent = tree_parent(tree, node);
        uint32_t count = tree_children(tree, parent, &first);
        const char *name = tree_name(tree, node, buffer);

        assert_true(tree_is_directory(tree, parent));
        assert_true(node >= first && node - first < count);
        if (tree_lookup(tree, parent, name, &found) < 0 || found != node)
            fail_msg("node %u is not found as %s", node, name);
        if (strlen(name) > NAME_MAX_BYTES || strchr(name, '/'))
            fail_msg("node %u is called %s", node, name);
        if (node == first)
            seen += count;
    }
    assert_int_equal(seen, tree_count(tree));
}

static void build_odd(struct build *build)
{
    char long_name[300];

    build_init(build, 3, false);
    build_key_str(build, "general.architecture", "llama");
    build_key_u32(build, "twice", 1);
    build_key_u32(build, "twice", 2);
    build_key_u32(build, "", 3);
    build_key_u32(build, "..", 4);
    memset(long_name, 'k', 299);
    long_name[299] = '\0';
    build_key_u32(build, long_name, 5);
    build_tensor(build, "w", 0, 1, (uint64_t[]){3});
    build_tensor(build, "w", 0, 1, (uint64_t[]){4});
    build_tensor(build, "w%2", 0, 1, (uint64_t[]){5});
    build_tensor(build, ".", 0, 1, (uint64_t[]){6});
}

static void test_ways(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_odd(&build);
    opened_build(&opened, &build, NULL);
    check_ways(opened.tree);
    assert_int_equal(tree_parent(opened.tree, 0), 0);
    opened_close(&opened);
}

static void test_lookup(void **state)
{
    static const struct {
        const char *directory;
        const char *name;
        int rc;
    } rows[] = {
        {"", "info.json", 0},
        {"", "info", -ENOENT},
        {"", "", -ENOENT},
        {"", ".jinja", -ENOENT},
        {"", "w", -ENOENT},
        {"metadata", "twice%2", 0},
        {"metadata", "twice%3", -ENOENT},
        {"metadata", "%", 0},
        {"metadata", "%2E.", 0},
        {"metadata", "..", -ENOENT},
        {"tensors", "w", 0},
        {"tensors", "w%2", 0},
        {"tensors", "w%252", 0},
        {"tensors", "w.npy", -ENOENT},
        {"npy", "w.npy", 0},
        {"npy", "w%2.npy", 0},
        {"npy", "%2E.npy", 0},
        {"npy", "w", -ENOENT},
        {"npy", ".npy", -ENOENT},
        {"info.json", "x", -ENOTDIR},
    };
    struct build build;
    struct opened opened;
    uint32_t node;
    (void)state;
    build_odd(&build);
    opened_build(&opened, &build, NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t dir = opened_node(&opened, rows[i].directory);
        if (tree_lookup(opened.tree, dir, rows[i].name, &node) != rows[i].rc)
            fail_msg("%s/%s", rows[i].directory, rows[i].name);
    }
    assert_int_equal(tree_lookup(opened.tree, tree_count(opened.tree), "x", &node),
                     -ENOENT);
    opened_close(&opened);
}

static void check_text(const struct opened *opened, const char *path,
                       const char *expected)
{
    char *text = opened_read(opened, path, NULL);

    assert_string_equal(text, expected);
    free(text);
}

static void test_contents(void **state)
{
    struct build build;
    struct opened opened;
    size_t size;
    (void)state;
    build_odd(&build);
    opened_build(&opened, &build, NULL);
    check_text(&opened, "metadata/general.architecture", "llama\n");
    check_text(&opened, "metadata/twice", "1\n");
    check_text(&opened, "metadata/twice%2", "2\n");
    char *bytes = opened_read(&opened, "tensors/w%2", &size);
    assert_int_equal(size, 16);
    for (size_t i = 0; i < size; i++)
        assert_int_equal((uint8_t)bytes[i], build_data_byte(1, i));
    free(bytes);
    bytes = opened_read(&opened, "npy/w%2.npy", &size);
    assert_int_equal(size, 128 + 16);
    assert_memory_equal(bytes, "\x93NUMPY", 6);
    free(bytes);
    struct content *content;
    assert_int_equal(tree_content(opened.tree, 0, &content), -EISDIR);
    assert_int_equal(tree_content(opened.tree, tree_count(opened.tree), &content),
                     -ENOENT);
    opened_close(&opened);
}

/* -- a name in tensors/ that leaves no room for .npy -- */

static void test_npy_of_long_names(void **state)
{
    struct build build;
    struct opened opened;
    char name[256], npy[256], buffer[256];
    uint32_t node;
    (void)state;
    build_init(&build, 3, false);
    memset(name, 'n', 252);
    name[252] = '\0';
    build_tensor(&build, name, 0, 1, (uint64_t[]){3});
    build_tensor(&build, "short", 0, 1, (uint64_t[]){3});
    name[251] = '\0';
    build_tensor(&build, name, 0, 1, (uint64_t[]){3});
    opened_build(&opened, &build, NULL);
    check_ways(opened.tree);
    assert_int_equal(
        tree_lookup(opened.tree, opened_node(&opened, "npy"), "short.npy", &node), 0);
    /* 252 bytes stand in tensors/ as they are, in npy/ they are cut; 251 are not */
    assert_string_equal(tree_tensor_name(opened.tree, 2, buffer), name);
    strcat(name, "n");
    assert_string_equal(tree_tensor_name(opened.tree, 0, buffer), name);
    name_escape(name, 252, npy, 251);
    strcat(npy, ".npy");
    assert_string_equal(tree_name(opened.tree, node - 1, buffer), npy);
    name[251] = '\0';
    snprintf(npy, sizeof(npy), "%s.npy", name);
    assert_string_equal(tree_name(opened.tree, node + 1, buffer), npy);
    opened_close(&opened);
}

/* -- many -- */

#define MANY 1000000

static void test_a_million_of_one_name(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    for (int i = 0; i < MANY; i++)
        build_add(&build, &(struct build_tensor){.name = "same",
                                                 .name_length = BUILD_AUTO,
                                                 .n_dims = 1,
                                                 .dims = {0}});
    opened_build(&opened, &build, NULL);
    uint32_t npy = opened_node(&opened, "npy"), node;
    char buffer[256];
    assert_int_equal(tree_lookup(opened.tree, npy, "same%1000000.npy", &node), 0);
    assert_int_equal(node, tree_count(opened.tree) - 1);
    assert_int_equal(tree_lookup(opened.tree, npy, "same%1000001.npy", &node), -ENOENT);
    assert_string_equal(tree_tensor_name(opened.tree, 1, buffer), "same%2");
    opened_close(&opened);
}

/* -- threads -- */

struct asker {
    struct tree *tree;
    pthread_barrier_t *barrier;
    struct content *content[32];
};

static void *ask(void *data)
{
    struct asker *asker = data;

    pthread_barrier_wait(asker->barrier);
    for (uint32_t node = 0; node < 32 && node < tree_count(asker->tree); node++)
        tree_content(asker->tree, node, &asker->content[node]);
    return NULL;
}

static void test_one_content_for_all_threads(void **state)
{
    struct build build;
    struct opened opened;
    pthread_barrier_t barrier;
    struct asker askers[4] = {0};
    pthread_t threads[4];
    (void)state;
    build_odd(&build);
    opened_build(&opened, &build, NULL);
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 4; i++) {
        askers[i].tree = opened.tree;
        askers[i].barrier = &barrier;
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (uint32_t node = 0; node < tree_count(opened.tree) && node < 32; node++)
        for (int i = 1; i < 4; i++)
            assert_ptr_equal(askers[i].content[node], askers[0].content[node]);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_npy_of_long_names),
        cmocka_unit_test(test_a_million_of_one_name),
        cmocka_unit_test(test_one_content_for_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
