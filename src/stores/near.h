/* SPDX-License-Identifier: MIT */
/* For a name that is not there: what there is like it. */

#ifndef GGUFS_STORES_NEAR_H
#define GGUFS_STORES_NEAR_H

#include <stddef.h>

#include "ggufs.h"

#define NEAR_MAX 5

/* Writes up to NEAR_MAX of the n names to near, the most alike first, and returns how
 * many: those that hold the wanted one or are held by it, and those that a few slips of
 * the finger make of it. Case does not count. Of equal ones the earlier is first. */
size_t near_names(const char *wanted, const char *const *names, size_t n,
                  const char *near[NEAR_MAX]);

/* Fills error: "no <what> 'WANTED' in PLACE; like it: 'A', 'B'", or, where nothing is
 * like it, what there is, or that "it has none". Returns -ENOENT. */
int near_error(struct ggufs_error *error, const char *what, const char *wanted,
               const char *place, const char *const *names, size_t n);

/* Writes n names of `all` to text: "'A', 'B' and 7 more". */
void near_list(char *text, size_t size, const char *const *names, size_t n, size_t all);

#endif
