/* SPDX-License-Identifier: MIT */
/* Counts everything that is written and keeps what falls into the window. */

#include "base/sink.h"

#include <string.h>

#include "base/decimal.h"

struct sink sink_window(uint64_t position, uint64_t offset, char *buffer, size_t size)
{
    return (struct sink){
        .position = position, .offset = offset, .size = size, .buffer = buffer};
}

struct sink sink_counter(void)
{
    return (struct sink){0};
}

void sink_clip(struct sink *sink, const char *bytes, size_t length)
{
    uint64_t at = sink->position - length;
    if (at < sink->offset) {
        uint64_t before = sink->offset - at;
        if (before >= length)
            return;
        bytes += before;
        length -= (size_t)before;
        at = sink->offset;
    }
    if (at - sink->offset >= sink->size)
        return;
    size_t done = (size_t)(at - sink->offset);
    size_t room = sink->size - done;
    if (length > 0)
        memcpy(sink->buffer + done, bytes, length < room ? length : room);
}

void sink_string(struct sink *sink, const char *string)
{
    sink_write(sink, string, strlen(string));
}

void sink_u64(struct sink *sink, uint64_t value)
{
    char text[DECIMAL_MAX];
    sink_write(sink, text, decimal_u64(text, value));
}

void sink_i64(struct sink *sink, int64_t value)
{
    char text[DECIMAL_MAX];
    sink_write(sink, text, decimal_i64(text, value));
}

size_t sink_filled(const struct sink *sink)
{
    if (sink->position <= sink->offset)
        return 0;
    uint64_t filled = sink->position - sink->offset;
    return filled < sink->size ? (size_t)filled : sink->size;
}
