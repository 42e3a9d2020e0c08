/* SPDX-License-Identifier: MIT */
/* Makes one model of the shards that were opened. */

#ifndef GGUFS_MODEL_JOIN_H
#define GGUFS_MODEL_JOIN_H

#include "model/model.h"

/* Numbers the tensors of all shards and, for a set, checks that the shards fit each
 * other and warns of those that are missing. 0 or -errno: what disagrees is in the
 * error. */
int join_shards(struct ggufs_model *model, struct ggufs_error *error);

#endif
