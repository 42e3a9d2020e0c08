/* SPDX-License-Identifier: MIT */
/* tensors.tsv, line by line. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/opened.h"

#define HEADER "name\ttype\tshape\tn_elements\tbytes\n"

static void check_text(struct build *build, const char *expected)
{
    struct opened opened;

    opened_build(&opened, build, NULL);
    char *text = opened_read(&opened, "tensors.tsv", NULL);
    assert_string_equal(text, expected);
    free(text);
    opened_close(&opened);
}

static void test_none(void **state)
{
    struct build build;
    (void)state;
    build_init(&build, 3, false);
    check_text(&build, HEADER);
}

static void test_lines(void **state)
{
    struct build build;
    (void)state;
    build_init(&build, 3, false);
    build_tensor(&build, "token_embd.weight", 0, 2, (uint64_t[]){32, 10});
    build_tensor(&build, "a\tb", 12, 3, (uint64_t[]){256, 2, 3});
    build_tensor(&build, "a\tb", 1, 1, (uint64_t[]){5});
    build_tensor(&build, "one", 0, 0, (uint64_t[]){0});
    build_tensor(&build, "none", 0, 2, (uint64_t[]){0, 7});
    build_add(&build, &(struct build_tensor){.name = "new",
                                             .name_length = BUILD_AUTO,
                                             .type = 999,
                                             .n_dims = 1,
                                             .dims = {3},
                                             .offset = BUILD_AUTO,
                                             .size = 64});
    check_text(&build, HEADER "token_embd.weight\tF32\t10x32\t320\t1280\n"
                              "a%09b\tQ4_K\t3x2x256\t1536\t864\n"
                              "a%09b%2\tF16\t5\t5\t10\n"
                              "one\tF32\tscalar\t1\t4\n"
                              "none\tF32\t7x0\t0\t0\n"
                              "new\t999\t3\t3\t64\n");
}

/* More than a step writes, and read at odd places: each line once, in order. */
static void test_many(void **state)
{
    struct build build;
    struct opened opened;
    struct content *content;
    size_t size;
    char piece[1000];
    (void)state;
    build_init(&build, 3, false);
    for (int i = 0; i < 5000; i++) {
        char name[32];
        sprintf(name, "blk.%d.weight", i);
        build_tensor(&build, name, 24, 1, (uint64_t[]){1});
    }
    opened_build(&opened, &build, NULL);
    char *text = opened_read(&opened, "tensors.tsv", &size), *line = text;
    line += strlen(HEADER);
    for (int i = 0; i < 5000; i++) {
        char expected[64];
        int n = sprintf(expected, "blk.%d.weight\tI8\t1\t1\t1\n", i);
        assert_memory_equal(line, expected, n);
        line += n;
    }
    assert_ptr_equal(line, text + size);
    assert_int_equal(
        tree_content(opened.tree, opened_node(&opened, "tensors.tsv"), &content), 0);
    for (size_t at = 1; at + sizeof(piece) < size; at += 7919) {
        assert_int_equal(content_read(content, NULL, at, piece, sizeof(piece)),
                         sizeof(piece));
        assert_memory_equal(piece, text + at, sizeof(piece));
    }
    free(text);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
