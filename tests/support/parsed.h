/* SPDX-License-Identifier: MIT */
/* Bytes through the parser, as a loader feeds it, for tests. What is fed is copied to memory of
 * exactly that size each time, so that a sanitizer sees a read beyond it. */

#ifndef GGUFS_TESTS_PARSED_H
#define GGUFS_TESTS_PARSED_H

#include "gguf/parse.h"

struct parsed {
    int rc; /* of the parser: 0, or -errno with error filled */
    struct ggufs_error error;
    struct head head;
    uint8_t *bytes;
    int feeds; /* how often the parser was fed */
};

/* parsed must stay where it is until parsed_done: its head does. */
void parsed_whole(struct parsed *parsed, const uint8_t *bytes, size_t size);
/* Feeds first bytes, then as many as the parser wants, or step more where that is more. */
void parsed_pieces(struct parsed *parsed, const uint8_t *bytes, size_t size, size_t first,
                   size_t step);
/* The first have bytes of a file that says to have file_size: as parsed_whole otherwise. */
void parsed_head(struct parsed *parsed, const uint8_t *bytes, size_t have,
                 uint64_t file_size);
/* A whole file: false where it cannot be read. */
bool parsed_file(struct parsed *parsed, const char *path);
void parsed_done(struct parsed *parsed);

#endif
