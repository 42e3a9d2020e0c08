/* SPDX-License-Identifier: MIT */
/* The plan of the tree: what is in it, in which order, under which numbers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/opened.h"
#include "tree/layout.h"

/* All names of the tree by number, a line each. */
static void check_names(const struct opened *opened, const char *expected)
{
    char text[4096] = "", buffer[256];

    for (uint32_t i = 0; i < tree_count(opened->tree); i++) {
        uint32_t parent = tree_parent(opened->tree, i);
        if (parent != 0) {
            strcat(text, tree_name(opened->tree, parent, buffer));
            strcat(text, "/");
        }
        strcat(text, tree_name(opened->tree, i, buffer));
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
}

static void build_small(struct build *build)
{
    build_init(build, 3, false);
    build_key_str(build, "general.architecture", "llama");
    build_key_str(build, "tokenizer.chat_template", "{{ a }}");
    build_key_str(build, "tokenizer.chat_template.tool/use", "{{ b }}");
    build_tensor(build, "output.weight", 0, 1, (uint64_t[]){4});
    build_tensor(build, "a/b", 0, 1, (uint64_t[]){4});
}

static void test_order(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_small(&build);
    opened_build(&opened, &build, NULL);
    check_names(&opened, "\n"
                         "info.json\n"
                         "tensors.tsv\n"
                         "chat_template.jinja\n"
                         "chat_template.tool%2Fuse.jinja\n"
                         "metadata\n"
                         "tensors\n"
                         "npy\n"
                         "model.gguf\n"
                         "model.safetensors\n"
                         "SHA256SUMS\n"
                         "metadata/general.architecture\n"
                         "metadata/tokenizer.chat_template\n"
                         "metadata/tokenizer.chat_template.tool%2Fuse\n"
                         "tensors/output.weight\n"
                         "tensors/a%2Fb\n"
                         "npy/output.weight.npy\n"
                         "npy/a%2Fb.npy\n");
    opened_close(&opened);
}

static void test_no_views(void **state)
{
    struct ggufs_options options = {.no_views = true};
    struct build build;
    struct opened opened;
    (void)state;
    build_small(&build);
    opened_build(&opened, &build, &options);
    check_names(&opened, "\n"
                         "info.json\n"
                         "tensors.tsv\n"
                         "chat_template.jinja\n"
                         "chat_template.tool%2Fuse.jinja\n"
                         "metadata\n"
                         "tensors\n"
                         "model.gguf\n"
                         "metadata/general.architecture\n"
                         "metadata/tokenizer.chat_template\n"
                         "metadata/tokenizer.chat_template.tool%2Fuse\n"
                         "tensors/output.weight\n"
                         "tensors/a%2Fb\n");
    opened_close(&opened);
}

static void test_empty_model(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    opened_build(&opened, &build, NULL);
    check_names(&opened, "\ninfo.json\ntensors.tsv\nmetadata\ntensors\nnpy\nmodel.gguf\n"
                         "model.safetensors\nSHA256SUMS\n");
    opened_close(&opened);
}

static const struct {
    const char *key;
    const char *raw; /* NULL: no template */
} templates[] = {
    {"tokenizer.chat_template", "chat_template"},
    {"tokenizer.chat_template.tool_use", "chat_template.tool_use"},
    {"tokenizer.chat_template.", "chat_template."},
    {"tokenizer.chat_templates", NULL},
    {"tokenizer.chat_templat", NULL},
    {"x.tokenizer.chat_template", NULL},
    {"", NULL},
};

static void test_templates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++) {
        struct name key = {templates[i].key, strlen(templates[i].key)}, raw;
        bool is = layout_is_template(key, &raw);
        assert_int_equal(is, templates[i].raw != NULL);
        if (!is)
            continue;
        assert_int_equal(raw.length, strlen(templates[i].raw));
        assert_memory_equal(raw.bytes, templates[i].raw, raw.length);
    }
}

/* A key of that name which holds no string is no template; two of one name are two files. */
static void test_odd_templates(void **state)
{
    struct build build;
    struct opened opened;
    char buffer[256];
    (void)state;
    build_init(&build, 3, false);
    build_key_u32(&build, "tokenizer.chat_template.number", 7);
    build_key_str(&build, "tokenizer.chat_template", "one");
    build_key_str(&build, "tokenizer.chat_template", "two");
    opened_build(&opened, &build, NULL);
    assert_string_equal(tree_name(opened.tree, 3, buffer), "chat_template.jinja");
    assert_string_equal(tree_name(opened.tree, 4, buffer), "chat_template%2.jinja");
    assert_string_equal(tree_name(opened.tree, 5, buffer), "metadata");
    char *text = opened_read(&opened, "chat_template%2.jinja", NULL);
    assert_string_equal(text, "two");
    free(text);
    opened_close(&opened);
}

static void test_kinds(void **state)
{
    static const struct {
        const char *path;
        enum node_kind kind;
        uint32_t item;
    } rows[] = {
        {"", NODE_ROOT, 0},
        {"info.json", NODE_INFO, 0},
        {"tensors.tsv", NODE_TENSORS_TSV, 0},
        {"chat_template.jinja", NODE_TEMPLATE, 1},
        {"chat_template.tool%2Fuse.jinja", NODE_TEMPLATE, 2},
        {"metadata", NODE_METADATA, 0},
        {"metadata/tokenizer.chat_template", NODE_KEY, 1},
        {"tensors", NODE_TENSORS, 0},
        {"tensors/a%2Fb", NODE_TENSOR, 1},
        {"npy", NODE_NPY_DIRECTORY, 0},
        {"npy/a%2Fb.npy", NODE_NPY, 1},
        {"model.gguf", NODE_MODEL, 0},
        {"model.safetensors", NODE_SAFETENSORS, 0},
        {"SHA256SUMS", NODE_SUMS, 0},
    };
    struct build build;
    struct opened opened;
    (void)state;
    build_small(&build);
    opened_build(&opened, &build, NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t item;
        uint32_t node = opened_node(&opened, rows[i].path);
        assert_int_equal(tree_kind(opened.tree, node, &item), rows[i].kind);
        assert_int_equal(item, rows[i].item);
    }
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),         cmocka_unit_test(test_no_views),
        cmocka_unit_test(test_empty_model),   cmocka_unit_test(test_templates),
        cmocka_unit_test(test_odd_templates), cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
