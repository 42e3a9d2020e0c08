/* SPDX-License-Identifier: MIT */
/* The head of one GGUF file, parsed: header, keys, tensor infos, and what is odd about them.
 *
 * Everything refers to the head's bytes by offset (from the first byte of the file); the bytes
 * themselves are the loader's and stay where they are once parsing is done. Offsets and lengths
 * in here were checked: they lie within the head, array elements and nested arrays included.
 * A tensor's offset and size were not held against the file (data may be cut off): offset may
 * be any number, and their sum may not fit. Compare size with file_size - offset.
 *
 * The tables refer to the head: it stays where parser_take put it. */

#ifndef GGUFS_GGUF_HEAD_H
#define GGUFS_GGUF_HEAD_H

#include "base/arena.h"
#include "base/table.h"
#include "ggufs.h"

struct key {
    uint64_t offset;      /* of the record: its length field */
    uint64_t name_offset; /* of the name's bytes */
    uint32_t name_length;
    uint32_t type;         /* enum ggufs_value_type */
    uint64_t value_offset; /* of the value: behind the type field */
};

/* 48 bytes; there may be a million. dims are read out of the head when somebody asks. */
struct tensor {
    uint64_t name_offset; /* the record begins 8 (v1: 4) bytes before */
    uint64_t offset;      /* from the start of the file */
    uint64_t size;        /* bytes */
    uint64_t n_elements;
    uint32_t name_length;
    uint32_t type_id;
    uint8_t n_dims;
    bool extent; /* size reaches to the next tensor or the end of the data */
};

struct warning {
    const char *text; /* in the head's arena */
    uint64_t offset;
    bool incomplete;
};

struct head {
    const uint8_t *bytes; /* size of them, the loader's */
    uint64_t size;        /* where the tensor infos end */
    uint64_t file_size;
    uint32_t version;
    bool big_endian;
    bool v1; /* lengths, counts and dimensions are u32 */
    uint64_t alignment;
    uint64_t data_offset;
    struct key *keys;
    size_t n_keys;
    struct tensor *tensors;
    size_t n_tensors;
    struct table keys_by_name;
    struct table tensors_by_name;
    struct warning *warnings;
    size_t n_warnings;
    struct arena arena;
};

struct name head_key_name(const struct head *head, size_t i);
struct name head_tensor_name(const struct head *head, size_t i);
/* Fills in the public forms. A tensor's shard is set to 0. */
void head_key(const struct head *head, size_t i, struct ggufs_key *key);
void head_tensor(const struct head *head, size_t i, struct ggufs_tensor *tensor);
/* Frees what parsing allocated (not bytes). Takes a zeroed or half-filled head. */
void head_done(struct head *head);

#endif
