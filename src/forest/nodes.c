/* SPDX-License-Identifier: MIT */
/* The public tree: each call finds the plot of a node, keeps its model open meanwhile, and asks
 * the model's own tree. What is about the top directory of many goes to top.c. */

#include <errno.h>
#include <string.h>

#include "forest/forest.h"

const struct ggufs_model *ggufs_tree_model(const struct ggufs_tree *tree)
{
    return tree->many ? NULL : tree->plots[0]->model;
}

const char *ggufs_tree_name(const struct ggufs_tree *tree)
{
    return tree->name;
}

const char *ggufs_tree_folder(const struct ggufs_tree *tree, size_t i)
{
    return tree->many ? stores_folder(tree->stores, i) : NULL;
}

int ggufs_tree_lookup(struct ggufs_tree *tree, uint64_t dir, const char *name,
                      uint64_t *node)
{
    if (number_is_top(tree, dir))
        return number_node(dir) == TOP_ROOT ? top_lookup(tree, name, node) : -ENOTDIR;
    struct plot *plot;
    uint32_t local, found;
    int r = plot_hold(tree, dir, &plot, &local);
    if (r < 0)
        return r;
    r = tree_lookup(plot->tree, local, name, &found);
    if (r == 0)
        *node = number_of(plot->number, found);
    plot_unpin(tree, plot);
    return r;
}

int ggufs_tree_resolve(struct ggufs_tree *tree, const char *path, uint64_t *node)
{
    char name[256];
    *node = GGUFS_ROOT;
    for (;;) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 0)
            return 0;
        if (length >= sizeof(name))
            return -ENAMETOOLONG;
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        int r = strcmp(name, ".") ? ggufs_tree_lookup(tree, *node, name, node) : 0;
        if (r < 0)
            return r;
    }
}

int ggufs_tree_parent(struct ggufs_tree *tree, uint64_t node, uint64_t *dir)
{
    *dir = GGUFS_ROOT;
    if (number_is_top(tree, node) || number_node(node) == 0)
        return 0;
    struct plot *plot;
    uint32_t local;
    int r = plot_hold(tree, node, &plot, &local);
    if (r < 0)
        return r;
    *dir = number_of(plot->number, tree_parent(plot->tree, local));
    plot_unpin(tree, plot);
    return 0;
}

/* A directory of a model that is closed is known without opening it: 0, or -EAGAIN. */
static int stat_closed(struct ggufs_tree *tree, uint64_t node, struct stat *st)
{
    uint32_t i = number_plot(node);
    pthread_mutex_lock(&tree->lock);
    struct plot *plot = i < tree->n_plots ? tree->plots[i] : NULL;
    bool open = plot && plot->tree;
    pthread_mutex_unlock(&tree->lock);
    if (plot == NULL)
        return -ENOENT;
    return open || number_node(node) != 0 ? -EAGAIN : top_plot_stat(tree, plot, st);
}

static int stat_in_plot(struct ggufs_tree *tree, uint64_t node, bool measure,
                        struct stat *st)
{
    struct plot *plot;
    uint32_t local;
    int r = plot_hold(tree, node, &plot, &local);
    if (r < 0)
        return r;
    r = tree_stat(plot->tree, local, node, measure, st);
    plot_unpin(tree, plot);
    return r;
}

static int stat_node(struct ggufs_tree *tree, uint64_t node, bool measure,
                     struct stat *st)
{
    if (number_is_top(tree, node))
        return top_stat(tree, number_node(node), measure, st);
    int r = tree->many ? stat_closed(tree, node, st) : -EAGAIN;
    return r == -EAGAIN ? stat_in_plot(tree, node, measure, st) : r;
}

int ggufs_tree_stat(struct ggufs_tree *tree, uint64_t node, struct stat *st)
{
    return stat_node(tree, node, true, st);
}

int ggufs_tree_stat_known(struct ggufs_tree *tree, uint64_t node, struct stat *st)
{
    return stat_node(tree, node, false, st);
}

/* -- listing -- */

static int list_children(const struct plot *plot, uint32_t dir, uint64_t position,
                         int (*visit)(void *data, const struct ggufs_entry *entry),
                         void *data)
{
    uint32_t first;
    uint32_t count = tree_children(plot->tree, dir, &first);
    char buffer[256];
    for (uint64_t i = position; i < count; i++) {
        uint32_t child = first + (uint32_t)i;
        struct ggufs_entry entry = {
            .name = tree_name(plot->tree, child, buffer),
            .node = number_of(plot->number, child),
            .type = tree_is_directory(plot->tree, child) ? S_IFDIR : S_IFREG,
            .next = i + 1,
        };
        int r = visit(data, &entry);
        if (r != 0)
            return r;
    }
    return 0;
}

int ggufs_tree_list(struct ggufs_tree *tree, uint64_t dir, uint64_t position,
                    int (*visit)(void *data, const struct ggufs_entry *entry), void *data)
{
    if (number_is_top(tree, dir))
        return number_node(dir) == TOP_ROOT ? top_list(tree, position, visit, data)
                                            : -ENOTDIR;
    struct plot *plot;
    uint32_t local;
    int r = plot_hold(tree, dir, &plot, &local);
    if (r < 0)
        return r;
    r = tree_is_directory(plot->tree, local)
            ? list_children(plot, local, position, visit, data)
            : -ENOTDIR;
    plot_unpin(tree, plot);
    return r;
}

/* -- attributes -- */

ssize_t ggufs_tree_getxattr(struct ggufs_tree *tree, uint64_t node, const char *name,
                            void *buffer, size_t size)
{
    if (number_is_top(tree, node))
        return -ENODATA;
    struct plot *plot;
    uint32_t local;
    int r = plot_hold(tree, node, &plot, &local);
    if (r < 0)
        return r;
    ssize_t length = tree_getxattr(plot->tree, local, name, buffer, size);
    plot_unpin(tree, plot);
    return length;
}

ssize_t ggufs_tree_listxattr(struct ggufs_tree *tree, uint64_t node, char *buffer,
                             size_t size)
{
    if (number_is_top(tree, node))
        return 0;
    struct plot *plot;
    uint32_t local;
    int r = plot_hold(tree, node, &plot, &local);
    if (r < 0)
        return r;
    ssize_t length = tree_listxattr(plot->tree, local, buffer, size);
    plot_unpin(tree, plot);
    return length;
}

/* Of many: what is known so far; asking must not open them all. */
int ggufs_tree_statfs(struct ggufs_tree *tree, struct statvfs *st)
{
    uint64_t bytes = 0, files = 0;
    pthread_mutex_lock(&tree->lock);
    for (uint32_t i = 0; i < tree->n_plots; i++) {
        const struct plot *plot = tree->plots[i];
        if (plot == NULL || plot->state == PLOT_GONE)
            continue;
        if (plot->state == PLOT_FINE)
            bytes += tree->many ? plot->summary.bytes : model_size(plot->model);
        files += plot->tree ? tree_count(plot->tree) : 1;
    }
    pthread_mutex_unlock(&tree->lock);
    *st = (struct statvfs){
        .f_bsize = 4096,
        .f_frsize = 4096,
        .f_blocks = bytes / 4096 + (bytes % 4096 != 0),
        .f_files = files,
        .f_namemax = 255,
        .f_flag = ST_RDONLY | ST_NOSUID,
    };
    return 0;
}
