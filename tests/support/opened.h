/* SPDX-License-Identifier: MIT */
/* A model out of a builder or a file, open, with its tree; and what a test asks of it all the
 * time. Fails the test where something cannot be done. */

#ifndef GGUFS_TESTS_OPENED_H
#define GGUFS_TESTS_OPENED_H

#include <jansson.h>

#include "support/build.h"
#include "tree/tree.h"

struct opened {
    char directory[256]; /* temporary; empty where there is none */
    struct ggufs_model *model;
    struct tree *tree;
};

/* Writes the built file as model.gguf into a temporary directory and opens it; build is done
 * then. options may be NULL. */
void opened_build(struct opened *opened, struct build *build,
                  const struct ggufs_options *options);
void opened_file(struct opened *opened, const char *path,
                 const struct ggufs_options *options);
void opened_close(struct opened *opened);

/* The node at a path of at most two names. */
uint32_t opened_node(const struct opened *opened, const char *path);
/* The whole file, with a NUL behind; free it. size may be NULL. */
char *opened_read(const struct opened *opened, const char *path, size_t *size);
/* A file as JSON; the caller's reference. */
json_t *opened_json(const struct opened *opened, const char *path);

#endif
