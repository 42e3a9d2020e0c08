/* SPDX-License-Identifier: MIT */
/* Opening what the command line names, and saying so where it cannot be opened. */

#ifndef GGUFS_CLI_OPEN_H
#define GGUFS_CLI_OPEN_H

#include "cli/options.h"
#include "ggufs.h"

/* Opens the tree over the first n operands, which tells log what nobody waits for. 0, or the
 * exit status after the message. */
int open_tree(const struct options *options, size_t n,
              void (*log)(void *log_data, const char *line), void *log_data,
              struct ggufs_tree **tree);

/* For a command that mounts nothing, once and before it opens a model: gives up all rights of
 * the process but to read files. */
void only_read(const struct options *options);

/* Opens the tree over one model for a command that mounts nothing. The same. */
int open_model(const struct options *options, const char *name, struct ggufs_tree **tree);

/* The node at path. The same. */
int open_node(struct ggufs_tree *tree, const char *path, uint64_t *node);

#endif
