/* SPDX-License-Identifier: MIT */
/* npy/<name>.npy: numpy's file format 1.0 (numpy.lib.format): a header of text, padded so that
 * the data begins at a multiple of 64, and the data. The shape is in numpy's order, slowest
 * dimension first. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "tree/form.h"
#include "tree/views.h"

#define NPY_ALIGNMENT 64
/* Eight dimensions of 20 digits fit, with room to spare: version 1.0 always will do. */
#define NPY_HEADER 320

static const char magic[] = "\x93NUMPY\x01\x00";
#define PREAMBLE (sizeof(magic) - 1 + 2)

static char byte_order(const struct ggufs_model *model, const struct ggufs_tensor *tensor,
                       const struct form *form)
{
    if (form->width == 1)
        return '|';
    return form->raw && model->shards[tensor->shard].head.big_endian ? '>' : '<';
}

/* "(2, 3)", "(2,)", "()". */
static int write_shape(char *out, size_t room, const struct ggufs_tensor *tensor,
                       bool flat)
{
    if (flat)
        return snprintf(out, room, "(%ju,)", (uintmax_t)tensor->size);
    int length = snprintf(out, room, "(");
    for (uint32_t i = tensor->n_dims; i-- > 0;)
        length += snprintf(out + length, room - (size_t)length, "%ju%s",
                           (uintmax_t)tensor->dims[i],
                           i > 0                 ? ", "
                           : tensor->n_dims == 1 ? ","
                                                 : "");
    return length + snprintf(out + length, room - (size_t)length, ")");
}

/* Writes the whole header; returns its length, a multiple of 64. */
static size_t write_header(char *out, const struct ggufs_model *model,
                           const struct ggufs_tensor *tensor, const struct form *form)
{
    char shape[200];
    write_shape(shape, sizeof(shape), tensor, form->flat);
    memcpy(out, magic, sizeof(magic) - 1);
    int text = snprintf(out + PREAMBLE, NPY_HEADER - PREAMBLE,
                        "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                        byte_order(model, tensor, form), form->npy, shape);
    size_t length = PREAMBLE + (size_t)text + 1;
    length += (NPY_ALIGNMENT - length % NPY_ALIGNMENT) % NPY_ALIGNMENT;
    memset(out + PREAMBLE + text, ' ', length - PREAMBLE - (size_t)text);
    out[length - 1] = '\n';
    store_u16((uint8_t *)out + sizeof(magic) - 1, (uint16_t)(length - PREAMBLE), false);
    return length;
}

struct npy {
    struct content *parts[2];
};

static struct content *npy_part(void *owner, size_t i)
{
    return ((struct npy *)owner)->parts[i];
}

static void npy_free(void *owner)
{
    struct npy *npy = owner;
    content_free(npy->parts[0]);
    content_free(npy->parts[1]);
    free(npy);
}

static struct content *header_content(const struct ggufs_model *model,
                                      const struct ggufs_tensor *tensor,
                                      const struct form *form, uint64_t *length)
{
    char *header = malloc(NPY_HEADER);
    if (header == NULL)
        return NULL;
    *length = write_header(header, model, tensor, form);
    return content_bytes(header, *length, header);
}

/* Both parts; starts is told where they begin and end. */
static bool make_parts(struct npy *npy, const struct ggufs_model *model, size_t i,
                       uint64_t starts[3])
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(model, i, &tensor);
    struct form form = form_npy(model, &tensor);
    uint64_t data = 0;
    form_size(&form, &tensor, &data);
    npy->parts[0] = header_content(model, &tensor, &form, &starts[1]);
    npy->parts[1] = form_content(&form, model, i, false);
    starts[2] = starts[1] + data;
    return npy->parts[0] && npy->parts[1];
}

int npy_content(const struct ggufs_model *model, size_t i, struct content **content)
{
    struct npy *npy = calloc(1, sizeof(*npy));
    uint64_t *starts = calloc(3, sizeof(*starts));
    *content = NULL;
    if (npy && starts && make_parts(npy, model, i, starts)) {
        *content = content_concat(2, starts, npy_part, npy_free, npy, false);
        return *content ? 0 : -ENOMEM;
    }
    free(starts);
    if (npy)
        npy_free(npy);
    return -ENOMEM;
}
