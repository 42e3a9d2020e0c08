/* SPDX-License-Identifier: MIT */
/* A parsed head as others see it: names, public forms, tables by name. */

#include "gguf/head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "gguf/format.h"
#include "gguf/layout.h"
#include "gguf/value.h"

static struct name name_at(const struct head *head, uint64_t offset, uint32_t length)
{
    return (struct name){(const char *)head->bytes + offset, length};
}

struct name head_key_name(const struct head *head, size_t i)
{
    return name_at(head, head->keys[i].name_offset, head->keys[i].name_length);
}

struct name head_tensor_name(const struct head *head, size_t i)
{
    return name_at(head, head->tensors[i].name_offset, head->tensors[i].name_length);
}

/* ---- Public forms ------------------------------------------------------------------------ */

/* Where the record behind key i begins. */
static uint64_t key_end(const struct head *head, size_t i)
{
    if (i + 1 < head->n_keys)
        return head->keys[i + 1].offset;
    if (head->n_tensors > 0)
        return head->tensors[0].name_offset - length_size(head->v1);
    return head->size;
}

void head_key(const struct head *head, size_t i, struct ggufs_key *key)
{
    const struct key *record = &head->keys[i];
    const uint8_t *bytes = head->bytes + record->value_offset;
    struct encoding encoding = {.big_endian = head->big_endian, .v1 = head->v1};
    struct name name = head_key_name(head, i);
    key->name = name.bytes;
    key->name_length = name.length;
    key->offset = record->offset;
    if (record->type != GGUFS_ARR) {
        value_load(bytes, record->type, encoding, &key->value);
        return;
    }
    /* Its end is known: no need to walk a quarter of a million strings for it. */
    key->value.type = GGUFS_ARR;
    uint64_t header = value_load_array(bytes, encoding, &key->value.arr);
    key->value.arr.size = key_end(head, i) - record->value_offset - header;
}

static void load_dims(const struct head *head, const struct tensor *record,
                      struct ggufs_tensor *tensor)
{
    const uint8_t *bytes = head->bytes + record->name_offset + record->name_length + 4;
    for (uint32_t d = 0; d < GGUFS_DIMS_MAX; d++) {
        tensor->dims[d] = 1;
        if (d >= record->n_dims)
            continue;
        tensor->dims[d] = head->v1 ? load_u32(bytes, head->big_endian)
                                   : load_u64(bytes, head->big_endian);
        bytes += length_size(head->v1);
    }
}

void head_tensor(const struct head *head, size_t i, struct ggufs_tensor *tensor)
{
    const struct tensor *record = &head->tensors[i];
    struct name name = head_tensor_name(head, i);
    *tensor = (struct ggufs_tensor){
        .name = name.bytes,
        .name_length = name.length,
        .type_id = record->type_id,
        .type = ggufs_type_by_id(record->type_id),
        .n_dims = record->n_dims,
        .n_elements = record->n_elements,
        .offset = record->offset,
        .size = record->size,
        .extent = record->extent,
    };
    load_dims(head, record, tensor);
}

/* ---- Tables ------------------------------------------------------------------------------ */

static struct name key_name_of(const void *owner, uint32_t number)
{
    return head_key_name(owner, number);
}

static struct name tensor_name_of(const void *owner, uint32_t number)
{
    return head_tensor_name(owner, number);
}

static void warn_twice(struct head *head, struct warnings *warnings,
                       enum warning_kind kind, size_t i, uint32_t first)
{
    bool is_key = kind == WARNING_KEY_TWICE;
    struct name name = is_key ? head_key_name(head, i) : head_tensor_name(head, i);
    uint64_t offset = is_key ? head->keys[i].offset
                             : head->tensors[i].name_offset - length_size(head->v1);
    if (!warnings_wants(warnings, kind))
        return;
    warnings_add(warnings, &head->arena, kind, offset,
                 "%s %zu has the name of %s %" PRIu32 ": %s", is_key ? "key" : "tensor",
                 i + 1, is_key ? "key" : "tensor", first + 1,
                 quoted(name.bytes, name.length).text);
}

static int fill(struct head *head, struct table *table, size_t count,
                table_name_fn *name_of, struct warnings *warnings, enum warning_kind kind)
{
    int rc = table_init(table, count, name_of, head);
    if (rc < 0)
        return rc;
    uint32_t holders[TABLE_BATCH];
    for (size_t first = 0; first < count; first += TABLE_BATCH) {
        size_t n = count - first < TABLE_BATCH ? count - first : TABLE_BATCH;
        table_add_batch(table, (uint32_t)first, n, holders);
        for (size_t i = 0; i < n; i++)
            if (holders[i] != first + i)
                warn_twice(head, warnings, kind, first + i, holders[i]);
    }
    return 0;
}

int head_index(struct head *head, struct warnings *warnings, struct ggufs_error *error)
{
    int rc = fill(head, &head->keys_by_name, head->n_keys, key_name_of, warnings,
                  WARNING_KEY_TWICE);
    if (rc == 0)
        rc = fill(head, &head->tensors_by_name, head->n_tensors, tensor_name_of, warnings,
                  WARNING_TENSOR_TWICE);
    return rc < 0 ? error_memory(error) : 0;
}

void head_done(struct head *head)
{
    table_done(&head->keys_by_name);
    table_done(&head->tensors_by_name);
    free(head->keys);
    free(head->tensors);
    free(head->warnings);
    arena_done(&head->arena);
    memset(head, 0, sizeof(*head));
}
