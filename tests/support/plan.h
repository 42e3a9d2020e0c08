/* SPDX-License-Identifier: MIT */
/* Small model files by plan, for tests of sets of shards: what a plan says is written
 * as it is, sense or not. Knows the format by itself, so that it agrees with the
 * library only where both are right. */

#ifndef GGUFS_TESTS_PLAN_H
#define GGUFS_TESTS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_ROOM 8

struct plan_key {
    const char *name;
    uint32_t type;      /* an integer's, or 8: a string */
    uint64_t number;    /* its low bytes are written */
    const char *string; /* of type 8 */
};

struct plan_tensor {
    const char *name;
    uint32_t type; /* 0 F32, 8 Q8_0; others have a byte an element */
    uint32_t n_dims;
    uint64_t dims[4];
};

struct plan {
    uint32_t version;
    bool big_endian;
    uint64_t alignment; /* what is padded to; 0: 32 */
    size_t n_keys;
    struct plan_key keys[PLAN_ROOM];
    size_t n_tensors;
    struct plan_tensor tensors[PLAN_ROOM];
};

/* Growing bytes with the encoding of a plan. */
struct plan_bytes {
    uint8_t *bytes;
    size_t size;
    const struct plan *plan;
};

void put(struct plan_bytes *out, const void *bytes, size_t size);
void put_number(struct plan_bytes *out, uint64_t value, size_t size);
void put_length(struct plan_bytes *out, uint64_t value); /* u32 in version 1 */
void put_string(struct plan_bytes *out, const char *string);
void put_key(struct plan_bytes *out, const struct plan_key *key);
/* Dimensions as the tensor has them, without what ggml would drop. */
void put_info(struct plan_bytes *out, const struct plan_tensor *tensor, uint64_t offset);
void put_padding(struct plan_bytes *out); /* zeros, up to the plan's alignment */
void put_data(struct plan_bytes *out, const struct plan_tensor *tensor);

uint64_t plan_data_size(const struct plan_tensor *tensor);
/* Byte i of a tensor's data: made of its name and i. */
uint8_t plan_data_byte(const struct plan_tensor *tensor, uint64_t i);

/* The whole file; free bytes. */
struct plan_bytes plan_build(const struct plan *plan);
void plan_write(const struct plan *plan, const char *path);

struct plan_key *plan_find_key(struct plan *plan, const char *name);
void plan_drop_key(struct plan *plan, const char *name);

/* -- a directory with a set of shards -- */

struct plan_set {
    char directory[256];
    size_t n;
    struct plan plans[4];
};

/* Three shards, "a" and "b" in the first, "c" in the second, "d" and "e" in the third,
 * in a new directory; nothing is written yet. */
struct plan_set *plan_set_new(void);
/* Writes them as m-00001-of-0000N.gguf... */
void plan_set_write(const struct plan_set *set);
/* The path of a name in the directory: in a buffer that is the next-but-seven call's. */
const char *plan_set_path(const struct plan_set *set, const char *name);
/* Removes the directory and what is in it. */
void plan_set_free(struct plan_set *set);

#endif
