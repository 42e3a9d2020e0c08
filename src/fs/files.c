/* SPDX-License-Identifier: MIT */
/* Operations on open files. What lies in a model goes from its map to the kernel in one
 * writev: this process never touches it, so that a model that is cut off under the mount
 * costs its reader an EIO and nobody else anything. What comes through io_uring is
 * answered in rings.c. */

#include "fs/ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* Pieces in one answer: several tensors and the padding between them. */
#define PIECES_MAX 64

/* What the kernel holds by its number. It may release it as soon as it has an answer, which
 * is before the writev that brought it has returned: the pieces of that answer have to stay
 * where they are until then. */
struct opened {
    struct ggufs_file *file;
    atomic_uint users; /* the kernel, and answers on their way */
};

static struct opened *opened_of(const struct fuse_file_info *info)
{
    return (struct opened *)(uintptr_t)info->fh;
}

static int opened_new(struct fs *fs, fuse_ino_t node, struct opened **opened)
{
    int result;

    *opened = malloc(sizeof **opened);
    if (!*opened)
        return -ENOMEM;
    atomic_init(&(*opened)->users, 1);
    result = ggufs_file_open(fs->tree, node, &(*opened)->file);
    if (result != 0)
        free(*opened);
    return result;
}

static void opened_leave(struct opened *opened)
{
    if (atomic_fetch_sub(&opened->users, 1) != 1)
        return;
    ggufs_file_close(opened->file);
    free(opened);
}

/* Pages that the kernel has of a file stay good for the next reader: its number is given
 * to nothing else, and a model that was rewritten does not open any more (ESTALE). Only
 * the table over many models is made anew each time. */
static bool keeps_cache(const struct fs *fs, fuse_ino_t node)
{
    uint64_t parent;

    return fs->single ||
           (ggufs_tree_parent(fs->tree, node, &parent) == 0 && parent != GGUFS_ROOT);
}

void op_open(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
    struct fs *fs = fs_of(request);
    struct opened *opened;
    int result;

    if ((info->flags & O_ACCMODE) != O_RDONLY || info->flags & O_TRUNC) {
        fuse_reply_err(request, EROFS);
        return;
    }
    result = opened_new(fs, node, &opened);
    if (result != 0) {
        fuse_reply_err(request, -result);
        return;
    }
    info->fh = (uintptr_t)opened;
    info->direct_io = fs->direct;
    info->keep_cache = !fs->direct && keeps_cache(fs, node);
    passthrough_use(&fs->passthrough, opened->file, info);
    if (fuse_reply_open(request, info) != 0) /* the one who asked is gone: no release */
        opened_leave(opened);
}

void op_release(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
    (void)node;
    opened_leave(opened_of(info));
    fuse_reply_err(request, 0);
}

static void interrupt(fuse_req_t request, void *stop)
{
    (void)request;
    *(volatile int *)stop = 1;
}

/* Where the bytes are. While they are looked for (a sum over a whole model can take
 * minutes), the reader may give up. Taking the interrupt's function back waits for one
 * that is under way, so that none comes when stop is no more. */
static ssize_t gather(fuse_req_t request, struct ggufs_file *file, off_t offset,
                      size_t size, struct iovec *pieces, int *n)
{
    void *scratch = fs_scratch(fs_of(request), size);
    int stop = 0;
    ssize_t result;

    if (!scratch)
        return -ENOMEM;
    fuse_req_interrupt_func(request, interrupt, &stop);
    result = ggufs_file_gather(file, (uint64_t)offset, size, scratch, pieces, n, &stop);
    fuse_req_interrupt_func(request, NULL, NULL);
    return result;
}

/* The kernel could not copy what it was given: the model is shorter than it was, or its
 * disk has a fault. It has answered EIO to the reader itself. */
static void tell_truncation(struct fs *fs)
{
    if (!atomic_exchange(&fs->truncation_told, true))
        mount_log(fs->log,
                  "model data cannot be read any more: the file was truncated, or "
                  "its disk fails; readers get EIO");
}

static void reply_read(fuse_req_t request, struct ggufs_file *file, off_t offset,
                       size_t size)
{
    struct iovec pieces[PIECES_MAX];
    int n = PIECES_MAX;
    struct fs *fs = fs_of(request);
    ssize_t result = gather(request, file, offset, size, pieces, &n);

    if (result < 0)
        fuse_reply_err(request, (int)-result);
    else if (fuse_reply_iov(request, pieces, n) == -EFAULT)
        tell_truncation(fs);
}

void op_read(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
             struct fuse_file_info *info)
{
    struct opened *opened = opened_of(info);

    (void)node;
    atomic_fetch_add(&opened->users, 1);
    if (rings_carry(request))
        rings_reply_read(request, opened->file, offset, size);
    else
        reply_read(request, opened->file, offset, size);
    opened_leave(opened);
}
