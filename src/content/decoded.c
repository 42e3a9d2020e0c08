/* SPDX-License-Identifier: MIT */
/* A tensor's values as floats: a read decodes the elements that it touches, a few thousand at a
 * time, and takes the bytes it wants out of them. Decoding is the model's (ggufs_tensor_decode);
 * this knows only widths and offsets. */

#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/load.h"
#include "content/values.h"

/* Elements decoded at a time: a multiple of every block size, small enough for a stack. */
#define CHUNK 4096

struct decoded {
    struct content content;
    const struct ggufs_model *model;
    size_t tensor;
    uint64_t n_elements;
    enum ggufs_dequant form;
};

size_t decoded_value_size(enum ggufs_dequant form)
{
    return form == GGUFS_DEQUANT_F32 ? 4 : 2;
}

/* Turns floats into the form, in place: what is written is never ahead of what is read. */
static void put_in_form(float *values, size_t count, enum ggufs_dequant form)
{
    uint8_t *out = (uint8_t *)values;
    switch (form) {
    case GGUFS_DEQUANT_F32:
        if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
            for (size_t i = 0; i < count; i++)
                store_u32(out + 4 * i, load_u32(out + 4 * i, true), false);
        }
        break;
    case GGUFS_DEQUANT_F16:
        for (size_t i = 0; i < count; i++)
            store_u16(out + 2 * i, float_to_half(values[i]), false);
        break;
    case GGUFS_DEQUANT_BF16_AS_U16:
        for (size_t i = 0; i < count; i++)
            store_u16(out + 2 * i, float_to_bfloat(values[i]), false);
        break;
    }
}

/* Whole elements, straight to where they are wanted. */
static int decode_straight(const struct decoded *d, uint64_t first, char *buffer,
                           size_t count)
{
    int r =
        ggufs_tensor_decode(d->model, d->tensor, first, (float *)(void *)buffer, count);
    if (r == 0)
        put_in_form((float *)(void *)buffer, count, d->form);
    return r;
}

static bool fits_straight(const struct decoded *d, uint64_t offset, const char *buffer)
{
    return d->form == GGUFS_DEQUANT_F32 && offset % 4 == 0 &&
           (uintptr_t)buffer % sizeof(float) == 0;
}

/* Bytes from anywhere, by way of a buffer of whole elements; returns how many, or -errno. */
static ssize_t decode_around(const struct decoded *d, uint64_t offset, char *buffer,
                             size_t size)
{
    float values[CHUNK];
    size_t width = decoded_value_size(d->form);
    uint64_t first = offset / width;
    size_t skip = offset % width;
    uint64_t count = d->n_elements - first < CHUNK ? d->n_elements - first : CHUNK;
    if (size < count * width - skip)
        count = (skip + size + width - 1) / width;
    int r = ggufs_tensor_decode(d->model, d->tensor, first, values, count);
    if (r < 0)
        return r;
    put_in_form(values, count, d->form);
    size_t there = count * width - skip;
    size_t length = size < there ? size : there;
    memcpy(buffer, (const char *)values + skip, length);
    return (ssize_t)length;
}

static int decoded_read(struct content *content, struct reading *reading, uint64_t offset,
                        char *buffer, size_t size)
{
    (void)reading;
    const struct decoded *d = (const struct decoded *)content;
    if (fits_straight(d, offset, buffer)) {
        int r = decode_straight(d, offset / 4, buffer, size / 4);
        if (r < 0)
            return r;
        offset += size / 4 * 4;
        buffer += size / 4 * 4;
        size %= 4;
    }
    while (size > 0) {
        ssize_t length = decode_around(d, offset, buffer, size);
        if (length < 0)
            return (int)length;
        offset += (uint64_t)length;
        buffer += length;
        size -= (size_t)length;
    }
    return 0;
}

static void decoded_free(struct content *content)
{
    free(content);
}

static const struct content_kind decoded_kind = {
    .name = "decoded",
    .read = decoded_read,
    .free = decoded_free,
};

struct content *content_decoded(const struct ggufs_model *model, size_t i,
                                enum ggufs_dequant form)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(model, i, &tensor);
    struct decoded *d = malloc(sizeof(*d));
    if (d == NULL)
        return NULL;
    /* A model's sizes are below 2^63 bytes, but decoded they may be more. */
    uint64_t size;
    if (__builtin_mul_overflow(tensor.n_elements, decoded_value_size(form), &size) ||
        size > INT64_MAX)
        size = 0;
    *d = (struct decoded){
        .content = {&decoded_kind, size},
        .model = model,
        .tensor = i,
        .n_elements = tensor.n_elements,
        .form = form,
    };
    return &d->content;
}
