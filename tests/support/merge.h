/* SPDX-License-Identifier: MIT */
/* A set of shards merged by other code than the library's, to hold the view model.gguf against. */

#ifndef GGUFS_TESTS_MERGE_H
#define GGUFS_TESTS_MERGE_H

#include "content/content.h"
#include "ggufs.h"
#include "support/plan.h"

/* The file that the set ought to become; free bytes. */
struct plan_bytes merge(const struct plan_set *set);

struct ggufs_model *merge_open(const char *path);
/* The content's bytes are these, by reading and by gathering, in windows of that size. */
void merge_expect_windows(struct content *content, const uint8_t *bytes, size_t size,
                          size_t window);
/* So are those of the model's model.gguf, in windows of several sizes. */
void merge_expect(const struct ggufs_model *model, const uint8_t *bytes, size_t size);

#endif
