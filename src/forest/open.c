/* SPDX-License-Identifier: MIT */
/* Opening and closing a tree: what was typed becomes one plot that is open, or many that will
 * be. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "forest/forest.h"

static struct ggufs_tree *tree_new(const struct ggufs_options *options)
{
    struct ggufs_tree *tree = calloc(1, sizeof(*tree));
    if (tree == NULL)
        return NULL;
    if (options)
        tree->options = *options;
    pthread_mutex_init(&tree->lock, NULL);
    pthread_mutex_init(&tree->finding, NULL);
    return tree;
}

void ggufs_tree_close(struct ggufs_tree *tree)
{
    if (tree == NULL)
        return;
    plots_done(tree);
    table_done(&tree->by_name);
    table_done(&tree->by_found);
    stores_close(tree->stores);
    pthread_mutex_destroy(&tree->lock);
    pthread_mutex_destroy(&tree->finding);
    free(tree->name);
    free(tree);
}

static int open_one(struct ggufs_tree *tree, const struct found *found,
                    struct ggufs_error *error)
{
    char *path = strdup(found->path);
    struct plot *plot = path ? plot_add(tree, NULL, path) : NULL;
    if (plot == NULL) {
        free(path);
        return error_memory(error);
    }
    return plot_pin(tree, plot, error);
}

static int open_many(struct ggufs_tree *tree, const struct found_list *list,
                     struct ggufs_error *error)
{
    tree->many = true;
    /* Number 0 is the top directory's. */
    tree->plots = calloc(16, sizeof(struct plot *));
    if (tree->plots == NULL)
        return error_memory(error);
    tree->plots_room = 16;
    tree->n_plots = 1;
    return find_first(tree, list) < 0 ? error_memory(error) : 0;
}

static int open_found(struct ggufs_tree *tree, struct ggufs_error *error)
{
    struct found_list list = {0};
    int r = stores_find(tree->stores, &list, error);
    if (r == 0) {
        tree->name = strdup(stores_name(tree->stores));
        bool one = stores_is_single(tree->stores) && list.count == 1;
        r = tree->name == NULL ? error_memory(error)
            : one              ? open_one(tree, &list.items[0], error)
                               : open_many(tree, &list, error);
    }
    found_done(&list);
    return r;
}

int ggufs_tree_open(const char *const *models, size_t n,
                    const struct ggufs_options *options, struct ggufs_tree **out,
                    struct ggufs_error *error)
{
    struct ggufs_error own = {0};
    if (error == NULL)
        error = &own;
    struct ggufs_tree *tree = tree_new(options);
    if (tree == NULL)
        return error_memory(error);
    int r = stores_open(models, n, &tree->stores, error);
    if (r == 0)
        r = open_found(tree, error);
    if (r < 0) {
        ggufs_tree_close(tree);
        return r;
    }
    *out = tree;
    return 0;
}
