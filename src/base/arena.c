/* SPDX-License-Identifier: MIT */
/* Blocks of memory, handed out from their start. Knows nothing of what lies in them. */

#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 32768

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) char bytes[];
};

static struct arena_block *new_block(size_t size)
{
    if (size > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = calloc(1, sizeof(*block) + size);
    if (block)
        block->size = size;
    return block;
}

/* A block for one big piece goes in behind the first, which still has room for small
 * ones. */
static void *alloc_alone(struct arena *arena, size_t size)
{
    struct arena_block *block = new_block(size);
    if (!block)
        return NULL;
    block->used = size;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        arena->blocks = block;
    }
    return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t unit = alignof(max_align_t);
    if (size > BLOCK_SIZE / 4)
        return alloc_alone(arena, size);
    size = (size + unit - 1) / unit * unit;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        block = new_block(BLOCK_SIZE);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += size;
    return piece;
}

char *arena_copy(struct arena *arena, const char *bytes, size_t length)
{
    if (length == SIZE_MAX)
        return NULL;
    char *copy = arena_alloc(arena, length + 1);
    if (copy && length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

void arena_done(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}
