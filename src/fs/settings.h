/* SPDX-License-Identifier: MIT */
/* The options of -o that are for the mount, sorted: which are ours, which go on to
 * libfuse. */

#ifndef FS_SETTINGS_H
#define FS_SETTINGS_H

#include "fs/fuse_version.h"
#include "fs/mount.h"
#include "fs/privileges.h"

struct settings {
    struct fuse_args args;            /* what is left for fuse_session_new */
    struct fuse_conn_info_opts *conn; /* max_readahead= and the like */
    struct privileges privileges;
    unsigned int max_read;         /* 0: as much as the kernel likes */
    unsigned int max_threads;      /* 0: libfuse's own number */
    unsigned int max_idle_threads; /* likewise */
    int clone_fd;
    int io_uring;
};

/* 0, or an exit status with error filled. settings_done either way. */
int settings_init(struct settings *settings, const struct mount_options *options,
                  struct ggufs_error *error);
void settings_done(struct settings *settings);

#endif
