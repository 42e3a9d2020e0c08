/* SPDX-License-Identifier: MIT */
/* One directory, read at once and in one order. */

#ifndef GGUFS_STORES_DIRECTORY_H
#define GGUFS_STORES_DIRECTORY_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "ggufs.h"

struct directory_entry {
    const char *name;
    unsigned char type; /* DT_*, as readdir(3) says: may be DT_UNKNOWN */
};

struct directory {
    struct directory_entry *entries; /* bytewise by name, without "." and ".." */
    size_t count;
    struct stat stat; /* taken before it was read */
    struct arena arena;
};

/* Reads the directory at path (a symbolic link is followed). At most limit entries:
 * the rest is left out, and count is limit then. 0 or -errno; directory_done in either
 * case. */
int directory_read(struct directory *directory, const char *path, size_t limit);
void directory_done(struct directory *directory);

/* Fills error: the directory of what is called so ("store of Ollama") is not there, or cannot
 * be read. Returns -errnum. */
int directory_error(struct ggufs_error *error, int errnum, const char *what,
                    const char *path);

#endif
