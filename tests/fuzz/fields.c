/* SPDX-License-Identifier: MIT */
/* The map of a GGUF file: a reader of the format that stops where it no longer understands. */

#include "fields.h"

#include <string.h>

struct scan {
    struct fields *fields;
    const uint8_t *bytes;
    size_t size;
    size_t at;
};

uint64_t fields_get(const struct fields *fields, const uint8_t *at, size_t unit)
{
    uint64_t value = 0;
    for (size_t i = 0; i < unit; i++)
        value = value << 8 | at[fields->big_endian ? i : unit - 1 - i];
    return value;
}

void fields_set(const struct fields *fields, uint8_t *at, size_t unit, uint64_t value)
{
    for (size_t i = 0; i < unit; i++)
        at[fields->big_endian ? unit - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

size_t fields_scalar_size(uint64_t type)
{
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return type < sizeof(sizes) ? sizes[type] : 0;
}

/* Notes count numbers of unit bytes here; value (may be NULL) is the first one. */
static bool take(struct scan *scan, enum field_kind kind, uint64_t count, size_t unit,
                 uint64_t *value)
{
    struct fields *fields = scan->fields;
    if (count > (scan->size - scan->at) / unit || fields->n == FIELDS_MAX)
        return false;
    size_t size = (size_t)count * unit;
    fields->list[fields->n++] = (struct field){kind, scan->at, size, unit};
    if (value)
        *value = fields_get(fields, scan->bytes + scan->at, unit);
    scan->at += size;
    return true;
}

static bool take_string(struct scan *scan)
{
    uint64_t length;
    return take(scan, FIELD_LENGTH, 1, scan->fields->width, &length) &&
           take(scan, FIELD_BYTES, length, 1, NULL);
}

static bool take_value(struct scan *scan, uint64_t type, unsigned depth);

static bool take_array(struct scan *scan, unsigned depth)
{
    uint64_t type, count;
    if (!take(scan, FIELD_VALUE_TYPE, 1, 4, &type) ||
        !take(scan, FIELD_COUNT, 1, scan->fields->width, &count))
        return false;
    size_t unit = fields_scalar_size(type);
    if (unit > 0)
        return take(scan, FIELD_NUMBER, count, unit, NULL);
    for (uint64_t i = 0; i < count; i++)
        if (!take_value(scan, type, depth + 1))
            return false;
    return true;
}

static bool take_value(struct scan *scan, uint64_t type, unsigned depth)
{
    size_t unit = fields_scalar_size(type);
    if (unit > 0)
        return take(scan, FIELD_NUMBER, 1, unit, NULL);
    if (type == 8)
        return take_string(scan);
    return type == 9 && depth < 16 && take_array(scan, depth);
}

static bool take_key(struct scan *scan)
{
    uint64_t type;
    return take_string(scan) && take(scan, FIELD_VALUE_TYPE, 1, 4, &type) &&
           take_value(scan, type, 0);
}

static bool take_tensor(struct scan *scan)
{
    uint64_t n_dims;
    return take_string(scan) && take(scan, FIELD_DIMS, 1, 4, &n_dims) &&
           take(scan, FIELD_DIM, n_dims, scan->fields->width, NULL) &&
           take(scan, FIELD_TENSOR_TYPE, 1, 4, NULL) &&
           take(scan, FIELD_OFFSET, 1, 8, NULL);
}

/* Up to count records; false where one was not understood. */
static bool take_records(struct scan *scan, uint64_t count,
                         bool (*take_one)(struct scan *))
{
    struct fields *fields = scan->fields;
    for (uint64_t i = 0; i < count && fields->n_records < RECORDS_MAP; i++) {
        struct record record = {.at = scan->at, .first = fields->n};
        if (!take_one(scan)) {
            fields->n = record.first;
            return false;
        }
        record.size = scan->at - record.at;
        record.n_fields = fields->n - record.first;
        fields->records[fields->n_records++] = record;
        fields->end = scan->at;
    }
    return true;
}

void fields_scan(struct fields *fields, const uint8_t *bytes, size_t size)
{
    struct scan scan = {fields, bytes, size, 4};
    uint64_t version, tensors, keys;
    fields->valid = fields->big_endian = false;
    fields->n = fields->n_keys = fields->n_records = fields->end = 0;
    if (size < 8 || memcmp(bytes, "GGUF", 4) != 0)
        return;
    fields->big_endian = bytes[4] == 0 && bytes[7] != 0;
    take(&scan, FIELD_VERSION, 1, 4, &version);
    fields->v1 = version == 1;
    fields->width = fields->v1 ? 4 : 8;
    fields->valid = take(&scan, FIELD_COUNT, 1, fields->width, &tensors) &&
                    take(&scan, FIELD_COUNT, 1, fields->width, &keys);
    fields->end = scan.at;
    if (!fields->valid)
        return;
    bool whole = take_records(&scan, keys, take_key);
    fields->n_keys = fields->n_records;
    if (whole)
        take_records(&scan, tensors, take_tensor);
}
