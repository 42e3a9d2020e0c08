/* SPDX-License-Identifier: MIT */
/* So many NUL bytes: the padding of files that are put together. */

#include <stdlib.h>
#include <string.h>

#include "content/content.h"

static const char zeros[65536];

static int zeros_read(struct content *content, struct reading *reading, uint64_t offset,
                      char *buffer, size_t size)
{
    (void)content;
    (void)reading;
    (void)offset;
    memset(buffer, 0, size);
    return 0;
}

static int zeros_map(struct content *content, uint64_t offset, size_t size,
                     struct iovec *piece)
{
    (void)content;
    (void)offset;
    /* An iovec has no const; the kernel only reads these. */
    piece->iov_base = (void *)(uintptr_t)zeros;
    piece->iov_len = size < sizeof(zeros) ? size : sizeof(zeros);
    return 0;
}

static void zeros_free(struct content *content)
{
    free(content);
}

static const struct content_kind zeros_kind = {
    .name = "zeros",
    .read = zeros_read,
    .map = zeros_map,
    .free = zeros_free,
};

struct content *content_zeros(uint64_t size)
{
    struct content *content = malloc(sizeof(*content));
    if (content)
        *content = (struct content){&zeros_kind, size};
    return content;
}
