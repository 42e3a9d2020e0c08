/* SPDX-License-Identifier: MIT */
/* A mutator that knows GGUF, so that changes get past the header: it changes one number, string
 * or record of a file and keeps the rest in order (mostly). An input of several shards is cut
 * where their magics are, and one of them is changed. */

#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "harness.h"

/* ---- one change; false where the file has nothing of the kind ---- */

static bool is_number(const struct field *field)
{
    return field->kind != FIELD_BYTES && field->size > 0;
}

/* A field at random that is of the kind; NULL where a few tries met none. */
static const struct field *pick(struct edit *edit, bool (*wanted)(const struct field *))
{
    for (int i = 0; i < 16 && edit->map.n > 0; i++) {
        const struct field *field = &edit->map.list[edit_random(edit, edit->map.n)];
        if (wanted(field))
            return field;
    }
    return NULL;
}

static const struct record *pick_record(struct edit *edit)
{
    size_t n = edit->map.n_records;
    return n == 0 ? NULL : &edit->map.records[edit_random(edit, n)];
}

static bool is_tensor(const struct edit *edit, const struct record *record)
{
    return record >= edit->map.records + edit->map.n_keys;
}

static size_t count_field(const struct edit *edit, const struct record *record)
{
    return is_tensor(edit, record) ? FIELDS_TENSORS : FIELDS_KEYS;
}

static uint64_t number_for(struct edit *edit, enum field_kind kind)
{
    switch (kind) {
    case FIELD_VERSION: return edit_random(edit, 5);
    case FIELD_VALUE_TYPE: return edit_random(edit, 14);
    case FIELD_TENSOR_TYPE: return edit_random(edit, 44);
    case FIELD_DIMS: return edit_random(edit, 10);
    default: return edit_odd_number(edit);
    }
}

static bool change_number(struct edit *edit)
{
    const struct field *field = pick(edit, is_number);
    if (field == NULL)
        return false;
    size_t which = edit_random(edit, field->size / field->unit);
    uint8_t *at = edit->bytes + field->at + which * field->unit;
    uint64_t value = fields_get(&edit->map, at, field->unit);
    if (edit_random(edit, 3) == 0)
        value += edit_random(edit, 5) - 2;
    else
        value = number_for(edit, field->kind);
    fields_set(&edit->map, at, field->unit, value);
    return true;
}

static bool is_length(const struct field *field)
{
    return field->kind == FIELD_LENGTH;
}

static bool change_string(struct edit *edit)
{
    const struct field *field = pick(edit, is_length);
    if (field == NULL)
        return false;
    size_t size = field[1].size, room = size + 64 < 4096 ? size + 64 : 4096;
    uint8_t *copy = exact_alloc(room);
    size = size < room ? size : room;
    memcpy(copy, edit->bytes + field[1].at, size);
    size = LLVMFuzzerMutate(copy, size, room);
    bool done = edit_string(edit, (size_t)(field - edit->map.list), copy, size);
    free(copy);
    return done;
}

static bool change_name(struct edit *edit)
{
    const struct record *record = pick_record(edit);
    if (record == NULL)
        return false;
    const char *name = edit_name(edit);
    return edit_string(edit, record->first, name, strlen(name));
}

/* A name as another record of the file has it. */
static bool copy_name(struct edit *edit)
{
    const struct record *record = pick_record(edit), *other = pick_record(edit);
    if (record == NULL)
        return false;
    const struct field *name = &edit->map.list[other->first + 1];
    uint8_t *copy = exact_copy(edit->bytes + name->at, name->size);
    bool done = edit_string(edit, record->first, copy, name->size);
    free(copy);
    return done;
}

static bool lengthen_name(struct edit *edit)
{
    char name[320];
    const struct record *record = pick_record(edit);
    if (record == NULL)
        return false;
    memset(name, "x/\xc3%"[edit_random(edit, 4)], sizeof(name));
    name[edit_random(edit, 2)] = 'y';
    return edit_string(edit, record->first, name, 60 + edit_random(edit, 260));
}

static bool change_value(struct edit *edit)
{
    uint8_t value[EDIT_RECORD];
    const struct record *record = pick_record(edit);
    if (record == NULL || is_tensor(edit, record))
        return false;
    const struct field *type = &edit->map.list[record->first + 2];
    size_t at = type->at + type->size;
    uint32_t number = (uint32_t)edit_random(edit, 13);
    size_t size = edit_new_value(edit, value, number, 0);
    if (!edit_replace(edit, at, record->at + record->size - at, value, size))
        return false;
    fields_set(&edit->map, edit->bytes + type->at, type->size, number);
    return true;
}

static bool remove_record(struct edit *edit)
{
    const struct record *record = pick_record(edit);
    if (record == NULL)
        return false;
    edit_replace(edit, record->at, record->size, NULL, 0);
    edit_count(edit, count_field(edit, record), -1);
    return true;
}

static bool repeat_record(struct edit *edit)
{
    const struct record *record = pick_record(edit);
    if (record == NULL || record->size > 8192)
        return false;
    uint8_t *copy = exact_copy(edit->bytes + record->at, record->size);
    bool done = edit_replace(edit, record->at, 0, copy, record->size);
    if (done)
        edit_count(edit, count_field(edit, record), 1);
    free(copy);
    return done;
}

/* Moves a record to the place of another of its kind. */
static bool move_record(struct edit *edit)
{
    const struct record *record = pick_record(edit), *other = pick_record(edit);
    if (record == NULL || other <= record ||
        is_tensor(edit, other) != is_tensor(edit, record))
        return false;
    uint8_t *copy = exact_copy(edit->bytes + record->at, record->size);
    edit_replace(edit, record->at, record->size, NULL, 0);
    edit_replace(edit, other->at - record->size, 0, copy, record->size);
    free(copy);
    return true;
}

static size_t keys_end(const struct edit *edit)
{
    const struct fields *map = &edit->map;
    if (map->n_keys == 0)
        return map->list[FIELDS_KEYS].at + map->width;
    const struct record *last = &map->records[map->n_keys - 1];
    return last->at + last->size;
}

static bool insert(struct edit *edit, const uint8_t *record, size_t size, bool tensor)
{
    size_t at = tensor ? edit->map.end : keys_end(edit);
    if (!edit_replace(edit, at, 0, record, size))
        return false;
    edit_count(edit, tensor ? FIELDS_TENSORS : FIELDS_KEYS, 1);
    return true;
}

static bool add_key(struct edit *edit)
{
    uint8_t record[EDIT_RECORD];
    return insert(edit, record, edit_new_key(edit, record), false);
}

static bool add_tensor(struct edit *edit)
{
    uint8_t record[EDIT_RECORD];
    return insert(edit, record, edit_new_tensor(edit, record), true);
}

static bool change_data(struct edit *edit)
{
    size_t end = edit->map.end;
    if (end == edit->room)
        return false;
    edit->size =
        end + LLVMFuzzerMutate(edit->bytes + end, edit->size - end, edit->room - end);
    return true;
}

/* Appends what data there may be missing, or cuts some off. */
static bool resize_data(struct edit *edit)
{
    size_t left = edit->room - edit->size, n = 32 * (1 + edit_random(edit, 32));
    if (edit_random(edit, 4) == 0) {
        edit->size -= edit_random(edit, edit->size - edit->map.end + 1);
        return true;
    }
    n = n < left ? n : left;
    for (size_t i = 0; i < n; i++)
        edit->bytes[edit->size++] = (uint8_t)edit_random(edit, 256);
    return true;
}

static bool turn_byte_order(struct edit *edit)
{
    struct fields turned = {.big_endian = !edit->map.big_endian};
    for (size_t i = 0; i < edit->map.n; i++) {
        const struct field *field = &edit->map.list[i];
        for (size_t at = field->at; at < field->at + field->size; at += field->unit)
            fields_set(&turned, edit->bytes + at, field->unit,
                       fields_get(&edit->map, edit->bytes + at, field->unit));
    }
    return true;
}

/* ---- all of them ---- */

/* What is worth doing more often stands here more often. */
/* clang-format off */
static bool (*const changes[])(struct edit *edit) = {
    change_number,
    change_number,
    change_number,
    change_number,
    change_string,
    change_name,
    copy_name,
    lengthen_name,
    change_value,
    remove_record,
    repeat_record,
    move_record,
    add_key,
    add_tensor,
    change_data,
    resize_data,
    resize_data,
    turn_byte_order,
};
/* clang-format on */

static void change(struct edit *edit)
{
    fields_scan(&edit->map, edit->bytes, edit->size);
    size_t which = edit_random(edit, sizeof(changes) / sizeof(changes[0]));
    if (!edit->map.valid || edit_random(edit, 16) == 0 || !changes[which](edit))
        edit->size = LLVMFuzzerMutate(edit->bytes, edit->size, edit->room);
}

/* The next magic behind the first byte, or the end. */
static size_t shard_end(const uint8_t *bytes, size_t size)
{
    const uint8_t *next = size > 4 ? memmem(bytes + 1, size - 1, "GGUF", 4) : NULL;
    return next ? (size_t)(next - bytes) : size;
}

/* Where one of the shards starts, at random. */
static size_t pick_shard(struct edit *edit, const uint8_t *bytes, size_t size)
{
    size_t start = 0, end = shard_end(bytes, size);
    while (end < size && edit_random(edit, 2) == 0) {
        start = end;
        end = start + shard_end(bytes + start, size - start);
    }
    return start;
}

/* Changes one shard of size bytes at start; what lies behind moves along. The new size of all,
 * which is at most room. */
static size_t change_shard(struct edit *edit, uint8_t *bytes, size_t size, size_t room)
{
    size_t start = pick_shard(edit, bytes, size);
    size_t end = start + shard_end(bytes + start, size - start);
    size_t rest = size - end;
    edit->room = room - start - rest;
    edit->size = end - start;
    edit->bytes = exact_alloc(edit->room);
    memcpy(edit->bytes, bytes + start, edit->size);
    for (uint64_t i = edit_random(edit, 3) + 1; i > 0; i--)
        change(edit);
    memmove(bytes + start + edit->size, bytes + end, rest);
    memcpy(bytes + start, edit->bytes, edit->size);
    size = start + edit->size + rest;
    free(edit->bytes);
    return size;
}

/* While a find is made small there is less room than there are bytes: what is changed is then
 * cut, so that a removed record counts as well as a shorter end. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    struct edit *edit = exact_alloc(sizeof(*edit));
    size_t larger = size > room ? size : room;
    uint8_t *own = exact_alloc(larger);
    edit->random = seed;
    memcpy(own, bytes, size);
    size = change_shard(edit, own, size, larger);
    size = size < room ? size : room;
    memcpy(bytes, own, size);
    free(own);
    free(edit);
    return size;
}

/* a with one of b's records put in. */
static void graft(struct edit *edit, const uint8_t *b, size_t b_size)
{
    struct edit *other = exact_alloc(sizeof(*other));
    other->random = edit->random;
    fields_scan(&edit->map, edit->bytes, edit->size);
    fields_scan(&other->map, b, b_size);
    const struct record *record = pick_record(other);
    if (edit->map.valid && record && edit->map.big_endian == other->map.big_endian &&
        edit->map.v1 == other->map.v1)
        insert(edit, b + record->at, record->size, is_tensor(other, record));
    free(other);
}

/* Half of the time one file behind the other: more shards, or more data. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
                                 size_t b_size, uint8_t *out, size_t room, unsigned seed)
{
    struct edit *edit = exact_alloc(sizeof(*edit));
    *edit = (struct edit){.bytes = out, .room = room, .random = seed};
    edit->size = a_size < room ? a_size : room;
    memcpy(out, a, edit->size);
    if (edit_random(edit, 2) == 0)
        edit_replace(edit, edit->size, 0, b, b_size);
    else
        graft(edit, b, b_size);
    size_t size = edit->size;
    free(edit);
    return size;
}
