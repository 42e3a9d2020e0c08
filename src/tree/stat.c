/* SPDX-License-Identifier: MIT */
/* What stat says of a node: the model file's owner, times and read bits, the content's size. */

#include <errno.h>
#include <string.h>

#include "tree/nodes.h"

#define BLOCK_SIZE_IO (1 << 20) /* stdio and cp read in pieces of this */
#define BLOCK_SIZE_DU 512

/* Who may read the model may read what shows it, and pass through the directories. */
static mode_t mode_of(const struct stat *model, bool directory)
{
    mode_t readable = model->st_mode & 0444;

    return directory ? S_IFDIR | readable | readable >> 2 : S_IFREG | readable;
}

static void stat_directory(const struct tree *tree, enum node_kind kind, struct stat *st)
{
    uint32_t first;

    st->st_nlink = 2 + layout_subdirectories(&tree->layout, kind);
    st->st_size = layout_children(&tree->layout, kind, &first);
}

static int stat_file(struct tree *tree, uint32_t node, bool measure, struct stat *st)
{
    uint64_t size;
    int rc = tree_size(tree, node, measure, &size);

    if (rc < 0)
        return rc;
    /* A broken file may claim a tensor that no off_t can tell. */
    if (size > INT64_MAX)
        size = INT64_MAX;
    st->st_nlink = 1;
    st->st_size = (off_t)size;
    st->st_blocks = (blkcnt_t)(size / BLOCK_SIZE_DU + (size % BLOCK_SIZE_DU != 0));
    return 0;
}

int tree_stat(struct tree *tree, uint32_t node, uint64_t ino, bool measure,
              struct stat *st)
{
    const struct stat *model = &tree->model->stat;
    enum node_kind kind;
    uint32_t item;

    memset(st, 0, sizeof(*st));
    if (!tree_node(tree, node, &kind, &item))
        return -ENOENT;
    st->st_ino = ino;
    st->st_mode = mode_of(model, layout_is_directory(kind));
    st->st_uid = model->st_uid;
    st->st_gid = model->st_gid;
    st->st_blksize = BLOCK_SIZE_IO;
    st->st_atim = st->st_mtim = st->st_ctim = model->st_mtim;
    if (!layout_is_directory(kind))
        return stat_file(tree, node, measure, st);
    stat_directory(tree, kind, st);
    return 0;
}
