/* SPDX-License-Identifier: MIT */
/* The view model.gguf, byte for byte against a merge made here by other code, and
 * against one that was made by the tool that everybody uses. */

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

#include "support/material.h"
#include "support/plan.h"
#include "tree/merged.h"
#include "tree/views.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the merge of a set as it ought to be ---- */

static void put_merged_keys(struct plan_bytes *out, const struct plan *first)
{
    for (size_t i = 0; i < first->n_keys; i++)
        if (strcmp(first->keys[i].name, "split.count") != 0 &&
            strcmp(first->keys[i].name, "general.split_count") != 0)
            put_key(out, &first->keys[i]);
    const struct plan_key count = {"split.count", 2, 0};
    put_key(out, &count);
}

static void put_merged_infos(struct plan_bytes *out, const struct plan_set *set)
{
    uint64_t offset = 0, pad = out->plan->alignment ? out->plan->alignment : 32;
    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->plans[i].n_tensors; k++) {
            struct plan_tensor tensor = set->plans[i].tensors[k];
            while (tensor.n_dims > 1 && tensor.dims[tensor.n_dims - 1] == 1)
                tensor.n_dims--;
            if (tensor.n_dims == 0)
                tensor = (struct plan_tensor){tensor.name, tensor.type, 1, {1}};
            put_info(out, &tensor, offset);
            offset += (plan_data_size(&tensor) + pad - 1) / pad * pad;
        }
}

static struct plan_bytes merge(const struct plan_set *set)
{
    const struct plan *first = &set->plans[0];
    struct plan_bytes out = {.plan = first};
    size_t n_tensors = 0;
    for (size_t i = 0; i < set->n; i++)
        n_tensors += set->plans[i].n_tensors;
    put(&out, "GGUF", 4);
    put_number(&out, first->version == 1 ? 1 : 3, 4);
    put_length(&out, n_tensors);
    put_length(&out, first->n_keys);
    put_merged_keys(&out, first);
    put_merged_infos(&out, set);
    put_padding(&out);
    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->plans[i].n_tensors; k++) {
            put_data(&out, &set->plans[i].tensors[k]);
            put_padding(&out);
        }
    return out;
}

/* ---- the view ---- */

static struct ggufs_model *open_good(const char *path)
{
    struct ggufs_model *model = NULL;
    struct ggufs_error error = {0};
    if (ggufs_model_open(path, NULL, &model, &error) < 0)
        fail_msg("%s: %s", path, error.text);
    return model;
}

/* The same bytes in windows of any size, by reading and by gathering. */
static void expect_windows(struct content *content, const uint8_t *bytes, size_t size,
                           size_t window)
{
    char *buffer = malloc(window), *scratch = malloc(window);
    for (size_t offset = 0; offset < size; offset += window) {
        size_t length = size - offset < window ? size - offset : window;
        assert_int_equal(content_read(content, NULL, offset, buffer, window), length);
        assert_memory_equal(buffer, bytes + offset, length);
        struct iovec pieces[4];
        int n = 4;
        size_t done = 0;
        assert_int_equal(
            content_gather(content, NULL, offset, window, scratch, pieces, &n), length);
        for (int i = 0; i < n; i++) {
            assert_memory_equal(pieces[i].iov_base, bytes + offset + done,
                                pieces[i].iov_len);
            done += pieces[i].iov_len;
        }
        assert_int_equal(done, length);
    }
    free(buffer);
    free(scratch);
}

static void expect_bytes(const struct ggufs_model *model, const uint8_t *bytes,
                         size_t size)
{
    const size_t windows[] = {size + 1, 4096, 97};
    struct content *content = NULL;
    uint64_t found;
    assert_int_equal(merged_content(model, &content), 0);
    assert_int_equal(content_size(content, &found), 0);
    assert_int_equal(found, size);
    for (size_t i = 0; i < LENGTH(windows); i++)
        expect_windows(content, bytes, size, windows[i]);
    content_free(content);
}

static uint8_t *load_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* ---- sets ---- */

static void as_it_is(struct plan_set *set)
{
    (void)set;
}

static void first_without_tensors(struct plan_set *set)
{
    set->plans[1].tensors[1] = set->plans[0].tensors[0];
    set->plans[1].tensors[2] = set->plans[0].tensors[1];
    set->plans[0].n_tensors = 0;
    set->plans[1].n_tensors = 3;
}

static void no_tensors_at_all(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++) {
        set->plans[i].n_tensors = 0;
        plan_find_key(&set->plans[i], "split.tensors.count")->number = 0;
    }
}

static void big_endian(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].big_endian = true;
}

static void version_1(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].version = 1;
}

static void version_2(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].version = 2;
}

static void set_alignment(struct plan_set *set, uint64_t alignment)
{
    set->plans[0].alignment = alignment;
    set->plans[0].keys[5] = (struct plan_key){"general.alignment", 4, alignment};
    set->plans[0].n_keys = 6;
}

static void larger_alignment(struct plan_set *set)
{
    set_alignment(set, 64);
}

/* The other shards still pad to 32, so what lay apart in them lies close in the merged
 * file. */
static void no_alignment(struct plan_set *set)
{
    set->plans[2].tensors[0].dims[0] = 15;
    set_alignment(set, 1);
}

static void odd_alignment(struct plan_set *set)
{
    set_alignment(set, 24);
}

static void old_keys(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++) {
        struct plan *plan = &set->plans[i];
        *plan_find_key(plan, "split.no") = (struct plan_key){"general.split", 0, i};
        *plan_find_key(plan, "split.count") =
            (struct plan_key){"general.split_count", 0, 3};
    }
}

static void odd_dimensions(struct plan_set *set)
{
    set->plans[0].tensors[0] = (struct plan_tensor){"a", 0, 0, {0}};
    set->plans[0].tensors[1] = (struct plan_tensor){"b", 0, 4, {1, 1, 1, 1}};
    set->plans[1].tensors[0] = (struct plan_tensor){"c", 0, 4, {2, 1, 3, 1}};
    set->plans[2].tensors[0] = (struct plan_tensor){"d", 0, 2, {5, 0}};
}

/* Tensors without padding between them, which are read as one run. */
static void dense_tensors(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < set->plans[i].n_tensors; k++)
            set->plans[i].tensors[k] =
                (struct plan_tensor){set->plans[i].tensors[k].name, 0, 1, {8 + 8 * i}};
}

static void test_sets(void **state)
{
    (void)state;
    void (*const changes[])(struct plan_set * set) = {
        as_it_is,          first_without_tensors,
        no_tensors_at_all, big_endian,
        version_1,         version_2,
        larger_alignment,  no_alignment,
        odd_alignment,     old_keys,
        odd_dimensions,    dense_tensors,
    };
    for (size_t i = 0; i < LENGTH(changes); i++) {
        struct plan_set *set = plan_set_new();
        changes[i](set);
        plan_set_write(set);
        struct ggufs_model *model =
            open_good(plan_set_path(set, "m-00002-of-00003.gguf"));
        struct plan_bytes merged = merge(set);
        assert_null(merged_backing(model));
        expect_bytes(model, merged.bytes, merged.size);
        free(merged.bytes);
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

/* What stands between the tensors of a shard is not taken along. */
static void test_padding_is_zeros(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_set_write(set);
    const char *path = plan_set_path(set, "m-00001-of-00003.gguf");
    struct ggufs_model *model = open_good(path);
    struct ggufs_tensor tensor;
    ggufs_model_tensor(model, 0, &tensor);
    ggufs_model_close(model);
    FILE *file = fopen(path, "r+");
    fseek(file, (long)(tensor.offset + tensor.size), SEEK_SET);
    putc('!', file);
    fclose(file);
    model = open_good(path);
    struct plan_bytes merged = merge(set);
    expect_bytes(model, merged.bytes, merged.size);
    free(merged.bytes);
    ggufs_model_close(model);
    plan_set_free(set);
}

/* A shard whose tensors need no padding is handed out in one piece. */
static void test_dense_shards_are_one_piece_each(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    dense_tensors(set);
    plan_set_write(set);
    struct ggufs_model *model = open_good(plan_set_path(set, "m-00001-of-00003.gguf"));
    struct content *content;
    struct iovec pieces[8];
    char scratch[4096];
    uint64_t head_size;
    int n = 8;
    assert_int_equal(merged_content(model, &content), 0);
    assert_int_equal(merged_head_size(model, &head_size), 0);
    uint64_t start = (head_size + 31) / 32 * 32;
    assert_int_equal(content_gather(content, NULL, start, 4096, scratch, pieces, &n),
                     2 * 32 + 64 + 2 * 96);
    assert_int_equal(n, 3);
    assert_int_equal(pieces[0].iov_len, 2 * 32);
    assert_int_equal(pieces[1].iov_len, 64);
    assert_int_equal(pieces[2].iov_len, 2 * 96);
    content_free(content);
    ggufs_model_close(model);
    plan_set_free(set);
}

/* Opened again, the merged file is a model in one file with the same tensors. */
static void test_opens_again(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_set_write(set);
    struct ggufs_model *model = open_good(plan_set_path(set, "m-00001-of-00003.gguf"));
    struct content *content;
    char bytes[8192];
    assert_int_equal(merged_content(model, &content), 0);
    ssize_t size = content_read(content, NULL, 0, bytes, sizeof(bytes));
    assert_in_range(size, 100, sizeof(bytes) - 1);
    FILE *file = fopen(plan_set_path(set, "whole.gguf"), "w");
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    fclose(file);
    struct ggufs_model *whole = open_good(plan_set_path(set, "whole.gguf"));
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

/* ---- what is not there ---- */

static void test_data_cut_off(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_set_write(set);
    struct ggufs_tensor last;
    const char *path = plan_set_path(set, "m-00003-of-00003.gguf");
    struct ggufs_model *model = open_good(path);
    ggufs_model_tensor(model, 4, &last);
    ggufs_model_close(model);
    assert_int_equal(truncate(path, (off_t)last.offset + 4), 0);
    model = open_good(path);
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

/* ---- one file ---- */

static void test_one_file_is_itself(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    plan_drop_key(&set->plans[0], "split.count");
    const char *path = plan_set_path(set, "m.gguf");
    plan_write(&set->plans[0], path);
    struct plan_bytes file = plan_build(&set->plans[0]);
    struct ggufs_model *model = open_good(path);
    assert_non_null(merged_backing(model));
    assert_ptr_equal(merged_backing(model), model->shards[0].source);
    expect_bytes(model, file.bytes, file.size);
    free(file.bytes);
    ggufs_model_close(model);
    plan_set_free(set);
}

/* ---- what others wrote ---- */

static void test_against_the_tool(void **state)
{
    (void)state;
    char path[4096];
    size_t size;
    if (!material_path(path, sizeof(path),
                       "models/stories3M-q8_0-merged-by-llama-gguf-split.gguf")) {
        print_message("# the larger material is not there\n");
        return;
    }
    uint8_t *bytes = load_file(path, &size);
    assert_true(
        material_path(path, sizeof(path), "models/stories3M-q8_0-00002-of-00003.gguf"));
    struct ggufs_model *model = open_good(path);
    struct content *content;
    assert_int_equal(merged_content(model, &content), 0);
    expect_windows(content, bytes, size, 1 << 20);
    expect_windows(content, bytes, size, 65537);
    content_free(content);
    ggufs_model_close(model);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_padding_is_zeros),
        cmocka_unit_test(test_dense_shards_are_one_piece_each),
        cmocka_unit_test(test_opens_again),
        cmocka_unit_test(test_data_cut_off),
        cmocka_unit_test(test_one_file_is_itself),
        cmocka_unit_test(test_against_the_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
