/* SPDX-License-Identifier: MIT */
/* A map of a GGUF file for those who want to change it: where each number and each run of
 * bytes lies, good or bad. It knows the format by itself and takes what it can: where nothing
 * more can be understood the map ends. */

#ifndef GGUFS_FUZZ_FIELDS_H
#define GGUFS_FUZZ_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
    FIELD_VERSION,
    FIELD_COUNT,      /* of tensors, keys, elements of an array */
    FIELD_LENGTH,     /* of the FIELD_BYTES behind it */
    FIELD_BYTES,      /* a name or a string */
    FIELD_VALUE_TYPE, /* also of an array's elements */
    FIELD_NUMBER,     /* scalars: one, or all of an array */
    FIELD_DIMS,       /* how many dimensions */
    FIELD_DIM,        /* all of a tensor's */
    FIELD_TENSOR_TYPE,
    FIELD_OFFSET,
};

struct field {
    enum field_kind kind;
    size_t at;
    size_t size;
    size_t unit; /* bytes of one number; 1 of FIELD_BYTES */
};

struct record {
    size_t at;
    size_t size;
    size_t first; /* field: its name's length; the name is next */
    size_t n_fields;
};

#define FIELDS_MAX  4096
#define RECORDS_MAP 1024

struct fields {
    bool valid; /* a header is there */
    bool big_endian;
    bool v1;
    size_t width; /* of a length */
    size_t end;   /* of what was understood */
    size_t n;
    size_t n_keys;
    size_t n_records; /* keys, then tensors */
    struct field list[FIELDS_MAX];
    struct record records[RECORDS_MAP];
};

#define FIELDS_VERSION 0 /* in the list, of a valid map */
#define FIELDS_TENSORS 1
#define FIELDS_KEYS    2

void fields_scan(struct fields *fields, const uint8_t *bytes, size_t size);

uint64_t fields_get(const struct fields *fields, const uint8_t *at, size_t unit);
void fields_set(const struct fields *fields, uint8_t *at, size_t unit, uint64_t value);

/* Bytes of one scalar; 0 for strings, arrays and numbers that are no type. */
size_t fields_scalar_size(uint64_t type);

#endif
