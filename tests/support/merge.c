/* SPDX-License-Identifier: MIT */
/* Merging by the format's description, and comparing. */

#include "support/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree/views.h"

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

struct plan_bytes merge(const struct plan_set *set)
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

struct ggufs_model *merge_open(const char *path)
{
    struct ggufs_model *model = NULL;
    struct ggufs_error error = {0};
    if (ggufs_model_open(path, NULL, &model, &error) < 0)
        fail_msg("%s: %s", path, error.text);
    return model;
}

/* The same bytes in windows of any size, by reading and by gathering. */
void merge_expect_windows(struct content *content, const uint8_t *bytes, size_t size,
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

void merge_expect(const struct ggufs_model *model, const uint8_t *bytes, size_t size)
{
    const size_t windows[] = {size + 1, 4096, 97};
    struct content *content = NULL;
    uint64_t found;
    assert_int_equal(merged_content(model, &content), 0);
    assert_int_equal(content_size(content, &found), 0);
    assert_int_equal(found, size);
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
        merge_expect_windows(content, bytes, size, windows[i]);
    content_free(content);
}
