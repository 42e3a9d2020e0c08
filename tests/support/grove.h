/* SPDX-License-Identifier: MIT */
/* Small models laid out in a temporary directory, and a public tree over them. Fails the test
 * where something cannot be done. */

#ifndef GGUFS_TESTS_GROVE_H
#define GGUFS_TESTS_GROVE_H

#include "forest/forest.h"
#include "support/layout.h"

struct grove {
    struct layout layout;
    struct ggufs_tree *tree;
    struct ggufs_options options; /* used by grove_open; log is the grove's */
    char log[4096];               /* lines, the directory left out */
};

void grove_new(struct grove *grove);
void grove_free(struct grove *grove);

/* A model of that architecture with one tensor "w" of n F32 values, written anew. */
void grove_model(struct grove *grove, const char *path, const char *architecture,
                 uint64_t n);
/* A set of shards, DIRECTORY/NAME-0000i-of-0000n.gguf, with a tensor each. */
void grove_shard(struct grove *grove, const char *path, uint32_t i, uint32_t n);

/* Opens the tree over a path in the layout, or a name in a store. */
void grove_open(struct grove *grove, const char *what);
/* As if the last look at the folders were long ago. */
void grove_wait(struct grove *grove);

/* The names in a directory ("" is the root), each with a blank behind. Free it. */
char *grove_list(struct grove *grove, const char *path);
uint64_t grove_node(struct grove *grove, const char *path);
/* The whole file, with a NUL behind; root/ is left out. Free it. */
char *grove_read(struct grove *grove, const char *path);
/* The layout's directory taken out of a text. */
void grove_strip(const struct grove *grove, char *text);

/* Descriptors that this process has open for files below the layout. */
size_t grove_descriptors(const struct grove *grove);

#endif
