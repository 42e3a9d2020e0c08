/* SPDX-License-Identifier: MIT */
/* Behind ggufs_quote: the same for texts of our own, which may hold quoted names
 * already. */

#ifndef GGUFS_BASE_QUOTE_H
#define GGUFS_BASE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* As ggufs_quote; a backslash is doubled only where the bytes are a name. */
void quote_bytes(char *buffer, size_t size, const char *bytes, size_t length, bool name);

#endif
