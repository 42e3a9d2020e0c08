/* SPDX-License-Identifier: MIT */
/* src/content/swapped.c: each value turned around, read anywhere. */

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

#include "content/values.h"
#include "support/opened.h"
#include "support/slices.h"

static void open_tensor(struct opened *opened, uint32_t type, uint64_t n)
{
    struct build build;
    build_init(&build, 3, true);
    build_tensor(&build, "w", type, 1, &n);
    opened_build(opened, &build, NULL);
}

static void check(uint32_t type, size_t width, uint64_t n, size_t from, size_t span)
{
    struct opened opened;
    open_tensor(&opened, type, n);
    uint8_t *expected = malloc(n * width);
    for (size_t i = 0; i < n * width; i++)
        expected[i] = build_data_byte(0, i / width * width + width - 1 - i % width);
    struct content *content = content_swapped(opened.model, 0, width);
    slices_whole(content, expected, n * width);
    slices_all(content, expected, from, span);
    content_free(content);
    free(expected);
    opened_close(&opened);
}

static void test_every_slice(void **state)
{
    (void)state;
    check(25, 2, 33, 0, 66);
    check(0, 4, 17, 0, 68);
    check(28, 8, 9, 0, 72);
}

/* Across the end of what is read at once. */
static void test_long(void **state)
{
    (void)state;
    check(25, 2, 10000, 8192 - 10, 20);
    check(28, 8, 3000, 8192 - 12, 24);
    check(0, 4, 5001, 5001 * 4 - 20, 20);
}

static void test_cut(void **state)
{
    struct opened opened;
    struct ggufs_tensor tensor;
    char path[300];
    char bytes[40];
    (void)state;
    open_tensor(&opened, 0, 10);
    ggufs_model_tensor(opened.model, 0, &tensor);
    snprintf(path, sizeof(path), "%s/model.gguf", opened.directory);
    assert_int_equal(truncate(path, (off_t)(tensor.offset + 18)), 0);
    struct content *content = content_swapped(opened.model, 0, 4);
    assert_int_equal(content_read(content, NULL, 0, bytes, 16), 16);
    assert_int_equal(content_read(content, NULL, 0, bytes, 17), -EIO);
    assert_int_equal(content_read(content, NULL, 20, bytes, 1), -EIO);
    content_free(content);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_slice),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
