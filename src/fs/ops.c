/* SPDX-License-Identifier: MIT */
/* The table of operations, what they share, and those that only refuse: everything is
 * mounted read-only, so that the kernel answers EROFS itself; the writing operations are
 * here for a mount that was remounted behind our back. */

#include "fs/ops.h"

#include <errno.h>
#include <stdlib.h>

/* Nothing changes in a model's tree, as long as it is mounted. The top directory over
 * many models follows the disk. */
#define FOR_EVER     (365.0 * 86400)
#define FOR_A_MOMENT 1.0

/* The largest request that is asked for. */
#define READ_MAX (1U << 20)

static const uint64_t wanted[] = {
    FUSE_CAP_ASYNC_READ,
    FUSE_CAP_ASYNC_DIO,
    FUSE_CAP_PARALLEL_DIROPS,
    FUSE_CAP_READDIRPLUS,
};

static const uint64_t unwanted[] = {
    FUSE_CAP_SPLICE_READ,
    FUSE_CAP_SPLICE_WRITE,
    FUSE_CAP_SPLICE_MOVE,
};

struct scratch {
    size_t size;
    char bytes[];
};

int fs_init(struct fs *fs, struct ggufs_tree *tree, struct mount_log *log)
{
    *fs = (struct fs){.tree = tree, .log = log, .single = ggufs_tree_model(tree) != NULL};
    atomic_init(&fs->truncation_told, false);
    return -pthread_key_create(&fs->scratch, free);
}

void fs_done(struct fs *fs)
{
    free(pthread_getspecific(fs->scratch));
    pthread_key_delete(fs->scratch);
}

struct fs *fs_of(fuse_req_t request)
{
    return fuse_req_userdata(request);
}

void *fs_scratch(struct fs *fs, size_t size)
{
    struct scratch *scratch = pthread_getspecific(fs->scratch);

    if (scratch && scratch->size >= size)
        return scratch->bytes;
    free(scratch);
    scratch = malloc(sizeof *scratch + size);
    if (scratch)
        scratch->size = size;
    /* Also where that is NULL: the old one is gone. */
    if (pthread_setspecific(fs->scratch, scratch) != 0) {
        free(scratch);
        return NULL;
    }
    return scratch ? scratch->bytes : NULL;
}

double fs_timeout_below(const struct fs *fs, fuse_ino_t dir)
{
    return fs->single || dir != GGUFS_ROOT ? FOR_EVER : FOR_A_MOMENT;
}

double fs_timeout(const struct fs *fs, fuse_ino_t node)
{
    uint64_t parent;

    if (fs->single)
        return FOR_EVER;
    if (ggufs_tree_parent(fs->tree, node, &parent) != 0)
        return 0;
    return fs_timeout_below(fs, parent);
}

/* Large requests and readahead, as far as the kernel goes; no splicing, since requests
 * are small and answers go out of the map by writev. */
static void op_init(void *userdata, struct fuse_conn_info *conn)
{
    struct fs *fs = userdata;

    conn->max_write = READ_MAX; /* libfuse derives from it the pages of a request */
    conn->max_read = fs->max_read;
    conn->max_background = 64;
    conn->congestion_threshold = 48;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        capability_want(conn, wanted[i]);
    if (fs->conn)
        fuse_apply_conn_info_opts(fs->conn, conn);
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        capability_refuse(conn, unwanted[i]);
    if (fs->single) /* numbers never change their meaning: no need to compare times */
        capability_refuse(conn, FUSE_CAP_AUTO_INVAL_DATA);
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
    if (fs->direct) /* else nobody could map a file (shared) that is read directly */
        capability_want(conn, FUSE_CAP_DIRECT_IO_ALLOW_MMAP);
#endif
    passthrough_want(&fs->passthrough, conn);
    rings_want(&fs->rings, conn);
}

/* -- what is refused -- */

static void refuse(fuse_req_t request)
{
    fuse_reply_err(request, EROFS);
}

static void op_setattr(fuse_req_t request, fuse_ino_t node, struct stat *st, int which,
                       struct fuse_file_info *info)
{
    (void)node, (void)st, (void)which, (void)info;
    refuse(request);
}

static void op_mknod(fuse_req_t request, fuse_ino_t dir, const char *name, mode_t mode,
                     dev_t device)
{
    (void)dir, (void)name, (void)mode, (void)device;
    refuse(request);
}

static void op_mkdir(fuse_req_t request, fuse_ino_t dir, const char *name, mode_t mode)
{
    (void)dir, (void)name, (void)mode;
    refuse(request);
}

static void op_remove(fuse_req_t request, fuse_ino_t dir, const char *name)
{
    (void)dir, (void)name;
    refuse(request);
}

static void op_symlink(fuse_req_t request, const char *target, fuse_ino_t dir,
                       const char *name)
{
    (void)target, (void)dir, (void)name;
    refuse(request);
}

static void op_rename(fuse_req_t request, fuse_ino_t dir, const char *name,
                      fuse_ino_t new_dir, const char *new_name, unsigned int flags)
{
    (void)dir, (void)name, (void)new_dir, (void)new_name, (void)flags;
    refuse(request);
}

static void op_link(fuse_req_t request, fuse_ino_t node, fuse_ino_t dir, const char *name)
{
    (void)node, (void)dir, (void)name;
    refuse(request);
}

static void op_write(fuse_req_t request, fuse_ino_t node, const char *bytes, size_t size,
                     off_t offset, struct fuse_file_info *info)
{
    (void)node, (void)bytes, (void)size, (void)offset, (void)info;
    refuse(request);
}

static void op_setxattr(fuse_req_t request, fuse_ino_t node, const char *name,
                        const char *value, size_t size, int flags)
{
    (void)node, (void)name, (void)value, (void)size, (void)flags;
    refuse(request);
}

static void op_create(fuse_req_t request, fuse_ino_t dir, const char *name, mode_t mode,
                      struct fuse_file_info *info)
{
    (void)dir, (void)name, (void)mode, (void)info;
    refuse(request);
}

static void op_fallocate(fuse_req_t request, fuse_ino_t node, int mode, off_t offset,
                         off_t length, struct fuse_file_info *info)
{
    (void)node, (void)mode, (void)offset, (void)length, (void)info;
    refuse(request);
}

const struct fuse_lowlevel_ops fs_ops = {
    .init = op_init,
    .lookup = op_lookup,
    .getattr = op_getattr,
    .open = op_open,
    .read = op_read,
    .release = op_release,
    .opendir = op_opendir,
    .readdir = op_readdir,
    .readdirplus = op_readdirplus,
    .releasedir = op_releasedir,
    .statfs = op_statfs,
    .getxattr = op_getxattr,
    .listxattr = op_listxattr,
    .access = op_access,
    .setattr = op_setattr,
    .mknod = op_mknod,
    .mkdir = op_mkdir,
    .unlink = op_remove,
    .rmdir = op_remove,
    .symlink = op_symlink,
    .rename = op_rename,
    .link = op_link,
    .write = op_write,
    .setxattr = op_setxattr,
    .removexattr = op_remove,
    .create = op_create,
    .fallocate = op_fallocate,
};
