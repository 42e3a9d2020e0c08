/* SPDX-License-Identifier: MIT */
/* A GGUF file in a buffer that is being changed, with its map, and the small steps that changes
 * are made of. What a step does not have room for it leaves out. */

#ifndef GGUFS_FUZZ_EDIT_H
#define GGUFS_FUZZ_EDIT_H

#include "fields.h"

struct edit {
    uint8_t *bytes;
    size_t size;
    size_t room;
    uint64_t random; /* state */
    struct fields map;
};

/* A number below n, which is at least 1. */
uint64_t edit_random(struct edit *edit, uint64_t n);
/* A number of the kind that breaks things. */
uint64_t edit_odd_number(struct edit *edit);

/* Puts new_size bytes where old_size bytes are. False where there is no room. The map is not
 * true any more. */
bool edit_replace(struct edit *edit, size_t at, size_t old_size, const void *bytes,
                  size_t new_size);
/* The same for the string whose length field is in the list at i, with its length. */
bool edit_string(struct edit *edit, size_t i, const void *bytes, size_t size);
/* Adds to the header's count in the list at i (FIELDS_TENSORS, FIELDS_KEYS). */
void edit_count(struct edit *edit, size_t i, int64_t change);

/* A new key or tensor info in the file's encoding: its size; out has EDIT_RECORD bytes. */
#define EDIT_RECORD 1024
size_t edit_new_key(struct edit *edit, uint8_t *out);
size_t edit_new_tensor(struct edit *edit, uint8_t *out);
/* A value of that type, as a key has it. */
size_t edit_new_value(struct edit *edit, uint8_t *out, uint32_t type, unsigned depth);

/* A name that the program treats in its own way, or that makes trouble. */
const char *edit_name(struct edit *edit);

#endif
