/* SPDX-License-Identifier: MIT */
/* A tensor's bytes with each value turned around: big-endian numbers for a format that knows
 * little-endian only. */

#include <stdlib.h>
#include <string.h>

#include "content/values.h"

struct swapped {
    struct content content;
    const struct ggufs_model *model;
    size_t tensor;
    size_t width;
};

static void turn(uint8_t *bytes, size_t width)
{
    for (size_t i = 0; i < width / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[width - 1 - i];
        bytes[width - 1 - i] = byte;
    }
}

/* Whole values that cover as much of [offset, offset + size) as fits in a chunk. */
static ssize_t read_chunk(const struct swapped *s, uint64_t offset, char *buffer,
                          size_t size)
{
    uint8_t chunk[8192];
    size_t skip = offset % s->width;
    uint64_t start = offset - skip;
    uint64_t left = s->content.size - start;
    size_t length = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
    if (size < length - skip)
        length = (skip + size + s->width - 1) / s->width * s->width;
    int r = ggufs_tensor_read(s->model, s->tensor, start, chunk, length);
    if (r < 0)
        return r;
    for (size_t i = 0; i + s->width <= length; i += s->width)
        turn(chunk + i, s->width);
    size_t wanted = size < length - skip ? size : length - skip;
    memcpy(buffer, chunk + skip, wanted);
    return (ssize_t)wanted;
}

static int swapped_read(struct content *content, struct reading *reading, uint64_t offset,
                        char *buffer, size_t size)
{
    (void)reading;
    while (size > 0) {
        ssize_t length =
            read_chunk((const struct swapped *)content, offset, buffer, size);
        if (length < 0)
            return (int)length;
        offset += (uint64_t)length;
        buffer += length;
        size -= (size_t)length;
    }
    return 0;
}

static void swapped_free(struct content *content)
{
    free(content);
}

static const struct content_kind swapped_kind = {
    .name = "swapped",
    .read = swapped_read,
    .free = swapped_free,
};

struct content *content_swapped(const struct ggufs_model *model, size_t i, size_t width)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(model, i, &tensor);
    struct swapped *s = malloc(sizeof(*s));
    if (s == NULL)
        return NULL;
    *s = (struct swapped){{&swapped_kind, tensor.size}, model, i, width};
    return &s->content;
}
