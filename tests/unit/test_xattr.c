/* SPDX-License-Identifier: MIT */
/* Extended attributes: which node has which, and what they say. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/types.h>

#include "support/opened.h"
#include "support/plan.h"

/* All attributes of a node as "name=value" lines, values as they are. */
static void check_all(const struct opened *opened, const char *path, const char *expected)
{
    char names[1024], value[1024], text[2048] = "";
    uint32_t node = opened_node(opened, path);
    ssize_t size = tree_listxattr(opened->tree, node, names, sizeof(names));

    assert_true(size >= 0);
    assert_int_equal(tree_listxattr(opened->tree, node, NULL, 0), size);
    for (const char *name = names; name < names + size; name += strlen(name) + 1) {
        ssize_t n = tree_getxattr(opened->tree, node, name, value, sizeof(value));
        assert_true(n >= 0);
        assert_int_equal(tree_getxattr(opened->tree, node, name, NULL, 0), n);
        assert_memory_equal(name, "user.gguf.", 10);
        sprintf(text + strlen(text), "%s=%.*s\n", name + 10, (int)n, value);
    }
    assert_string_equal(text, expected);
}

static void open_small(struct opened *opened)
{
    struct build build;

    build_init(&build, 3, true);
    build_key_str(&build, "general.architecture", "llama");
    build_alignment(&build, 64);
    build_key_strings(&build, "a/b", 2, (const char *[]){"<s>", "a"});
    build_key_str(&build, "tokenizer.chat_template", "{{ a }}");
    build_key(&build, "nested", GGUFS_ARR);
    build_array(&build, GGUFS_ARR, 1);
    build_array(&build, GGUFS_U8, 1);
    build_u8(&build, 7);
    build_tensor(&build, "w", 0, 2, (uint64_t[]){4, 3});
    build_tensor(&build, "w", 8, 1, (uint64_t[]){32});
    build_tensor(&build, "one", 0, 0, (uint64_t[]){0});
    opened_build(opened, &build, NULL);
}

static void test_each_kind(void **state)
{
    struct opened opened;
    char expected[512];
    struct ggufs_tensor tensor;
    (void)state;
    open_small(&opened);
    check_all(&opened, "",
              "version=3\nbyte_order=big\nalignment=64\narchitecture=llama\n");
    check_all(&opened, "info.json", "");
    check_all(&opened, "metadata", "");
    check_all(&opened, "metadata/general.architecture",
              "name=general.architecture\ntype=str\n");
    check_all(&opened, "metadata/a%2Fb", "name=a/b\ntype=arr[str]\ncount=2\n");
    check_all(&opened, "metadata/nested", "name=nested\ntype=arr[arr]\ncount=1\n");
    check_all(&opened, "chat_template.jinja", "name=tokenizer.chat_template\ntype=str\n");
    ggufs_model_tensor(opened.model, 1, &tensor);
    sprintf(expected, "name=w\ntype=Q8_0\ndimensions=32\nshape=32\noffset=%ju\nsize=34\n",
            (uintmax_t)tensor.offset);
    check_all(&opened, "tensors/w%2", expected);
    check_all(&opened, "npy/w%2.npy", expected);
    ggufs_model_tensor(opened.model, 0, &tensor);
    sprintf(expected,
            "name=w\ntype=F32\ndimensions=4x3\nshape=3x4\noffset=%ju\nsize=48\n",
            (uintmax_t)tensor.offset);
    check_all(&opened, "tensors/w", expected);
    ggufs_model_tensor(opened.model, 2, &tensor);
    sprintf(expected,
            "name=one\ntype=F32\ndimensions=scalar\nshape=scalar\noffset=%ju\nsize=4\n",
            (uintmax_t)tensor.offset);
    check_all(&opened, "tensors/one", expected);
    opened_close(&opened);
}

static void test_errors(void **state)
{
    struct opened opened;
    char buffer[8] = {0};
    (void)state;
    open_small(&opened);
    uint32_t node = opened_node(&opened, "metadata/a%2Fb");
    struct tree *tree = opened.tree;
    assert_int_equal(tree_getxattr(tree, node, "user.gguf.type", buffer, 7), -ERANGE);
    assert_int_equal(tree_getxattr(tree, node, "user.gguf.type", buffer, 8), 8);
    assert_memory_equal(buffer, "arr[str]", 8);
    assert_int_equal(tree_getxattr(tree, node, "user.gguf.shape", NULL, 0), -ENODATA);
    assert_int_equal(tree_getxattr(tree, node, "security.selinux", NULL, 0), -ENODATA);
    assert_int_equal(tree_getxattr(tree, node, "", NULL, 0), -ENODATA);
    assert_int_equal(tree_listxattr(tree, node, buffer, 8), -ERANGE);
    assert_int_equal(tree_getxattr(tree, tree_count(tree), "user.gguf.type", NULL, 0),
                     -ENOENT);
    assert_int_equal(tree_listxattr(tree, tree_count(tree), NULL, 0), -ENOENT);
    opened_close(&opened);
}

/* A name that no attribute can hold is not offered: tools give up where they meet one. */
static void test_values_too_long(void **state)
{
    struct build build;
    struct opened opened;
    char *name = malloc(65538);
    (void)state;
    memset(name, 'n', 65537);
    name[65537] = '\0';
    build_init(&build, 3, false);
    build_key_u32(&build, name, 1);
    build_key_u32(&build, name + 1, 1);
    build_key_str(&build, "general.architecture", name);
    opened_build(&opened, &build, NULL);
    free(name);
    uint32_t first;
    tree_children(opened.tree, opened_node(&opened, "metadata"), &first);
    assert_int_equal(tree_getxattr(opened.tree, first, "user.gguf.name", NULL, 0),
                     -ENODATA);
    assert_int_equal(tree_listxattr(opened.tree, first, NULL, 0),
                     sizeof("user.gguf.type"));
    assert_int_equal(tree_getxattr(opened.tree, first + 1, "user.gguf.name", NULL, 0),
                     65536);
    check_all(&opened, "", "version=3\nbyte_order=little\nalignment=32\n");
    opened_close(&opened);
}

/* An architecture that is no string is none. */
static void test_architecture(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 2, false);
    build_key_u32(&build, "general.architecture", 1);
    opened_build(&opened, &build, NULL);
    check_all(&opened, "", "version=2\nbyte_order=little\nalignment=32\n");
    opened_close(&opened);
}

static void test_shards(void **state)
{
    struct plan_set *set = plan_set_new();
    struct opened opened;
    char value[16];
    (void)state;
    plan_set_write(set);
    opened_file(&opened, plan_set_path(set, "m-00002-of-00003.gguf"), NULL);
    uint32_t node = opened_node(&opened, "tensors/d");
    assert_int_equal(tree_getxattr(opened.tree, node, "user.gguf.shard", value, 16), 1);
    assert_int_equal(value[0], '2');
    opened_close(&opened);
    plan_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_values_too_long), cmocka_unit_test(test_architecture),
        cmocka_unit_test(test_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
