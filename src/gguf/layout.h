/* SPDX-License-Identifier: MIT */
/* Where the tensors of a parsed head lie in the file, and what is odd about that. */

#ifndef GGUFS_GGUF_LAYOUT_H
#define GGUFS_GGUF_LAYOUT_H

#include "gguf/head.h"
#include "gguf/warnings.h"

/* Sets data_offset, turns the tensors' offsets to absolute ones, measures extents, and warns
 * of unaligned, unordered, overlapping and missing data. 0 or -errno. */
int layout_tensors(struct head *head, struct warnings *warnings,
                   struct ggufs_error *error);

/* Builds the tables by name and warns of names that are there twice. 0 or -errno. */
int head_index(struct head *head, struct warnings *warnings, struct ggufs_error *error);

#endif
