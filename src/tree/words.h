/* SPDX-License-Identifier: MIT */
/* How types, shapes and byte orders are spelled, the same in info.json, tensors.tsv and the
 * extended attributes. */

#ifndef GGUFS_TREE_WORDS_H
#define GGUFS_TREE_WORDS_H

#include "base/sink.h"
#include "model/model.h"

/* "Q4_K", or the number of an unknown type. */
void word_tensor_type(struct sink *sink, const struct ggufs_tensor *tensor);
/* "4096x32000": row-major, as numpy and PyTorch have it; "scalar" for no dimensions. */
void word_shape(struct sink *sink, const struct ggufs_tensor *tensor);
/* "32000x4096": as stored, fastest varying first. */
void word_dimensions(struct sink *sink, const struct ggufs_tensor *tensor);
const char *word_byte_order(bool big_endian);

/* A key's type, taken out of the head without a walk over the value. */
struct key_type {
    uint32_t type;
    uint32_t element; /* of an array: its elements' type */
    uint64_t count;   /* and how many there are */
};
struct key_type key_type(const struct ggufs_model *model, size_t i);
/* "u32", "arr[str]". */
void word_key_type(struct sink *sink, const struct key_type *type);

/* The head of the first shard that is there: keys, and what holds for the whole set. */
static inline const struct head *first_head(const struct ggufs_model *model)
{
    return &model->shards[model->first].head;
}

#endif
