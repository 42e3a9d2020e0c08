/* SPDX-License-Identifier: MIT */
/* Values out of a checked head: scalars, strings, arrays. Cannot fail: parse checked them. */

#ifndef GGUFS_GGUF_VALUE_H
#define GGUFS_GGUF_VALUE_H

#include "base/load.h"
#include "ggufs.h"

/* How the bytes of a head are written. */
struct encoding {
    bool big_endian;
    bool v1;
};

/* Bytes of one scalar of that type; 0 for str, arr and numbers that are no type. */
uint32_t value_scalar_size(uint32_t type);

/* The length of a string, or the count of an array. */
static inline uint64_t value_load_length(const uint8_t *bytes, struct encoding encoding)
{
    return encoding.v1 ? load_u32(bytes, encoding.big_endian)
                       : load_u64(bytes, encoding.big_endian);
}

/* The value at bytes; returns the bytes that it takes (for an array: walks its strings). */
uint64_t value_load(const uint8_t *bytes, uint32_t type, struct encoding encoding,
                    struct ggufs_value *value);

/* The array at bytes without walking it: size is left 0 where the elements are strings or
 * arrays. Returns the bytes in front of the first element. */
uint64_t value_load_array(const uint8_t *bytes, struct encoding encoding,
                          struct ggufs_array *array);

/* The value as an integer, whatever integer type it has: true, or false for other types and
 * negative numbers. */
bool value_as_u64(const struct ggufs_value *value, uint64_t *number);

#endif
