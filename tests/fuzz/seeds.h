/* SPDX-License-Identifier: MIT */
/* Model files to begin with: of every version and byte order, with every kind of value, type
 * of tensor and odd thing that is mounted with a warning. */

#ifndef GGUFS_FUZZ_SEEDS_H
#define GGUFS_FUZZ_SEEDS_H

#include "harness.h"

void seeds_models(seed_visit_fn *visit, void *data);
/* Sets of shards, one file behind the other. */
void seeds_sets(seed_visit_fn *visit, void *data);

#endif
