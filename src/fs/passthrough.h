/* SPDX-License-Identifier: MIT */
/* Passthrough: a file of the mount that is a model file from its first byte to its last
 * (model.gguf) is read by the kernel from that file, without asking us. Takes Linux 6.9,
 * libfuse 3.17 and CAP_SYS_ADMIN; where one lacks, these functions do nothing. */

#ifndef FS_PASSTHROUGH_H
#define FS_PASSTHROUGH_H

#include "fs/fuse_version.h"
#include "ggufs.h"

/* The one file that is passed through. */
struct passthrough {
    bool possible;
    int backing; /* the model file's descriptor */
    int id;      /* the kernel's name for it; 0: none */
};

/* Asks for the capability; to be called in the init operation. */
void passthrough_want(struct passthrough *passthrough, struct fuse_conn_info *conn);

/* Looks for such a file in the root of a tree over one model and tells the kernel of it.
 * After the mount has begun, and before the right to do so is given up. */
void passthrough_begin(struct passthrough *passthrough, struct fuse_session *session,
                       struct ggufs_tree *tree);

/* Marks a file that is being opened as passed through, if it is the one. */
void passthrough_use(const struct passthrough *passthrough, struct ggufs_file *file,
                     struct fuse_file_info *info);

#endif
