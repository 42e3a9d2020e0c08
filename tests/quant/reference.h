/* SPDX-License-Identifier: MIT */
/* What the decoders are measured against: the formulas of the tensor types, written
 * down value by value, with no regard to speed. Little-endian blocks only; for the
 * others there is a list of the fields that the byte order turns round. */

#ifndef GGUFS_TESTS_QUANT_REFERENCE_H
#define GGUFS_TESTS_QUANT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count numbers of width bytes, from byte offset of a block on. */
struct reference_field {
    int offset, width, count;
};

struct reference_type {
    uint32_t id;
    const char *name;
    int n;    /* values of a block */
    int size; /* bytes of a block */
    float (*value)(const uint8_t *block, int j);
    struct reference_field fields[3]; /* of more than a byte; width 0 ends them */
};

/* The type of that number, or NULL. */
const struct reference_type *reference_type(uint32_t id);
/* Walks the table: i from 0 until NULL. */
const struct reference_type *reference_type_at(size_t i);

/* n_blocks blocks to out. */
void reference_decode(const struct reference_type *type, const uint8_t *bytes,
                      size_t n_blocks, float *out);
/* Turns n_blocks blocks to the other byte order. */
void reference_swap(const struct reference_type *type, uint8_t *bytes, size_t n_blocks);
/* Bit for bit the same, but that any NaN is as good as another. */
bool reference_equal(const float *a, const float *b, size_t n);

#endif
