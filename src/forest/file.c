/* SPDX-License-Identifier: MIT */
/* Open files of a tree: a content, and the pin that keeps its model open. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "forest/forest.h"
#include "tree/merged.h"

struct ggufs_file {
    struct ggufs_tree *tree;
    struct plot *plot;       /* pinned; NULL for models.tsv */
    struct content *content; /* the plot's; our own for models.tsv */
    int backing;
};

static int open_models_tsv(struct ggufs_tree *tree, struct ggufs_file *file)
{
    char *text;
    size_t size;
    int r = table_text(tree, &text, &size);
    if (r < 0)
        return r;
    file->content = content_bytes(text, size, text);
    return file->content ? 0 : -ENOMEM;
}

/* The files that a node's bytes come from must still be what was parsed: a tensor's own shard,
 * all of them for what shows the whole model, else the one that holds the keys. */
static int check_unchanged(const struct ggufs_model *model, enum node_kind kind,
                           size_t item)
{
    size_t local, first = model->first, last = model->first;
    if (kind == NODE_TENSOR || kind == NODE_NPY) {
        first = last = (size_t)(model_shard_of(model, item, &local) - model->shards);
    } else if (kind == NODE_MODEL || kind == NODE_SAFETENSORS || kind == NODE_SUMS) {
        first = 0;
        last = model->n_shards - 1;
    }
    int r = 0;
    for (size_t i = first; r == 0 && i <= last; i++) {
        if (model->shards[i].source)
            r = model_check(model, i);
    }
    return r;
}

static int open_node(struct plot *plot, uint32_t node, struct ggufs_file *file)
{
    if (tree_is_directory(plot->tree, node))
        return -EISDIR;
    uint32_t item;
    enum node_kind kind = tree_kind(plot->tree, node, &item);
    int r = check_unchanged(plot->model, kind, item);
    if (r == -ESTALE)
        atomic_store(&plot->replaced, true);
    if (r < 0)
        return r;
    struct source *backing = kind == NODE_MODEL ? merged_backing(plot->model) : NULL;
    if (backing)
        file->backing = source_fd(backing);
    return tree_content(plot->tree, node, &file->content);
}

static int open_in_plot(struct ggufs_tree *tree, uint64_t number, struct ggufs_file *file)
{
    uint32_t node;
    int r = plot_hold(tree, number, &file->plot, &node);
    if (r < 0)
        return r;
    r = open_node(file->plot, node, file);
    if (r < 0)
        plot_unpin(tree, file->plot);
    return r;
}

int ggufs_file_open(struct ggufs_tree *tree, uint64_t node, struct ggufs_file **out)
{
    if (number_is_top(tree, node) && number_node(node) != TOP_MODELS_TSV)
        return number_node(node) == TOP_ROOT ? -EISDIR : -ENOENT;
    struct ggufs_file *file = calloc(1, sizeof(*file));
    if (file == NULL)
        return -ENOMEM;
    file->tree = tree;
    file->backing = -1;
    int r = number_is_top(tree, node) ? open_models_tsv(tree, file)
                                      : open_in_plot(tree, node, file);
    if (r < 0) {
        free(file);
        return r;
    }
    *out = file;
    return 0;
}

void ggufs_file_close(struct ggufs_file *file)
{
    if (file == NULL)
        return;
    if (file->plot)
        plot_unpin(file->tree, file->plot);
    else
        content_free(file->content);
    free(file);
}

int ggufs_file_size(struct ggufs_file *file, uint64_t *size)
{
    return content_size(file->content, size);
}

ssize_t ggufs_file_read(struct ggufs_file *file, uint64_t offset, void *buffer,
                        size_t size)
{
    struct reading reading = {NULL};
    return content_read(file->content, &reading, offset, buffer, size);
}

ssize_t ggufs_file_gather(struct ggufs_file *file, uint64_t offset, size_t size,
                          void *scratch, struct iovec *pieces, int *n,
                          const volatile int *stop)
{
    struct reading reading = {stop};
    return content_gather(file->content, &reading, offset, size, scratch, pieces, n);
}

int ggufs_file_backing(struct ggufs_file *file)
{
    return file->backing;
}
