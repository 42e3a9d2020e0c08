/* SPDX-License-Identifier: MIT */
/* The view model.gguf of files that are odd in themselves: padding that is not zeros, data cut
 * off, a model in one file; and what it is when it is opened again. */

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

#include "model/model.h"
#include "support/merge.h"
#include "tree/merged.h"
#include "tree/views.h"

/* What stands between the tensors of a shard is not taken along. */
static void test_padding_is_zeros(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_set_write(set);
    const char *path = plan_set_path(set, "m-00001-of-00003.gguf");
    struct ggufs_model *model = merge_open(path);
    struct ggufs_tensor tensor;
    ggufs_model_tensor(model, 0, &tensor);
    ggufs_model_close(model);
    FILE *file = fopen(path, "r+");
    fseek(file, (long)(tensor.offset + tensor.size), SEEK_SET);
    putc('!', file);
    fclose(file);
    model = merge_open(path);
    struct plan_bytes merged = merge(set);
    merge_expect(model, merged.bytes, merged.size);
    free(merged.bytes);
    ggufs_model_close(model);
    plan_set_free(set);
}

/* Opened again, the merged file is a model in one file with the same tensors. */
static void test_opens_again(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_set_write(set);
    struct ggufs_model *model = merge_open(plan_set_path(set, "m-00001-of-00003.gguf"));
    struct content *content;
    char bytes[8192];
    assert_int_equal(merged_content(model, &content), 0);
    ssize_t size = content_read(content, NULL, 0, bytes, sizeof(bytes));
    assert_in_range(size, 100, sizeof(bytes) - 1);
    FILE *file = fopen(plan_set_path(set, "whole.gguf"), "w");
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    fclose(file);
    struct ggufs_model *whole = merge_open(plan_set_path(set, "whole.gguf"));
    assert_int_equal(ggufs_model_shards(whole), 1);
    assert_int_equal(ggufs_model_warnings(whole), 0);
    assert_int_equal(ggufs_model_tensors(whole), 5);
    for (size_t i = 0; i < 5; i++) {
        struct ggufs_tensor ours, theirs;
        char a[512], b[512];
        ggufs_model_tensor(whole, i, &ours);
        ggufs_model_tensor(model, i, &theirs);
        assert_int_equal(ours.size, theirs.size);
        assert_int_equal(ggufs_tensor_read(whole, i, 0, a, ours.size), 0);
        assert_int_equal(ggufs_tensor_read(model, i, 0, b, ours.size), 0);
        assert_memory_equal(a, b, ours.size);
    }
    ggufs_model_close(whole);
    content_free(content);
    ggufs_model_close(model);
    plan_set_free(set);
}

static void test_data_cut_off(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_set_write(set);
    struct ggufs_tensor last;
    const char *path = plan_set_path(set, "m-00003-of-00003.gguf");
    struct ggufs_model *model = merge_open(path);
    ggufs_model_tensor(model, 4, &last);
    ggufs_model_close(model);
    assert_int_equal(truncate(path, (off_t)last.offset + 4), 0);
    model = merge_open(path);
    struct plan_bytes merged = merge(set);
    struct content *content;
    char buffer[8192];
    uint64_t size;
    assert_int_equal(merged_content(model, &content), 0);
    assert_int_equal(content_size(content, &size), 0);
    assert_int_equal(size, merged.size);
    size_t there = merged.size - 32 + 4;
    assert_int_equal(content_read(content, NULL, 0, buffer, there), there);
    assert_memory_equal(buffer, merged.bytes, there);
    assert_int_equal(content_read(content, NULL, 0, buffer, there + 1), -EIO);
    content_free(content);
    free(merged.bytes);
    ggufs_model_close(model);
    plan_set_free(set);
}

static void test_one_file_is_itself(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_drop_key(&set->plans[0], "split.count");
    const char *path = plan_set_path(set, "m.gguf");
    plan_write(&set->plans[0], path);
    struct plan_bytes file = plan_build(&set->plans[0]);
    struct ggufs_model *model = merge_open(path);
    assert_non_null(merged_backing(model));
    assert_ptr_equal(merged_backing(model), model->shards[0].source);
    merge_expect(model, file.bytes, file.size);
    free(file.bytes);
    ggufs_model_close(model);
    plan_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding_is_zeros),
        cmocka_unit_test(test_opens_again),
        cmocka_unit_test(test_data_cut_off),
        cmocka_unit_test(test_one_file_is_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
