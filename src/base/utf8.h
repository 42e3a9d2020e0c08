/* SPDX-License-Identifier: MIT */
/* Which bytes are valid UTF-8 (RFC 3629: no surrogates, no overlong forms, up to
 * U+10FFFF). */

#ifndef GGUFS_BASE_UTF8_H
#define GGUFS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at the start of bytes (1 to 4), or 0 where there is no valid one
 * within length. */
size_t utf8_length(const char *bytes, size_t length);
/* All of it is valid. */
bool utf8_valid(const char *bytes, size_t length);

#endif
