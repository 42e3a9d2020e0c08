/* SPDX-License-Identifier: MIT */
/* What every content must hold to: a read of any piece gives the same bytes as a read of the
 * whole, and touches nothing beside its buffer. */

#ifndef GGUFS_TESTS_SLICES_H
#define GGUFS_TESTS_SLICES_H

#include "content/content.h"

/* Fails the test unless the content is size bytes, those of expected, read at once. */
void slices_whole(struct content *content, const void *expected, size_t size);
/* Every start and length within [from, from + span), each into memory of exactly that size. */
void slices_all(struct content *content, const void *expected, size_t from, size_t span);
/* Each length from least to most, from one start. */
void slices_from(struct content *content, const void *expected, size_t start,
                 size_t least, size_t most);

#endif
