/* SPDX-License-Identifier: MIT */
/* The directory that is mounted on: whether it will do, and the one that is made for
 * it. */

#ifndef FS_MOUNTPOINT_H
#define FS_MOUNTPOINT_H

#include "fs/mount.h"
#include "fs/mountinfo.h"

struct mountpoint {
    char *path;             /* absolute, without symbolic links */
    bool made;              /* here, to be removed again */
    bool mounted;           /* mount is filled */
    struct mountinfo mount; /* ours */
};

/* Makes the directory if that is wanted, and looks at it. 0, or an exit status with error
 * filled and nothing left behind. mountpoint_done may be called either way. */
int mountpoint_init(struct mountpoint *point, const struct mount_options *options,
                    struct ggufs_error *error);
/* Forgets the mountpoint; removes the directory if it was made and remove is set. */
void mountpoint_done(struct mountpoint *point, bool remove);

/* Notes which mount is there now: it is ours. */
void mountpoint_mounted(struct mountpoint *point);
/* Unmounts it, if it is still there: from now on nobody finds it, though it is in use by
 * some. 0 or -errno. */
int mountpoint_unmount(struct mountpoint *point);

#endif
