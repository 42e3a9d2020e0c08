/* SPDX-License-Identifier: MIT */
/* Paths as text; looks at no disk. */

#ifndef GGUFS_BASE_PATH_H
#define GGUFS_BASE_PATH_H

#include <string.h>

/* What stands behind the last '/' of a path: the file's name, "" where the path ends in one.
 * Points into path. */
static inline const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
