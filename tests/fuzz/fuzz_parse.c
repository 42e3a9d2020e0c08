/* SPDX-License-Identifier: MIT */
/* The parser over any bytes: what it takes in lies within the head, what it refuses it explains,
 * and it says the same however the file is fed to it. */

#include <string.h>

#include "gguf/value.h"
#include "harness.h"
#include "seeds.h"
#include "support/parsed.h"

static void expect_inside(const struct head *head, const void *bytes, uint64_t size)
{
    const uint8_t *start = bytes;
    expect(start >= head->bytes && start <= head->bytes + head->size);
    expect(size <= (uint64_t)(head->bytes + head->size - start));
}

/* Walks a value to its last byte. */
static void walk_value(const struct head *head, const struct ggufs_value *value,
                       unsigned depth)
{
    struct ggufs_array array;
    struct ggufs_value element;
    uint64_t count = 0;
    expect(ggufs_value_type_name(value->type) != NULL);
    if (value->type == GGUFS_STR)
        expect_inside(head, value->str.bytes, value->str.length);
    if (value->type != GGUFS_ARR)
        return;
    array = value->arr;
    expect(depth < GGUFS_NESTING_MAX);
    expect_inside(head, array.bytes, array.size);
    while (ggufs_array_next(&array, &element)) {
        expect(element.type == value->arr.type);
        walk_value(head, &element, depth + 1);
        count++;
    }
    expect(count == value->arr.count);
    expect(array.size == 0);
}

static void check_keys(const struct head *head)
{
    for (size_t i = 0; i < head->n_keys; i++) {
        struct ggufs_key key;
        head_key(head, i, &key);
        expect_inside(head, key.name, key.name_length);
        walk_value(head, &key.value, 0);
        uint32_t found = table_find(&head->keys_by_name, key.name, key.name_length);
        expect(found <= i);
    }
}

/* Dimensions of which one is 0 may be as large as they like. */
static uint64_t product(const uint64_t dims[GGUFS_DIMS_MAX])
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < GGUFS_DIMS_MAX; i++)
        if (dims[i] == 0)
            return 0;
    for (uint32_t i = 0; i < GGUFS_DIMS_MAX; i++)
        expect(!__builtin_mul_overflow(n, dims[i], &n));
    return n;
}

static void check_size(const struct ggufs_tensor *tensor)
{
    const struct ggufs_type *type = tensor->type;
    if (tensor->n_elements == 0)
        expect(tensor->size == 0 && !tensor->extent);
    else if (!tensor->extent)
        expect(tensor->size == tensor->n_elements / type->block_size * type->type_size);
}

static void check_tensors(const struct head *head)
{
    for (size_t i = 0; i < head->n_tensors; i++) {
        struct ggufs_tensor tensor;
        head_tensor(head, i, &tensor);
        expect_inside(head, tensor.name, tensor.name_length);
        expect(tensor.n_dims <= GGUFS_DIMS_MAX);
        for (uint32_t d = tensor.n_dims; d < GGUFS_DIMS_MAX; d++)
            expect(tensor.dims[d] == 1);
        expect(product(tensor.dims) == tensor.n_elements);
        expect(tensor.type == ggufs_type_by_id(tensor.type_id));
        check_size(&tensor);
        expect(table_find(&head->tensors_by_name, tensor.name, tensor.name_length) <= i);
    }
}

static void check_head(const struct head *head, size_t size)
{
    expect(head->size <= size);
    expect(head->file_size == size);
    expect(head->version >= 1 && head->version <= 3);
    expect(head->alignment > 0);
    expect(head->alignment % 8 == 0 || (head->alignment & (head->alignment - 1)) == 0);
    expect(head->data_offset >= head->size);
    check_keys(head);
    check_tensors(head);
    for (size_t i = 0; i < head->n_warnings; i++)
        expect_line(head->warnings[i].text);
}

static void check_same_error(const struct ggufs_error *a, const struct ggufs_error *b)
{
    expect(a->code == b->code);
    expect(a->errnum == b->errnum);
    expect(a->offset == b->offset);
    expect(strcmp(a->text, b->text) == 0);
}

static void check_same_head(const struct head *a, const struct head *b)
{
    expect(a->size == b->size && a->data_offset == b->data_offset);
    expect(a->n_keys == b->n_keys && a->n_tensors == b->n_tensors);
    expect(a->n_warnings == b->n_warnings);
    for (size_t i = 0; i < a->n_keys; i++)
        expect(memcmp(&a->keys[i], &b->keys[i], sizeof(a->keys[i])) == 0);
    for (size_t i = 0; i < a->n_tensors; i++) {
        const struct tensor *x = &a->tensors[i], *y = &b->tensors[i];
        expect(x->name_offset == y->name_offset && x->offset == y->offset);
        expect(x->size == y->size && x->extent == y->extent);
    }
    for (size_t i = 0; i < a->n_warnings; i++)
        expect(strcmp(a->warnings[i].text, b->warnings[i].text) == 0);
}

static void check_same(const struct parsed *a, const struct parsed *b)
{
    expect(a->rc == b->rc);
    if (a->rc < 0)
        check_same_error(&a->error, &b->error);
    else
        check_same_head(&a->head, &b->head);
}

/* Each feed copies what there is: long files are given in larger pieces. */
static size_t step_for(size_t size, size_t step)
{
    return size / 64 > step ? size / 64 : step;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct parsed whole, pieces;
    parsed_whole(&whole, bytes, size);
    if (whole.rc < 0)
        expect_error(whole.rc, &whole.error);
    else
        check_head(&whole.head, size);
    for (size_t step = 1; step < 32; step += 15) {
        parsed_pieces(&pieces, bytes, size, step, step_for(size, step));
        check_same(&whole, &pieces);
        parsed_done(&pieces);
    }
    parsed_done(&whole);
    return 0;
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    seeds_models(visit, data);
}
