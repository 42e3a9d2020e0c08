/* SPDX-License-Identifier: MIT */
/* The least that a filesystem on libfuse's low-level API can do: one file, whose bytes are
 * wherever they are cheapest to have. What ggufs costs beyond this is its own.
 *
 *   null_fs MOUNTPOINT SIZE      mounts in the foreground; the file is MOUNTPOINT/data */

#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_INODE 2
#define TIMEOUT    86400.0

static off_t file_size;
static char block[1 << 20];

static int fill(fuse_ino_t inode, struct stat *st)
{
    memset(st, 0, sizeof(*st));
    st->st_ino = inode;
    st->st_mode = inode == FILE_INODE ? S_IFREG | 0444 : S_IFDIR | 0555;
    st->st_nlink = inode == FILE_INODE ? 1 : 2;
    st->st_size = inode == FILE_INODE ? file_size : 0;
    return inode == FUSE_ROOT_ID || inode == FILE_INODE ? 0 : ENOENT;
}

static void op_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct fuse_entry_param entry = {
        .ino = FILE_INODE, .attr_timeout = TIMEOUT, .entry_timeout = TIMEOUT};
    fill(FILE_INODE, &entry.attr);
    if (parent == FUSE_ROOT_ID && strcmp(name, "data") == 0)
        fuse_reply_entry(request, &entry);
    else
        fuse_reply_err(request, ENOENT);
}

static void op_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
    (void)info;
    struct stat st;
    int error = fill(inode, &st);
    if (error)
        fuse_reply_err(request, error);
    else
        fuse_reply_attr(request, &st, TIMEOUT);
}

static void op_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
    (void)inode;
    info->keep_cache = 1;
    fuse_reply_open(request, info);
}

static void op_read(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset,
                    struct fuse_file_info *info)
{
    (void)inode;
    (void)info;
    size_t left = offset < file_size ? (size_t)(file_size - offset) : 0;
    size = size < left ? size : left;
    fuse_reply_buf(request, block, size < sizeof(block) ? size : sizeof(block));
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = op_lookup,
    .getattr = op_getattr,
    .open = op_open,
    .read = op_read,
};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: null_fs MOUNTPOINT SIZE\n");
        return 2;
    }
    file_size = (off_t)strtoull(argv[2], NULL, 10);
    memset(block, 1, sizeof(block));
    char read_only[] = "-oro";
    char *words[] = {argv[0], read_only, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(2, words);
    struct fuse_session *session =
        fuse_session_new(&arguments, &operations, sizeof(operations), NULL);
    int status = 1;
    if (session && fuse_set_signal_handlers(session) == 0 &&
        fuse_session_mount(session, argv[1]) == 0) {
        struct fuse_loop_config *config = fuse_loop_cfg_create();
        status = fuse_session_loop_mt(session, config) != 0;
        fuse_loop_cfg_destroy(config);
        fuse_session_unmount(session);
    }
    if (session)
        fuse_session_destroy(session);
    fuse_opt_free_args(&arguments);
    return status;
}
