/* SPDX-License-Identifier: MIT */
/* Filling the caller's error. The first one wins. */

#ifndef FS_FAILURE_H
#define FS_FAILURE_H

#include "fs/mount.h"

/* error says that errnum (0: nothing that strerror could explain) was met at file (NULL:
 * the one that the caller names), in the format's words. Returns the exit status
 * MOUNT_FAILED. */
int mount_failure(struct ggufs_error *error, int errnum, const char *file,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for what was asked for wrongly: GGUFS_USAGE. */
int usage_failure(struct ggufs_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
