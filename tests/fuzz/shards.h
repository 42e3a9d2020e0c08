/* SPDX-License-Identifier: MIT */
/* An input as a set of shards on disk: it is cut where their magics are, and each piece is a
 * file of a new directory, under the name that a shard has. */

#ifndef GGUFS_FUZZ_SHARDS_H
#define GGUFS_FUZZ_SHARDS_H

#include "harness.h"

#define SHARDS_MAX 9
#define SHARD_ROOM (DIRECTORY_ROOM + 64) /* of a path */

struct shards {
    char directory[DIRECTORY_ROOM];
    size_t n;
};

/* Number missing is left out; SHARDS_MAX: none is. */
void shards_write(struct shards *shards, const uint8_t *bytes, size_t size,
                  size_t missing);
void shards_path(const struct shards *shards, size_t i, char path[SHARD_ROOM]);
void shards_remove(const struct shards *shards);

#endif
