/* SPDX-License-Identifier: MIT */
/* The inside of the view model.gguf (merged_content is in tree/views.h): where
 * everything lies in the merged file, and its head. */

#ifndef GGUFS_TREE_MERGED_H
#define GGUFS_TREE_MERGED_H

#include "model/model.h"

/* The file that model.gguf is byte for byte, from its first to its last; NULL for a
 * set. */
struct source *merged_backing(const struct ggufs_model *model);

/* -- the data section: tensors in the order of shards and files, each padded -- */

struct merged_place {
    const struct shard *shard;
    const struct tensor *tensor;
    uint64_t offset;  /* from the start of the data section */
    uint64_t padding; /* behind it */
};

struct merged_walk {
    const struct ggufs_model *model;
    size_t shard;
    size_t local;
    uint64_t offset;
};

/* All places, from a walk that has only its model set: 1 with place filled, 0 at the end,
 * -EFBIG where the data would be larger than a file can be. */
int merged_next(struct merged_walk *walk, struct merged_place *place);

uint64_t merged_alignment(const struct ggufs_model *model);

/* -- the head: as the tool that merges writes it, up to the padding behind it -- */

/* Its bytes: 0 or -EFBIG. */
int merged_head_size(const struct ggufs_model *model, uint64_t *size);
/* Writes it to out, which has room for them. */
void merged_head_write(const struct ggufs_model *model, uint8_t *out);

#endif
