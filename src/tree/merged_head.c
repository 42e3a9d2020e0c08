/* SPDX-License-Identifier: MIT */
/* Where tensors lie in a merged model, and the head that says so:
 *
 *   header | keys of the first shard, split.count 0 at the end | infos of all tensors
 *
 * Byte for byte what llama-gguf-split --merge writes, but for its faults: the
 * alignment is the model's own, and values keep all their bytes. The set's byte order
 * is kept; versions 2 and 3 become 3, whose layout is the same, and version 1 (shorter
 * lengths) stays what it is. */

#include <errno.h>
#include <string.h>

#include "base/checked.h"
#include "base/load.h"
#include "gguf/format.h"
#include "tree/merged.h"

/* ---- places ---- */

uint64_t merged_alignment(const struct ggufs_model *model)
{
    return model->shards[model->first].head.alignment;
}

static bool take_tensor(struct merged_walk *walk, struct merged_place *place)
{
    const struct shard *shard = &walk->model->shards[walk->shard];
    if (walk->local == shard->head.n_tensors) {
        walk->shard++;
        walk->local = 0;
        return false;
    }
    const struct tensor *tensor = &shard->head.tensors[walk->local++];
    *place =
        (struct merged_place){.shard = shard, .tensor = tensor, .offset = walk->offset};
    return true;
}

int merged_next(struct merged_walk *walk, struct merged_place *place)
{
    while (walk->shard < walk->model->n_shards) {
        if (!take_tensor(walk, place))
            continue;
        uint64_t end;
        if (!checked_add(place->offset, place->tensor->size, &end) ||
            !checked_align(end, merged_alignment(walk->model), &walk->offset) ||
            walk->offset > INT64_MAX)
            return -EFBIG;
        place->padding = walk->offset - end;
        return 1;
    }
    return 0;
}

/* ---- writing ---- */

/* Counts, and writes where there is an out. */
struct writer {
    uint8_t *out;
    uint64_t size;
    bool big_endian;
    bool v1;
};

static void put_bytes(struct writer *writer, const void *bytes, uint64_t length)
{
    if (writer->out)
        memcpy(writer->out + writer->size, bytes, (size_t)length);
    writer->size += length;
}

static void put_u16(struct writer *writer, uint16_t value)
{
    uint8_t bytes[2];
    store_u16(bytes, value, writer->big_endian);
    put_bytes(writer, bytes, sizeof(bytes));
}

static void put_u32(struct writer *writer, uint32_t value)
{
    uint8_t bytes[4];
    store_u32(bytes, value, writer->big_endian);
    put_bytes(writer, bytes, sizeof(bytes));
}

static void put_u64(struct writer *writer, uint64_t value)
{
    uint8_t bytes[8];
    store_u64(bytes, value, writer->big_endian);
    put_bytes(writer, bytes, sizeof(bytes));
}

/* A count, length or dimension. */
static void put_count(struct writer *writer, uint64_t value)
{
    if (writer->v1)
        put_u32(writer, (uint32_t)value);
    else
        put_u64(writer, value);
}

static void put_name(struct writer *writer, const char *bytes, uint64_t length)
{
    put_count(writer, length);
    put_bytes(writer, bytes, length);
}

/* ---- keys ---- */

static const char count_key[] = "split.count";
static const char old_count_key[] = "general.split_count";

static bool key_is(const struct head *head, size_t i, const char *name)
{
    struct name key = head_key_name(head, i);
    return key.length == strlen(name) && memcmp(key.bytes, name, key.length) == 0;
}

/* What would make the merged file a shard again. */
static bool is_dropped(const struct head *head, size_t i)
{
    return key_is(head, i, count_key) || key_is(head, i, old_count_key);
}

/* Where key i's record ends: at the next one's, the first tensor info's, or the head's
 * end. */
static uint64_t key_end(const struct head *head, size_t i)
{
    if (i + 1 < head->n_keys)
        return head->keys[i + 1].offset;
    if (head->n_tensors > 0)
        return head->tensors[0].name_offset - length_size(head->v1);
    return head->size;
}

static uint64_t kept_keys(const struct head *head)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < head->n_keys; i++)
        kept += !is_dropped(head, i);
    return kept;
}

static void put_keys(struct writer *writer, const struct head *head)
{
    for (size_t i = 0; i < head->n_keys; i++) {
        uint64_t start = head->keys[i].offset;
        if (!is_dropped(head, i))
            put_bytes(writer, head->bytes + start, key_end(head, i) - start);
    }
    put_name(writer, count_key, sizeof(count_key) - 1);
    put_u32(writer, GGUFS_U16);
    put_u16(writer, 0);
}

/* ---- tensor infos ---- */

/* ggml keeps no count of dimensions: those of 1 at the end are lost, but for the
 * first. */
static uint32_t count_dims(const struct ggufs_tensor *tensor)
{
    uint32_t n = tensor->n_dims;
    while (n > 1 && tensor->dims[n - 1] == 1)
        n--;
    return n ? n : 1;
}

static void put_tensor(struct writer *writer, const struct merged_place *place)
{
    struct ggufs_tensor tensor;
    const struct head *head = &place->shard->head;
    head_tensor(head, (size_t)(place->tensor - head->tensors), &tensor);
    uint32_t n_dims = count_dims(&tensor);
    put_name(writer, tensor.name, tensor.name_length);
    put_u32(writer, n_dims);
    for (uint32_t i = 0; i < n_dims; i++)
        put_count(writer, tensor.dims[i]);
    put_u32(writer, tensor.type_id);
    put_u64(writer, place->offset);
}

static int put_tensors(struct writer *writer, const struct ggufs_model *model)
{
    struct merged_walk walk = {.model = model};
    struct merged_place place;
    int rc;
    while ((rc = merged_next(&walk, &place)) == 1)
        put_tensor(writer, &place);
    return rc;
}

/* ---- the head ---- */

static int put_head(struct writer *writer, const struct ggufs_model *model)
{
    const struct head *first = &model->shards[model->first].head;
    writer->big_endian = first->big_endian;
    writer->v1 = first->v1;
    put_bytes(writer, "GGUF", 4);
    put_u32(writer, first->v1 ? 1 : 3);
    put_count(writer, model->n_tensors);
    put_count(writer, kept_keys(first) + 1);
    put_keys(writer, first);
    return put_tensors(writer, model);
}

int merged_head_size(const struct ggufs_model *model, uint64_t *size)
{
    struct writer writer = {0};
    int rc = put_head(&writer, model);
    *size = writer.size;
    return rc;
}

void merged_head_write(const struct ggufs_model *model, uint8_t *out)
{
    struct writer writer = {.out = out};
    put_head(&writer, model);
}
