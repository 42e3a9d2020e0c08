/* SPDX-License-Identifier: MIT */
/* Where generated text goes: a window [offset, offset + size) of the whole output that
 * is kept in a buffer, while everything is counted. A sink with size 0 only counts
 * (measuring); one whose window was filled says so, so that the maker can stop. Cannot
 * fail, allocates nothing. */

#ifndef GGUFS_BASE_SINK_H
#define GGUFS_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sink {
    uint64_t position; /* bytes written so far, from the start of the output */
    uint64_t offset;   /* where the window begins */
    size_t size;       /* of the window and buffer */
    char *buffer;      /* NULL where size is 0 */
};

/* A sink whose output has already reached position (a checkpoint's). */
struct sink sink_window(uint64_t position, uint64_t offset, char *buffer, size_t size);
struct sink sink_counter(void);

/* The window is filled to its end (always true of a counter's empty window: ask only
 * readers). */
static inline bool sink_full(const struct sink *sink)
{
    return sink->position >= sink->offset && sink->position - sink->offset >= sink->size;
}

/* Copies what of the last length bytes, just counted, lies in the window. */
void sink_clip(struct sink *sink, const char *bytes, size_t length);

/* Inline: texts are written in very small pieces. */
static inline void sink_write(struct sink *sink, const char *bytes, size_t length)
{
    uint64_t done = sink->position - sink->offset; /* wraps to very much before it */
    sink->position += length;
    if (done < sink->size && length <= sink->size - done)
        memcpy(sink->buffer + done, bytes, length);
    else if (sink->size > 0)
        sink_clip(sink, bytes, length);
}

static inline void sink_char(struct sink *sink, char c)
{
    sink_write(sink, &c, 1);
}

void sink_string(struct sink *sink, const char *string);
void sink_u64(struct sink *sink, uint64_t value); /* decimal */
void sink_i64(struct sink *sink, int64_t value);

/* Bytes of the window that were written. */
size_t sink_filled(const struct sink *sink);

#endif
