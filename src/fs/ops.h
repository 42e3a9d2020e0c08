/* SPDX-License-Identifier: MIT */
/* What the kernel's requests are answered with: the operations on a tree, in ops.c's
 * table. A node of the tree is its inode, so nothing is looked up, counted or
 * forgotten. */

#ifndef FS_OPS_H
#define FS_OPS_H

#include "fs/fuse_version.h"
#include "fs/mount.h"
#include "fs/passthrough.h"
#include "fs/rings.h"

#include <pthread.h>
#include <stdatomic.h>

/* What the operations work on: libfuse's userdata. */
struct fs {
    struct ggufs_tree *tree;
    struct mount_log *log;
    struct fuse_conn_info_opts *conn; /* the user's wishes, or NULL */
    unsigned int max_read;            /* likewise; 0: none said */
    bool direct;                      /* reads go past the kernel's page cache */
    bool single;           /* a tree over one model: nothing in it ever changes */
    pthread_key_t scratch; /* each thread's own buffer */
    atomic_bool truncation_told;
    struct passthrough passthrough;
    struct rings rings;
};

/* 0 or -errno. The tree stays the caller's. */
int fs_init(struct fs *fs, struct ggufs_tree *tree, struct mount_log *log);
void fs_done(struct fs *fs);

/* For libfuse's fuse_session_new. */
extern const struct fuse_lowlevel_ops fs_ops;

/* -- for the operations -- */

struct fs *fs_of(fuse_req_t request);

/* At least size bytes that are the calling thread's until it asks again. NULL: no
 * memory. */
void *fs_scratch(struct fs *fs, size_t size);

/* How long, in seconds, the kernel may keep what it was told: about a directory's entries
 * (timeout_below) and a node's attributes. */
double fs_timeout_below(const struct fs *fs, fuse_ino_t dir);
double fs_timeout(const struct fs *fs, fuse_ino_t node);

/* entries.c: names and attributes */
void op_lookup(fuse_req_t request, fuse_ino_t parent, const char *name);
void op_getattr(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info);
void op_getxattr(fuse_req_t request, fuse_ino_t node, const char *name, size_t size);
void op_listxattr(fuse_req_t request, fuse_ino_t node, size_t size);
void op_access(fuse_req_t request, fuse_ino_t node, int mask);
void op_statfs(fuse_req_t request, fuse_ino_t node);

/* files.c: bytes */
void op_open(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info);
void op_read(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
             struct fuse_file_info *info);
void op_release(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info);

/* directories.c: listings */
void op_opendir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info);
void op_readdir(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
                struct fuse_file_info *info);
void op_readdirplus(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
                    struct fuse_file_info *info);
void op_releasedir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info);

#endif
