/* SPDX-License-Identifier: MIT */
/* Reading the head of a file into private memory, and having it parsed there. */

#ifndef GGUFS_MODEL_LOAD_H
#define GGUFS_MODEL_LOAD_H

#include "gguf/head.h"
#include "model/source.h"

/* Fills head, whose address must not change afterwards, and *bytes, which head refers
 * to and which is freed (free) after head_done. 0 or -errno. On failure there is
 * nothing to free. */
int load_head(struct source *source, struct head *head, uint8_t **bytes,
              struct ggufs_error *error);

#endif
