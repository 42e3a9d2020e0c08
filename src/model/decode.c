/* SPDX-License-Identifier: MIT */
/* Bytes and values of tensors for callers that want to see them: read into buffers, never
 * taken from the map. What a block's bytes mean is quant/'s. */

#include <errno.h>
#include <string.h>

#include "base/checked.h"
#include "model/model.h"
#include "quant/quant.h"

#define BUFFER_SIZE 16384 /* of whole blocks, read at once */
#define BLOCK_MAX   256   /* elements of the largest block there is */

int ggufs_tensor_read(const struct ggufs_model *model, size_t i, uint64_t offset,
                      void *buffer, size_t size)
{
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    const struct tensor *tensor = &shard->head.tensors[local];
    uint64_t start;
    if (offset > tensor->size || size > tensor->size - offset)
        return -EINVAL;
    if (!checked_add(tensor->offset, offset, &start))
        return -EIO;
    return source_read(shard->source, start, buffer, size);
}

/* A decoder at work on one tensor. */
struct decoding {
    const struct ggufs_model *model;
    size_t tensor;
    const struct ggufs_type *type;
    quant_decode_fn *decode;
    bool big_endian;
};

/* Values of one block, from its element `skip` on. */
static int decode_part(const struct decoding *decoding, uint64_t block, uint64_t skip,
                       float *out, size_t count)
{
    uint8_t bytes[BUFFER_SIZE];
    float values[BLOCK_MAX];
    uint32_t size = decoding->type->type_size;
    int rc =
        ggufs_tensor_read(decoding->model, decoding->tensor, block * size, bytes, size);
    if (rc < 0)
        return rc;
    decoding->decode(bytes, 1, values, decoding->big_endian);
    memcpy(out, values + skip, count * sizeof(*out));
    return 0;
}

/* As many whole blocks, from one on. */
static int decode_blocks(const struct decoding *decoding, uint64_t block, size_t n_blocks,
                         float *out)
{
    uint8_t bytes[BUFFER_SIZE];
    uint32_t size = decoding->type->type_size;
    while (n_blocks > 0) {
        size_t n = BUFFER_SIZE / size;
        if (n > n_blocks)
            n = n_blocks;
        int rc = ggufs_tensor_read(decoding->model, decoding->tensor, block * size, bytes,
                                   n * size);
        if (rc < 0)
            return rc;
        decoding->decode(bytes, n, out, decoding->big_endian);
        out += n * decoding->type->block_size;
        block += n;
        n_blocks -= n;
    }
    return 0;
}

static int decode_range(const struct decoding *decoding, uint64_t first, float *out,
                        size_t count)
{
    uint32_t block_size = decoding->type->block_size;
    uint64_t skip = first % block_size;
    size_t part = 0;
    int rc = 0;
    if (skip > 0) {
        part = count < block_size - skip ? count : (size_t)(block_size - skip);
        rc = decode_part(decoding, first / block_size, skip, out, part);
    }
    first += part;
    out += part;
    count -= part;
    size_t whole = count - count % block_size;
    if (rc == 0)
        rc = decode_blocks(decoding, first / block_size, whole / block_size, out);
    if (rc == 0 && whole < count)
        rc = decode_part(decoding, (first + whole) / block_size, 0, out + whole,
                         count - whole);
    return rc;
}

int ggufs_tensor_decode(const struct ggufs_model *model, size_t i, uint64_t first,
                        float *out, size_t count)
{
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    const struct tensor *tensor = &shard->head.tensors[local];
    const struct decoding decoding = {
        .model = model,
        .tensor = i,
        .type = ggufs_type_by_id(tensor->type_id),
        .decode = quant_decoder(tensor->type_id),
        .big_endian = shard->head.big_endian,
    };
    if (!decoding.type || !decoding.decode || tensor->extent ||
        decoding.type->block_size > BLOCK_MAX)
        return -ENOTSUP;
    if (first > tensor->n_elements || count > tensor->n_elements - first)
        return -EINVAL;
    return decode_range(&decoding, first, out, count);
}
