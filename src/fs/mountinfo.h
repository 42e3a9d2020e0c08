/* SPDX-License-Identifier: MIT */
/* What the kernel says is mounted somewhere. Asks /proc and not the directory: one whose
 * filesystem is dead or hangs can be asked about as well. */

#ifndef FS_MOUNTINFO_H
#define FS_MOUNTINFO_H

#include <stdbool.h>
#include <stdio.h>

struct mountinfo {
    unsigned int id;           /* of the mount; nobody else's as long as it exists */
    unsigned int major, minor; /* of the filesystem */
    char type[64];             /* such as "fuse.ggufs" */
};

/* The mount that is on top at an absolute path without symbolic links. False: none
 * there. */
bool mountinfo_find(const char *path, struct mountinfo *info);

/* The same from a file in the form of /proc/self/mountinfo. */
bool mountinfo_search(FILE *file, const char *path, struct mountinfo *info);

#endif
