/* SPDX-License-Identifier: MIT */
/* The set of three shards that plan_set_new plans, opened as one model. Fails the test where
 * something cannot be done. */

#ifndef GGUFS_TESTS_SHARDS_H
#define GGUFS_TESTS_SHARDS_H

#include "ggufs.h"
#include "support/plan.h"

/* As they are called on disk. */
extern const char *const shard_names[3];

/* For cmocka: a set of plans that is not written yet. */
int shards_setup(void **state);
int shards_teardown(void **state);

/* Opens the set by one of its files. */
struct ggufs_model *shards_open(const struct plan_set *set, const char *name,
                                struct ggufs_options options);
/* The model has tensors of these names, a letter each, in this order. */
void shards_expect(const struct ggufs_model *model, const char *names);
/* Tensor i's data are those of the plan. */
void shards_expect_data(const struct ggufs_model *model, size_t i,
                        const struct plan_tensor *tensor);

/* -- changes to the plans before they are written -- */

void shards_big_endian(struct plan_set *set);
void shards_version_1(struct plan_set *set);
/* The first shard has keys alone, as some tools write sets; its tensors are the second's. */
void shards_first_without_tensors(struct plan_set *set);

#endif
