/* SPDX-License-Identifier: MIT */
/* A file with an access control list, which lets in others than its mode says. */

#ifndef GGUFS_TESTS_ACCESS_LIST_H
#define GGUFS_TESTS_ACCESS_LIST_H

#include <stdbool.h>

/* Its owner may read, and the user 4321, and all others; the owning group may not, though the
 * mode's bits, which are the list's mask, look like it: 0644. False, after saying so, where
 * there are no such lists. */
bool access_list_set(const char *path);

#endif
