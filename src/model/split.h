/* SPDX-License-Identifier: MIT */
/* What the head of one file says of the set that it belongs to. */

#ifndef GGUFS_MODEL_SPLIT_H
#define GGUFS_MODEL_SPLIT_H

#include "gguf/head.h"

struct split {
    uint64_t count;   /* files of the set; 0 and 1: the file is not split */
    uint64_t no;      /* which one this is, from 0 */
    uint64_t tensors; /* of the whole set */
    bool has_no;
    bool has_tensors;
    uint64_t count_offset; /* of the keys' records, for messages; 0 where there is none */
    uint64_t no_offset;
    uint64_t tensors_offset;
};

/* 0, or -errno where one of the keys is no whole number. */
int split_read(const struct head *head, struct split *split, struct ggufs_error *error);

#endif
