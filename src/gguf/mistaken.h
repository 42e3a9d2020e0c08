/* SPDX-License-Identifier: MIT */
/* Files that people take for GGUF. */

#ifndef GGUFS_GGUF_MISTAKEN_H
#define GGUFS_GGUF_MISTAKEN_H

#include <stddef.h>
#include <stdint.h>

#define MISTAKEN_SIZE 64 /* bytes from a file's start that are enough to know one */

/* What a file that begins so is ("a zip archive"), or NULL where nothing is recognised. */
const char *mistaken_for(const uint8_t *bytes, size_t size);

#endif
