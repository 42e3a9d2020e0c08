/* SPDX-License-Identifier: MIT */
/* Passthrough of whole files, see passthrough.h. The kernel is told of the file once, at
 * the start, so that the serving process can do without the right for it afterwards. */

#include "fs/passthrough.h"

#if HAVE_PASSTHROUGH

#include <sys/ioctl.h>

/* FUSE_DEV_IOC_BACKING_OPEN and its argument, as in linux/fuse.h since 6.9. */
struct backing_map {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};
#define BACKING_OPEN _IOW(229, 1, struct backing_map)

void passthrough_want(struct passthrough *passthrough, struct fuse_conn_info *conn)
{
    passthrough->possible = fuse_set_feature_flag(conn, FUSE_CAP_PASSTHROUGH);
    if (passthrough->possible)
        conn->max_backing_stack_depth = 1;
}

struct search {
    struct passthrough *passthrough;
    struct fuse_session *session;
    struct ggufs_tree *tree;
};

/* Stops at the first file that the kernel takes. */
static int offer(void *data, const struct ggufs_entry *entry)
{
    struct search *search = data;
    struct backing_map map = {.fd = -1};
    struct ggufs_file *file;
    int id = 0;

    if (!S_ISREG(entry->type) || ggufs_file_open(search->tree, entry->node, &file) != 0)
        return 0;
    map.fd = ggufs_file_backing(file);
    if (map.fd >= 0)
        id = ioctl(fuse_session_fd(search->session), BACKING_OPEN, &map);
    if (id > 0) {
        search->passthrough->backing = map.fd;
        search->passthrough->id = id;
    }
    ggufs_file_close(file);
    return id > 0;
}

void passthrough_begin(struct passthrough *passthrough, struct fuse_session *session,
                       struct ggufs_tree *tree)
{
    struct search search = {passthrough, session, tree};

    if (passthrough->possible && ggufs_tree_model(tree))
        ggufs_tree_list(tree, GGUFS_ROOT, 0, offer, &search);
}

void passthrough_use(const struct passthrough *passthrough, struct ggufs_file *file,
                     struct fuse_file_info *info)
{
    if (passthrough->id == 0 || ggufs_file_backing(file) != passthrough->backing)
        return;
    info->backing_id = passthrough->id;
    /* There is no cache of ours, to keep or to go past: the kernel refuses the first, and
     * takes the second for a wish to ask us. */
    info->keep_cache = 0;
    info->direct_io = 0;
}

#else

void passthrough_want(struct passthrough *passthrough, struct fuse_conn_info *conn)
{
    (void)passthrough, (void)conn;
}

void passthrough_begin(struct passthrough *passthrough, struct fuse_session *session,
                       struct ggufs_tree *tree)
{
    (void)passthrough, (void)session, (void)tree;
}

void passthrough_use(const struct passthrough *passthrough, struct ggufs_file *file,
                     struct fuse_file_info *info)
{
    (void)passthrough, (void)file, (void)info;
}

#endif
