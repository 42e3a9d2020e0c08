/* SPDX-License-Identifier: MIT */
/* One of the models of a repository, chosen by its file or by how it is quantised. */

#ifndef GGUFS_STORES_PICK_H
#define GGUFS_STORES_PICK_H

#include "ggufs.h"
#include "stores/found.h"

/* What the list holds are the models of one repository, which stand in `folder`. Leaves
 * one in it and makes it single: the one whose file is called wanted (with or without
 * folders in the repository, .gguf, a shard's suffix), else the only model whose file
 * name has wanted as one of its parts ("Q4_K_M"; parts end at '-', '.', '/', and case
 * does not count). error says what there is, or between which to choose. wanted may be
 * empty: the only model there is (a projector beside it does not count); with several
 * the list stays as it is. */
int pick_model(struct found_list *list, const char *folder, const char *wanted,
               const char *place, struct ggufs_error *error);

#endif
