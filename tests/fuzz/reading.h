/* SPDX-License-Identifier: MIT */
/* What holds for every tree, whatever it shows: entries, attributes and contents agree with
 * each other, and a file reads the same in one piece, in many, and through the kernel. */

#ifndef GGUFS_FUZZ_READING_H
#define GGUFS_FUZZ_READING_H

#include "harness.h"

/* Checks everything below a directory. */
void reading_check(struct ggufs_tree *tree, uint64_t dir);

#define READING_MAX (4 << 20)

/* The whole file at path: its size, and *text in memory of exactly that size; or -errno, which
 * it is also where there is no such file, or one larger than READING_MAX. */
ssize_t reading_whole(struct ggufs_tree *tree, const char *path, char **text);

#endif
