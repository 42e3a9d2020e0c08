/* SPDX-License-Identifier: MIT */
/* What all kinds of content share: sizes, clipping reads to them, and gathering
 * pieces. */

#include "content/content.h"

#include <errno.h>
#include <limits.h>

int content_size(struct content *content, uint64_t *size)
{
    if (content->kind->measure)
        return content->kind->measure(content, size);
    *size = content->size;
    return 0;
}

int content_size_known(struct content *content, uint64_t *size)
{
    if (content->kind->measure)
        return content->kind->known ? content->kind->known(content, size) : -EAGAIN;
    *size = content->size;
    return 0;
}

/* Lowers *size to what there is from offset on. */
static int clip(struct content *content, uint64_t offset, size_t *size)
{
    uint64_t whole;
    int error = content_size(content, &whole);
    if (error)
        return error;
    uint64_t left = offset < whole ? whole - offset : 0;
    if (*size > left)
        *size = (size_t)left;
    if (*size > SSIZE_MAX)
        *size = SSIZE_MAX;
    return 0;
}

ssize_t content_read(struct content *content, struct reading *reading, uint64_t offset,
                     void *buffer, size_t size)
{
    int error = clip(content, offset, &size);
    if (!error && size > 0)
        error = content->kind->read(content, reading, offset, buffer, size);
    return error ? error : (ssize_t)size;
}

/* The pieces of one gather: those before used are filled, and so much of scratch. */
struct gathering {
    struct iovec *pieces;
    int used;
    int room;
    char *scratch;
    size_t scratch_used;
};

/* Makes the bytes in scratch; goes on with the last piece where that ends there. */
static int gather_made(struct content *content, struct reading *reading, uint64_t offset,
                       size_t size, struct gathering *g)
{
    char *place = g->scratch + g->scratch_used;
    int error = content->kind->read(content, reading, offset, place, size);
    if (error)
        return error;
    struct iovec *last = g->used > 0 ? &g->pieces[g->used - 1] : NULL;
    if (last && g->scratch_used > 0 && (char *)last->iov_base + last->iov_len == place)
        last->iov_len += size;
    else
        g->pieces[g->used++] = (struct iovec){place, size};
    g->scratch_used += size;
    return 0;
}

/* The next piece. The last free one must take all that is left: mapped if it can be, else
 * made. */
static int gather_next(struct content *content, struct reading *reading, uint64_t offset,
                       size_t size, struct gathering *g, size_t *taken)
{
    struct iovec piece = {NULL, size};
    int error =
        content->kind->map ? content->kind->map(content, offset, size, &piece) : -ENOSYS;
    if (error && error != -ENOSYS)
        return error;
    bool last = g->used == g->room - 1;
    *taken = last ? size : piece.iov_len;
    if (error || piece.iov_len < *taken)
        return gather_made(content, reading, offset, *taken, g);
    g->pieces[g->used++] = piece;
    return 0;
}

ssize_t content_gather(struct content *content, struct reading *reading, uint64_t offset,
                       size_t size, void *scratch, struct iovec *pieces, int *n)
{
    struct gathering g = {.pieces = pieces, .room = *n, .scratch = scratch};
    *n = 0;
    int error = clip(content, offset, &size);
    for (size_t done = 0, taken = 0; !error && done < size; done += taken)
        error = gather_next(content, reading, offset + done, size - done, &g, &taken);
    if (error)
        return error;
    *n = g.used;
    return (ssize_t)size;
}

void content_free(struct content *content)
{
    if (content)
        content->kind->free(content);
}
