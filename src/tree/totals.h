/* SPDX-License-Identifier: MIT */
/* Sums over the tensors of a model: all of them, and type by type. */

#ifndef GGUFS_TREE_TOTALS_H
#define GGUFS_TREE_TOTALS_H

#include "ggufs.h"

struct type_total {
    uint32_t type_id;
    uint64_t tensors;
    uint64_t parameters; /* elements */
    uint64_t bytes;
};

/* A sum that passes 2^64 - 1, as broken files may have it, stays there. */
struct totals {
    struct type_total all;    /* type_id means nothing */
    struct type_total *types; /* those that occur, by rising type_id */
    size_t n_types;
};

/* One pass over the tensors. 0 or -ENOMEM. */
int totals_init(struct totals *totals, const struct ggufs_model *model);
void totals_done(struct totals *totals);

#endif
