/* SPDX-License-Identifier: MIT */
/* Bytes that are in memory. Handed to the kernel as they lie there, unless the content
 * owns them: then they go with it, and a reader may outlive it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "content/content.h"

struct bytes {
    struct content content;
    const char *bytes;
    void *owned;
};

static int bytes_read(struct content *content, struct reading *reading, uint64_t offset,
                      char *buffer, size_t size)
{
    (void)reading;
    memcpy(buffer, ((struct bytes *)content)->bytes + offset, size);
    return 0;
}

static int bytes_map(struct content *content, uint64_t offset, size_t size,
                     struct iovec *piece)
{
    struct bytes *b = (struct bytes *)content;
    if (b->owned)
        return -ENOSYS;
    /* An iovec has no const; the kernel only reads these. */
    *piece = (struct iovec){(void *)(uintptr_t)(b->bytes + offset), size};
    return 0;
}

static void bytes_free(struct content *content)
{
    free(((struct bytes *)content)->owned);
    free(content);
}

static const struct content_kind bytes_kind = {
    .name = "bytes",
    .read = bytes_read,
    .map = bytes_map,
    .free = bytes_free,
};

struct content *content_bytes(const void *bytes, size_t size, void *owned)
{
    struct bytes *b = malloc(sizeof(*b));
    if (!b) {
        free(owned);
        return NULL;
    }
    b->content = (struct content){&bytes_kind, size};
    b->bytes = bytes;
    b->owned = owned;
    return &b->content;
}
