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

#include "model/model.h"
#include "support/material.h"
#include "support/merge.h"
#include "support/shards.h"
#include "tree/merged.h"
#include "tree/views.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- sets ---- */

static void as_it_is(struct plan_set *set)
{
    (void)set;
}

static void no_tensors_at_all(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++) {
        set->plans[i].n_tensors = 0;
        plan_find_key(&set->plans[i], "split.tensors.count")->number = 0;
    }
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

/* Tensors of 8, 16 and 24 elements times scale, without padding between them, which are read
 * as one run. */
static void dense_of(struct plan_set *set, uint64_t scale)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < set->plans[i].n_tensors; k++)
            set->plans[i].tensors[k] = (struct plan_tensor){
                set->plans[i].tensors[k].name, 0, 1, {(8 + 8 * i) * scale}};
}

static void dense_tensors(struct plan_set *set)
{
    dense_of(set, 1);
}

static void test_sets(void **state)
{
    (void)state;
    void (*const changes[])(struct plan_set * set) = {
        as_it_is,          shards_first_without_tensors,
        no_tensors_at_all, shards_big_endian,
        shards_version_1,  version_2,
        larger_alignment,  no_alignment,
        odd_alignment,     old_keys,
        odd_dimensions,    dense_tensors,
    };
    for (size_t i = 0; i < LENGTH(changes); i++) {
        struct plan_set *set = plan_set_new();
        changes[i](set);
        plan_set_write(set);
        struct ggufs_model *model =
            merge_open(plan_set_path(set, "m-00002-of-00003.gguf"));
        struct plan_bytes merged = merge(set);
        assert_null(merged_backing(model));
        merge_expect(model, merged.bytes, merged.size);
        free(merged.bytes);
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

/* A shard whose tensors need no padding is handed out in one piece. */
static void test_dense_shards_are_one_piece_each(void **state)
{
    (void)state;
    struct plan_set *set = plan_set_new();
    dense_of(set, 1 << 10); /* small requests are not handed out in pieces */
    plan_set_write(set);
    struct ggufs_model *model = merge_open(plan_set_path(set, "m-00001-of-00003.gguf"));
    struct content *content;
    struct iovec pieces[8];
    static char scratch[1 << 20];
    uint64_t head_size;
    int n = 8;
    assert_int_equal(merged_content(model, &content), 0);
    assert_int_equal(merged_head_size(model, &head_size), 0);
    uint64_t start = (head_size + 31) / 32 * 32;
    assert_int_equal(
        content_gather(content, NULL, start, sizeof(scratch), scratch, pieces, &n),
        (2 * 32 + 64 + 2 * 96) << 10);
    assert_int_equal(n, 3);
    assert_int_equal(pieces[0].iov_len, (2 * 32) << 10);
    assert_int_equal(pieces[1].iov_len, 64 << 10);
    assert_int_equal(pieces[2].iov_len, (2 * 96) << 10);
    content_free(content);
    ggufs_model_close(model);
    plan_set_free(set);
}

/* ---- what others wrote ---- */

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
    struct ggufs_model *model = merge_open(path);
    struct content *content;
    assert_int_equal(merged_content(model, &content), 0);
    merge_expect_windows(content, bytes, size, 1 << 20);
    merge_expect_windows(content, bytes, size, 65537);
    content_free(content);
    ggufs_model_close(model);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_dense_shards_are_one_piece_each),
        cmocka_unit_test(test_against_the_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
