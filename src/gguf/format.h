/* SPDX-License-Identifier: MIT */
/* The numbers of the format, and the limits that are ours.
 *
 *     header   "GGUF", version u32, tensors, keys
 *     key      name: string, value type u32, value
 *     tensor   name: string, n_dims u32, dims[n_dims], type u32, offset u64
 *     string   length, bytes
 *     array    element type u32, count, elements
 *
 * Counts, lengths and dims are u64, in version 1 u32. Nothing in the head is aligned. */

#ifndef GGUFS_GGUF_FORMAT_H
#define GGUFS_GGUF_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define MAGIC      "GGUF"
#define MAGIC_SIZE 4

#define VERSION_MIN            1
#define VERSION_MAX            3
#define VERSION_BIG_ENDIAN_MIN 2 /* version 1 was only ever little-endian */

#define ALIGNMENT_DEFAULT 32

/* More keys or tensors than this are refused: numbers of 32 bits, with room to spare. */
#define RECORDS_MAX (UINT64_C(1) << 24)

/* Beyond these the spec no longer goes along: warned of. */
#define KEY_NAME_USUAL    65535 /* bytes */
#define TENSOR_NAME_USUAL 64    /* bytes */
#define DIMS_USUAL        4

/* Bytes of a length, a count or a dimension. */
static inline uint32_t length_size(bool v1)
{
    return v1 ? 4 : 8;
}

/* The least that a record can take: an empty name, a value of one byte; no dims. */
static inline uint32_t key_size_min(bool v1)
{
    return length_size(v1) + 4 + 1;
}

static inline uint32_t tensor_size_min(bool v1)
{
    return length_size(v1) + 4 + 4 + 8;
}

#endif
