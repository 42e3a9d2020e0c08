/* SPDX-License-Identifier: MIT */
/* Reading a record out of bytes that may end too early, in two ways: the bytes at hand end, but
 * not the file (more will come, the record is read again), or the file ends (it is malformed).
 * The first such trouble sticks: what is read after it is zero and moves nothing, so a record
 * needs one look at state, at its end, and one before a number decides how to go on. */

#ifndef GGUFS_GGUF_CURSOR_H
#define GGUFS_GGUF_CURSOR_H

#include "base/load.h"
#include "gguf/format.h"
#include "gguf/value.h"

enum cursor_state {
    CURSOR_GOOD = 0,
    CURSOR_MORE,     /* wanted says how many bytes must be at hand */
    CURSOR_PAST_END, /* position, what, count and unit say what did not fit */
};

struct cursor {
    const uint8_t *bytes; /* of the file, from its first one on */
    uint64_t at_hand;     /* so many of them; never above end */
    uint64_t end;         /* of the file */
    uint64_t position;
    struct encoding encoding;
    enum cursor_state state;
    uint64_t wanted;
    const char *what; /* "a name" */
    uint64_t count;   /* of */
    const char *unit; /* "bytes", or elements' type */
};

static inline uint64_t cursor_left(const struct cursor *cursor)
{
    return cursor->end - cursor->position;
}

/* Notes that count units of size bytes (size at least 1) are not at hand. */
void cursor_fail(struct cursor *cursor, uint64_t count, uint32_t size, const char *what,
                 const char *unit);

/* count units of size bytes each lie at the position, and are at hand. */
static inline bool cursor_has(struct cursor *cursor, uint64_t count, uint32_t size,
                              const char *what, const char *unit)
{
    if (cursor->state != CURSOR_GOOD)
        return false;
    if (count <= (cursor->at_hand - cursor->position) / size)
        return true;
    cursor_fail(cursor, count, size, what, unit);
    return false;
}

/* Moves over them: their first byte, or NULL. */
static inline const uint8_t *cursor_take(struct cursor *cursor, uint64_t count,
                                         uint32_t size, const char *what,
                                         const char *unit)
{
    if (!cursor_has(cursor, count, size, what, unit))
        return NULL;
    const uint8_t *taken = cursor->bytes + cursor->position;
    cursor->position += count * size;
    return taken;
}

/* The file holds count units of at least size bytes each, at hand or not: a claim that cannot
 * be true is found before anything is read. */
static inline bool cursor_may_hold(struct cursor *cursor, uint64_t count, uint32_t size,
                                   const char *what, const char *unit)
{
    if (cursor->state != CURSOR_GOOD)
        return false;
    if (count <= cursor_left(cursor) / size)
        return true;
    cursor_fail(cursor, count, size, what, unit);
    return false;
}

static inline uint32_t cursor_u32(struct cursor *cursor, const char *what)
{
    const uint8_t *bytes = cursor_take(cursor, 4, 1, what, "bytes");
    return bytes == NULL ? 0 : load_u32(bytes, cursor->encoding.big_endian);
}

static inline uint64_t cursor_u64(struct cursor *cursor, const char *what)
{
    const uint8_t *bytes = cursor_take(cursor, 8, 1, what, "bytes");
    return bytes == NULL ? 0 : load_u64(bytes, cursor->encoding.big_endian);
}

/* A length, a count or a dimension. */
static inline uint64_t cursor_length(struct cursor *cursor, const char *what)
{
    return cursor->encoding.v1 ? cursor_u32(cursor, what) : cursor_u64(cursor, what);
}

#endif
