/* SPDX-License-Identifier: MIT */
/* Streams of requests, see streams.h. The kernel reads ahead for those who read a file, but
 * not for those who map it: what it does for a reader is done here, for a map. */

#include "model/streams.h"

#include <stdbool.h>

/* A shorter request is not a stream's: the kernel asks for more than is read as soon as it
 * takes a reader for one. */
#define REQUEST_MIN (64 << 10)

/* The disk is kept this far ahead of a reader who has come far enough. Of 2, 4, 8 and 16 MiB
 * this was the least that keeps a fast disk busy. */
#define AHEAD (8 << 20)

/* What is asked for at once: a disk does better with few large requests. */
#define ASK_MIN (1 << 20)

/* Requests of one stream overtake each other by as much. */
#define NEAR (8 << 20)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool continues(const struct stream *stream, uint64_t offset)
{
    return stream->start != 0 && offset + NEAR >= stream->next &&
           offset <= stream->next + NEAR;
}

static struct stream *find(struct streams *streams, uint64_t offset)
{
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (continues(&streams->streams[i], offset))
            return &streams->streams[i];
    return NULL;
}

static void begin(struct streams *streams, uint64_t at)
{
    streams->newest = (streams->newest + 1) % STREAMS_MAX;
    streams->streams[streams->newest] = (struct stream){at, at, at};
}

/* As far ahead as the stream has come, so that who stops early has little read in vain. */
static struct stretch ask(struct stream *stream, uint64_t end)
{
    uint64_t ahead = least(stream->next - stream->start, AHEAD);
    uint64_t until = least(stream->next + ahead, end);
    uint64_t from = stream->asked > stream->next ? stream->asked : stream->next;
    if (until < from || until - from < least(ASK_MIN, end - from))
        return (struct stretch){from, 0};
    stream->asked = until;
    return (struct stretch){from, until - from};
}

struct stretch streams_follow(struct streams *streams, uint64_t offset, size_t size,
                              uint64_t end)
{
    struct stretch nothing = {offset, 0};
    uint64_t after = offset + size;
    if (size < REQUEST_MIN || after >= end)
        return nothing;
    struct stream *stream = find(streams, offset);
    if (!stream) {
        begin(streams, after);
        return nothing;
    }
    if (stream->next < after)
        stream->next = after;
    return ask(stream, end);
}
