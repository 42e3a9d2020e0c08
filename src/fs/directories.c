/* SPDX-License-Identifier: MIT */
/* Listings. Positions are the tree's moved by two, for "." and "..". With readdirplus an
 * entry comes with its true attributes, or, where they would have to be measured, without
 * any: the kernel asks for them when somebody wants to see them. */

#include "fs/ops.h"

#include <errno.h>
#include <string.h>

/* A listing on its way into one answer. */
struct listing {
    fuse_req_t request;
    struct fs *fs;
    char *bytes;
    size_t size, used;
    double timeout; /* of the entries */
    bool plus;
};

/* Directories of a model never change. The one over many models is read each time. */
void op_opendir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
    struct fs *fs = fs_of(request);

    info->cache_readdir = info->keep_cache = fs->single || node != GGUFS_ROOT;
    fuse_reply_open(request, info);
}

void op_releasedir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
    (void)node, (void)info;
    fuse_reply_err(request, 0);
}

/* Puts an entry behind the others; next is the position behind it. False: no room
 * left. */
static bool put(struct listing *listing, const char *name,
                const struct fuse_entry_param *entry, uint64_t next)
{
    char *end = listing->bytes + listing->used;
    size_t left = listing->size - listing->used;
    size_t length = listing->plus ? fuse_add_direntry_plus(listing->request, end, left,
                                                           name, entry, (off_t)next)
                                  : fuse_add_direntry(listing->request, end, left, name,
                                                      &entry->attr, (off_t)next);

    if (length > left)
        return false;
    listing->used += length;
    return true;
}

static void describe(const struct listing *listing, const struct ggufs_entry *from,
                     struct fuse_entry_param *entry)
{
    *entry = (struct fuse_entry_param){
        .attr_timeout = listing->timeout,
        .entry_timeout = listing->timeout,
    };
    if (listing->plus &&
        ggufs_tree_stat_known(listing->fs->tree, from->node, &entry->attr) == 0) {
        entry->ino = from->node;
        return;
    }
    /* No inode: the kernel shows number and type, and keeps nothing. */
    memset(&entry->attr, 0, sizeof entry->attr);
    entry->attr.st_ino = from->node;
    entry->attr.st_mode = from->type;
}

static int visit(void *data, const struct ggufs_entry *from)
{
    struct listing *listing = data;
    struct fuse_entry_param entry;

    describe(listing, from, &entry);
    return put(listing, from->name, &entry, from->next + 2) ? 0 : 1;
}

/* "." and "..": the kernel knows their attributes better. */
static bool put_dots(struct listing *listing, fuse_ino_t dir, off_t offset)
{
    struct fuse_entry_param entry = {.attr.st_mode = S_IFDIR};
    uint64_t parent;

    entry.attr.st_ino = dir;
    if (offset == 0 && !put(listing, ".", &entry, 1))
        return false;
    if (offset > 1)
        return true;
    if (ggufs_tree_parent(listing->fs->tree, dir, &parent) == 0)
        entry.attr.st_ino = parent;
    return put(listing, "..", &entry, 2);
}

static void reply_listing(fuse_req_t request, fuse_ino_t dir, size_t size, off_t offset,
                          bool plus)
{
    struct fs *fs = fs_of(request);
    struct listing listing = {
        .request = request,
        .fs = fs,
        .bytes = fs_scratch(fs, size),
        .size = size,
        .timeout = fs_timeout_below(fs, dir),
        .plus = plus,
    };
    int result = listing.bytes ? 0 : -ENOMEM;

    if (result == 0 && put_dots(&listing, dir, offset))
        result = ggufs_tree_list(fs->tree, dir, offset < 2 ? 0 : (uint64_t)offset - 2,
                                 visit, &listing);
    if (result < 0)
        fuse_reply_err(request, -result);
    else
        fuse_reply_buf(request, listing.bytes, listing.used);
}

void op_readdir(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
                struct fuse_file_info *info)
{
    (void)info;
    reply_listing(request, node, size, offset, false);
}

void op_readdirplus(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
                    struct fuse_file_info *info)
{
    (void)info;
    reply_listing(request, node, size, offset, true);
}
