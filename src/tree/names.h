/* SPDX-License-Identifier: MIT */
/* The one rule that makes a file name of any bytes (a key, a tensor's name, a model's), and
 * back. '/', NUL, bytes below 0x20, 0x7f, bytes that are not valid UTF-8, '%', and the first
 * dot of "." and ".." become %XX (upper case); an empty name is "%". */

#ifndef GGUFS_TREE_NAMES_H
#define GGUFS_TREE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_MAX_BYTES 255

/* Whether the name stands for itself: nothing to escape or cut for `room` bytes. */
bool name_is_plain(const char *bytes, uint64_t length, size_t room);
/* Writes the file name to out (room + 1 bytes; room at most NAME_MAX_BYTES) with its NUL and
 * returns its length. Above room: cut at a character (never inside a %XX), then "%~" and 16
 * hex digits of a hash of the whole name (SipHash-2-4 under a fixed, published key). */
size_t name_escape(const char *bytes, uint64_t length, char *out, size_t room);
/* The bytes that an uncut file name stands for: true with *out_length set (out has room for
 * length bytes), false where it is none that name_escape writes. */
bool name_unescape(const char *name, size_t length, char *out, size_t *out_length);

#endif
