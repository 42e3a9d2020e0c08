/* SPDX-License-Identifier: MIT */
/* A run of a model's file: tensor data. The bytes are never looked at here. */

#include <errno.h>
#include <stdlib.h>

#include "content/content.h"
#include "model/source.h"

struct range {
    struct content content;
    struct source *source;
    uint64_t offset;
};

static int range_read(struct content *content, struct reading *reading, uint64_t offset,
                      char *buffer, size_t size)
{
    (void)reading;
    struct range *range = (struct range *)content;
    return source_read(range->source, range->offset + offset, buffer, size);
}

/* A request of less is copied: to map a page that was not, and to take it off the map at the
 * end, costs more. */
#define MAP_MIN (16 << 10)

static int range_map(struct content *content, uint64_t offset, size_t size,
                     struct iovec *piece)
{
    struct range *range = (struct range *)content;
    const void *bytes;
    if (size < MAP_MIN)
        return -ENOSYS;
    int error = source_map(range->source, range->offset + offset, size, &bytes);
    if (error)
        return error == -ENODEV ? -ENOSYS : error;
    /* An iovec has no const; the kernel only reads these. */
    *piece = (struct iovec){(void *)(uintptr_t)bytes, size};
    return 0;
}

static void range_free(struct content *content)
{
    free(content);
}

static const struct content_kind range_kind = {
    .name = "range",
    .read = range_read,
    .map = range_map,
    .free = range_free,
};

struct content *content_range(struct source *source, uint64_t offset, uint64_t size)
{
    struct range *range = malloc(sizeof(*range));
    if (!range)
        return NULL;
    range->content = (struct content){&range_kind, size};
    range->source = source;
    range->offset = offset;
    return &range->content;
}
