/* SPDX-License-Identifier: MIT */
/* What a tree shows, kept, to be held against the same tree with a call that failed: each answer
 * must be what it was, or a clean error. */

#ifndef GGUFS_TESTS_RECORD_H
#define GGUFS_TESTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "ggufs.h"
#include "inject.h"

struct record;

/* Everything below the tree's root. The record is the caller's to free. */
struct record *record_new(struct ggufs_tree *tree);
/* Whether the tree is over one model where that of the record was. */
bool record_fits(const struct record *record, const struct ggufs_tree *tree);
void record_free(struct record *record);

/* How a comparison went. */
struct outcome {
    unsigned long errors; /* answers that were an error and are none in the record */
    unsigned long wrong;  /* answers that were neither */
    char first[600];      /* what was wrong first */
};

/* Notes a wrong answer. */
__attribute__((format(printf, 2, 3))) void outcome_wrong(struct outcome *outcome,
                                                         const char *format, ...);

/* Whether rc is an error that the fault may lead to. */
bool outcome_allows(const struct inject_fault *fault, long rc);

/* Asks the tree for everything in the record. fault: what may have been injected meanwhile; NULL
 * where every answer must be right. Allocates nothing. */
void record_compare(const struct record *record, struct ggufs_tree *tree,
                    const struct inject_fault *fault, struct outcome *outcome);

#endif
