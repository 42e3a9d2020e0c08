/* SPDX-License-Identifier: MIT */
/* Memory that is taken in small pieces and given back all at once. A zeroed struct
 * arena is an empty one. Not for use by two threads at once. */

#ifndef GGUFS_BASE_ARENA_H
#define GGUFS_BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *blocks;
};

/* size bytes, aligned for any type, zeroed; NULL where memory is out. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy of length bytes with a NUL behind; NULL where memory is out. */
char *arena_copy(struct arena *arena, const char *bytes, size_t length);
/* Frees everything; the arena is empty then. */
void arena_done(struct arena *arena);

#endif
