/* SPDX-License-Identifier: MIT */
/* The models of a tree over many, one after the other, each with what is known of it: what a
 * caller asks for, and what models.tsv is written from. A plot's strings are made once, before
 * its state says that they are there, and stay until the tree is closed: they are handed out
 * as they are, and no lock is held while a visitor works. */

#include "forest/forest.h"

/* False where the plot is gone. */
static bool summarise(struct ggufs_tree *tree, const struct plot *plot,
                      struct ggufs_summary *summary)
{
    pthread_mutex_lock(&tree->lock);
    enum plot_state state = plot->state;
    pthread_mutex_unlock(&tree->lock);
    *summary = (struct ggufs_summary){
        .name = plot->name,
        .path = plot->path,
        .architecture = "",
        .types = "",
    };
    if (state == PLOT_FINE) {
        summary->state = GGUFS_SHOWN;
        summary->architecture = plot->summary.architecture;
        summary->types = plot->summary.types;
        summary->parameters = plot->summary.parameters;
        summary->bytes = plot->summary.bytes;
    } else if (state == PLOT_BROKEN) {
        summary->state = GGUFS_SKIPPED;
        summary->code = plot->code;
        summary->trouble = plot->trouble;
    } else {
        summary->state = GGUFS_UNREADABLE;
        summary->code = GGUFS_SYSTEM;
        summary->trouble = "unreadable at the moment";
    }
    return state != PLOT_GONE;
}

void models_look(struct ggufs_tree *tree)
{
    struct plot *plot;
    /* Where the folders cannot be read at the moment, what is known has to do. */
    find_again(tree, false);
    for (uint64_t i = 1; (plot = plot_next(tree, i)) != NULL; i = plot->number + 1ull)
        look_at(tree, plot);
}

int models_visit(struct ggufs_tree *tree,
                 int (*visit)(void *data, const struct ggufs_summary *summary),
                 void *data)
{
    struct plot *plot;
    int r = 0;
    for (uint64_t i = 1; r == 0 && (plot = plot_next(tree, i)); i = plot->number + 1ull) {
        struct ggufs_summary summary;
        if (summarise(tree, plot, &summary))
            r = visit(data, &summary);
    }
    return r;
}

int ggufs_tree_models(struct ggufs_tree *tree,
                      int (*visit)(void *data, const struct ggufs_summary *summary),
                      void *data)
{
    if (!tree->many)
        return 0;
    models_look(tree);
    return models_visit(tree, visit, data);
}
