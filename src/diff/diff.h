/* SPDX-License-Identifier: MIT */
/* The difference of two models: keys and tensors that were added, removed, changed. Knows
 * nothing of terminals: lines go to a callback, in an order that is always the same. */

#ifndef GGUFS_DIFF_DIFF_H
#define GGUFS_DIFF_DIFF_H

#include "ggufs.h"

struct diff_options {
    bool brief; /* which ones differ, not how: no values, no numbers of tensors */
    bool json;  /* one JSON object instead of lines for people */
    /* Takes a line without its newline, fit for a terminal. */
    void (*line)(void *data, const char *text);
    /* Told now and then how many bytes of tensors were compared, always from the thread that
     * called diff_models; may be NULL. */
    void (*progress)(void *data, uint64_t done, uint64_t total);
    void *data;
};

/* Compares two trees over one model each. 0 the same, 1 different, 2 where a tensor could not
 * be read (it is named, the others are compared), -errno with error filled. */
int diff_models(struct ggufs_tree *old, struct ggufs_tree *new,
                const struct diff_options *options, struct ggufs_error *error);

#endif
