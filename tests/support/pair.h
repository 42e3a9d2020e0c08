/* SPDX-License-Identifier: MIT */
/* Two models, built by a test, and what src/diff says of them. Fails the test where something
 * cannot be done. */

#ifndef GGUFS_TESTS_PAIR_H
#define GGUFS_TESTS_PAIR_H

#include <pthread.h>
#include <sys/types.h>

#include "support/build.h"
#include "support/layout.h"

struct pair {
    struct layout layout;
    struct build old, new;
    char text[16384]; /* the lines of the last report */
    pthread_t caller;
    uint64_t done, total; /* of the last progress */
    unsigned calls;
    bool other_thread, backwards;
};

/* For cmocka: two empty builds. */
int pair_setup(void **state);
int pair_teardown(void **state);

/* Compares the two; truncate_new: cut off the new one's file to that size while it is open. */
int pair_compare_cut(struct pair *pair, bool brief, bool json, off_t truncate_new);
int pair_compare(struct pair *pair, bool brief, bool json);
/* A tree over the build, or over what is in the layout under that name. */
struct ggufs_tree *pair_open(struct pair *pair, struct build *build, const char *name);
/* For diff_options: keeps a line of the report. */
void pair_line(void *data, const char *line);

/* -- tensors with data of the test's own -- */

void pair_floats(struct build *build, const char *name, uint64_t n, const float *values);
void pair_bytes(struct build *build, const char *name, uint32_t type, uint64_t n,
                const void *data, uint64_t size);
/* Five tensors whose numbers differ; others, of each way to be the same, differ, come or go. */
void pair_numbers(struct pair *pair);
void pair_tensors(struct pair *pair);

#endif
