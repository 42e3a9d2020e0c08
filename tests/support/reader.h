/* SPDX-License-Identifier: MIT */
/* Reads model.safetensors as the format's description says: eight bytes of length, JSON, data
 * without holes. Fails the test where it is not so. */

#ifndef GGUFS_TESTS_READER_H
#define GGUFS_TESTS_READER_H

#include <jansson.h>
#include <stdint.h>

#include "support/opened.h"

struct reader {
    char *bytes;
    size_t size;
    json_t *header;
    size_t data; /* where the data begins */
};

void reader_open(struct reader *reader, const struct opened *opened);
void reader_close(struct reader *reader);

/* The tensors' data follow one another from 0 to the file's end, as large as they say. */
void reader_check(const struct reader *reader);
/* A tensor's data; dtype and shape ("2,3") must be these. */
const uint8_t *reader_tensor(const struct reader *reader, const char *name,
                             const char *dtype, const char *shape);
/* What __metadata__ says under that name, or NULL. */
const char *reader_key(const struct reader *reader, const char *name);

#endif
