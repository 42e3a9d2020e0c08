/* SPDX-License-Identifier: MIT */
/* Writes model files straight to disk, also those that are larger than memory: little-endian,
 * version 3, in the order of the calls, whatever it says. Trouble ends the program. */

#ifndef GGUFS_TESTS_WRITER_H
#define GGUFS_TESTS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct writer {
    char directory[256];
    char path[300]; /* of the file */
    FILE *file;     /* NULL once it has an end */
};

/* In a new temporary directory. */
struct writer *writer_new(void);
/* Removes both. */
void writer_free(struct writer *writer);
/* Both as cmocka's fixtures: the state is the writer. */
int writer_setup(void **state);
int writer_teardown(void **state);

/* Begins a file, in place of the one before. */
void writer_header(struct writer *writer, uint64_t tensors, uint64_t keys);
/* The value follows. */
void writer_key(struct writer *writer, const char *name, uint32_t type);
void writer_array(struct writer *writer, uint32_t type, uint64_t count);
/* One dimension; the offset is from the data section. */
void writer_tensor(struct writer *writer, const char *name, uint32_t type, uint64_t dim,
                   uint64_t offset);

void writer_u32(struct writer *writer, uint32_t value);
void writer_u64(struct writer *writer, uint64_t value);
void writer_string(struct writer *writer, const char *text);
void writer_bytes(struct writer *writer, const void *bytes, size_t size);
void writer_hole(struct writer *writer, uint64_t size);

/* Ends the file, size bytes of zeros behind the head (which is padded to 32). Returns the
 * head's size. */
uint64_t writer_end(struct writer *writer, uint64_t size);
/* Makes the file so large; false where there are no such files. */
bool writer_extend(struct writer *writer, uint64_t size);
void writer_poke(struct writer *writer, uint64_t offset, uint8_t byte);

#endif
