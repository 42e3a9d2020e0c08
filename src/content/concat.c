/* SPDX-License-Identifier: MIT */
/* Several contents, one behind the other. Where each begins is known beforehand, so a
 * part is found by halving and asked for only when something of it is read. */

#include <errno.h>
#include <stdlib.h>

#include "content/content.h"

struct concat {
    struct content content;
    size_t n;
    uint64_t *starts; /* n + 1 */
    struct content *(*part)(void *owner, size_t i);
    void (*free_owner)(void *owner);
    void *owner;
    bool temporary;
};

/* The part that holds the byte at offset, which is within the size. Empty parts hold
 * none. */
static size_t find_part(const struct concat *concat, uint64_t offset)
{
    size_t low = 0, high = concat->n; /* starts[low] <= offset < starts[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (concat->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void put_back(const struct concat *concat, struct content *part)
{
    if (concat->temporary)
        content_free(part);
}

static int concat_read(struct content *content, struct reading *reading, uint64_t offset,
                       char *buffer, size_t size)
{
    struct concat *concat = (struct concat *)content;
    size_t i = find_part(concat, offset);
    for (; size > 0; i++) {
        uint64_t left = concat->starts[i + 1] - offset;
        size_t piece = size < left ? size : (size_t)left;
        if (piece == 0)
            continue;
        struct content *part = concat->part(concat->owner, i);
        if (!part)
            return -ENOMEM;
        int error =
            part->kind->read(part, reading, offset - concat->starts[i], buffer, piece);
        put_back(concat, part);
        if (error)
            return error;
        offset += piece;
        buffer += piece;
        size -= piece;
    }
    return 0;
}

static int concat_map(struct content *content, uint64_t offset, size_t size,
                      struct iovec *piece)
{
    struct concat *concat = (struct concat *)content;
    size_t i = find_part(concat, offset);
    uint64_t left = concat->starts[i + 1] - offset;
    if (size > left)
        size = (size_t)left;
    piece->iov_len = size;
    struct content *part = concat->part(concat->owner, i);
    if (!part)
        return -ENOMEM;
    int error = -ENOSYS;
    if (part->kind->map)
        error = part->kind->map(part, offset - concat->starts[i], size, piece);
    put_back(concat, part);
    return error;
}

static void concat_free(struct content *content)
{
    struct concat *concat = (struct concat *)content;
    if (concat->free_owner)
        concat->free_owner(concat->owner);
    free(concat->starts);
    free(concat);
}

static const struct content_kind concat_kind = {
    .name = "concat",
    .read = concat_read,
    .map = concat_map,
    .free = concat_free,
};

struct content *content_concat(size_t n, uint64_t *starts,
                               struct content *(*part)(void *owner, size_t i),
                               void (*free_owner)(void *owner), void *owner,
                               bool temporary)
{
    struct concat *concat = malloc(sizeof(*concat));
    if (!concat) {
        free(starts);
        if (free_owner)
            free_owner(owner);
        return NULL;
    }
    concat->content = (struct content){&concat_kind, starts[n]};
    concat->n = n;
    concat->starts = starts;
    concat->part = part;
    concat->free_owner = free_owner;
    concat->owner = owner;
    concat->temporary = temporary;
    return &concat->content;
}
