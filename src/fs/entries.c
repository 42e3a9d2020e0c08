/* SPDX-License-Identifier: MIT */
/* Operations on names and attributes. The tree knows them all; here they get how long the
 * kernel may keep them. */

#include "fs/ops.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void op_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct fs *fs = fs_of(request);
    double timeout = fs_timeout_below(fs, parent);
    struct fuse_entry_param entry = {.attr_timeout = timeout, .entry_timeout = timeout};
    uint64_t node;
    int result = ggufs_tree_lookup(fs->tree, parent, name, &node);

    if (result == 0) {
        entry.ino = node;
        result = ggufs_tree_stat(fs->tree, node, &entry.attr);
    } else if (result == -ENOENT) {
        /* Inode 0 says that there is no such name, and that this may be kept. */
        result = 0;
    }
    if (result == 0)
        fuse_reply_entry(request, &entry);
    else
        fuse_reply_err(request, -result);
}

void op_getattr(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
    struct fs *fs = fs_of(request);
    struct stat st;
    int result = ggufs_tree_stat(fs->tree, node, &st);

    (void)info;
    if (result == 0)
        fuse_reply_attr(request, &st, fs_timeout(fs, node));
    else
        fuse_reply_err(request, -result);
}

/* The answer to a request for attributes: how long they are where size is 0, else the
 * bytes. */
static void reply_xattr(fuse_req_t request, const char *bytes, ssize_t length,
                        size_t size)
{
    if (length < 0)
        fuse_reply_err(request, (int)-length);
    else if (size == 0)
        fuse_reply_xattr(request, (size_t)length);
    else
        fuse_reply_buf(request, bytes, (size_t)length);
}

/* ls asks every file for a label and an access control list, unless the first says that
 * there is no such thing here (rather than that it has none). */
static bool is_supported(const char *name)
{
    return strncmp(name, "user.", strlen("user.")) == 0;
}

void op_getxattr(fuse_req_t request, fuse_ino_t node, const char *name, size_t size)
{
    struct fs *fs = fs_of(request);
    char *bytes;

    if (!is_supported(name)) {
        fuse_reply_err(request, ENOTSUP);
        return;
    }
    bytes = fs_scratch(fs, size);
    reply_xattr(request, bytes,
                bytes ? ggufs_tree_getxattr(fs->tree, node, name, bytes, size) : -ENOMEM,
                size);
}

void op_listxattr(fuse_req_t request, fuse_ino_t node, size_t size)
{
    struct fs *fs = fs_of(request);
    char *bytes = fs_scratch(fs, size);

    reply_xattr(request, bytes,
                bytes ? ggufs_tree_listxattr(fs->tree, node, bytes, size) : -ENOMEM,
                size);
}

/* With default_permissions, which is always set, the kernel does not ask. */
void op_access(fuse_req_t request, fuse_ino_t node, int mask)
{
    (void)node;
    fuse_reply_err(request, mask & W_OK ? EROFS : 0);
}

void op_statfs(fuse_req_t request, fuse_ino_t node)
{
    struct statvfs st;
    int result = ggufs_tree_statfs(fs_of(request)->tree, &st);

    (void)node;
    if (result == 0)
        fuse_reply_statfs(request, &st);
    else
        fuse_reply_err(request, -result);
}
