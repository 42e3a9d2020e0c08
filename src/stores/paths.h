/* SPDX-License-Identifier: MIT */
/* Paths, the places that the environment names, and small files, for the stores. What is
 * given out lives in the caller's arena; NULL means that memory is out, unless it says
 * otherwise. */

#ifndef GGUFS_STORES_PATHS_H
#define GGUFS_STORES_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"

/* "a/b". b without a slash at its front. */
char *path_join(struct arena *arena, const char *a, const char *b);
/* An absolute path as it is; a relative one behind the current directory, at once, so
 * that it survives a change of directory. No slash at its end, no "." parts at its
 * front. */
char *path_absolute(struct arena *arena, const char *path);

/* $HOME, else what the system's list of users says; never NULL but for memory. */
char *path_home(struct arena *arena);
/* The absolute path in an environment variable, "~/" being the home; *path is NULL where
 * the variable is not set or empty. 0 or -ENOMEM. */
int path_from_environment(struct arena *arena, const char *variable, char **path);

bool is_directory(const char *path);
/* 1, 0 (also where there is nothing), or -errno where it cannot be told, which may pass. */
int leads_to_directory(const char *path);

/* Fit to be one part of a path below a store: not empty, not "." or "..", without '/'. */
bool is_part(const char *name, size_t length);

/* Reads a regular file of at most limit bytes; the bytes end in a NUL that is not
 * counted. stat (may be NULL) is what the file was then. 0; -EFBIG above the limit;
 * -EINVAL where it is no regular file (a FIFO does not block); -errno. */
int read_small(struct arena *arena, const char *path, size_t limit, char **bytes,
               size_t *length, struct stat *stat);

#endif
