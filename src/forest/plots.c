/* SPDX-License-Identifier: MIT */
/* Plots: opening a model when somebody needs it, keeping it while it is pinned, closing the
 * least recently used. Two locks, in this order: a plot's `opening` (slow: reads a head), then
 * the tree's (quick: pointers and counts). */

#include "forest/forest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool make_room(struct ggufs_tree *tree)
{
    if (tree->n_plots < tree->plots_room)
        return true;
    uint32_t room = tree->plots_room ? 2 * tree->plots_room : 16;
    struct plot **plots = realloc(tree->plots, room * sizeof(struct plot *));
    if (plots == NULL)
        return false;
    tree->plots = plots;
    tree->plots_room = room;
    return true;
}

struct plot *plot_add(struct ggufs_tree *tree, char *name, char *path)
{
    if (!make_room(tree))
        return NULL;
    struct plot *plot = calloc(1, sizeof(*plot));
    if (plot == NULL)
        return NULL;
    pthread_mutex_init(&plot->opening, NULL);
    plot->number = tree->n_plots;
    plot->name = name;
    plot->path = path;
    tree->plots[tree->n_plots++] = plot;
    return plot;
}

struct plot *plot_next(struct ggufs_tree *tree, uint64_t number)
{
    struct plot *plot = NULL;
    pthread_mutex_lock(&tree->lock);
    for (; plot == NULL && number < tree->n_plots; number++) {
        if (tree->plots[number]->state != PLOT_GONE)
            plot = tree->plots[number];
    }
    pthread_mutex_unlock(&tree->lock);
    return plot;
}

static void plot_free(struct plot *plot)
{
    if (plot == NULL)
        return;
    tree_free(plot->tree);
    ggufs_model_close(plot->model);
    pthread_mutex_destroy(&plot->opening);
    free(plot->name);
    free(plot->path);
    free(plot->found.key);
    free(plot->trouble);
    free(plot->summary.architecture);
    free(plot->summary.types);
    free(plot);
}

void plots_done(struct ggufs_tree *tree)
{
    for (uint32_t i = 0; i < tree->n_plots; i++)
        plot_free(tree->plots[i]);
    free(tree->plots);
}

/* -- the open ones, newest first; the tree's lock is held -- */

static void line_remove(struct ggufs_tree *tree, struct plot *plot)
{
    *(plot->newer ? &plot->newer->older : &tree->newest) = plot->older;
    *(plot->older ? &plot->older->newer : &tree->oldest) = plot->newer;
    plot->newer = plot->older = NULL;
    tree->n_open--;
}

static void line_put_first(struct ggufs_tree *tree, struct plot *plot)
{
    plot->older = tree->newest;
    *(tree->newest ? &tree->newest->newer : &tree->oldest) = plot;
    tree->newest = plot;
    tree->n_open++;
}

/* The least recently used model that nobody has pinned, taken out of its plot. */
static bool take_idle(struct ggufs_tree *tree, struct ggufs_model **model,
                      struct tree **nodes)
{
    for (struct plot *plot = tree->oldest; plot; plot = plot->newer) {
        if (plot->pins > 0)
            continue;
        line_remove(tree, plot);
        *model = plot->model;
        *nodes = plot->tree;
        plot->model = NULL;
        plot->tree = NULL;
        return true;
    }
    return false;
}

void plots_close_idle(struct ggufs_tree *tree, unsigned keep)
{
    for (;;) {
        struct ggufs_model *model = NULL;
        struct tree *nodes = NULL;
        pthread_mutex_lock(&tree->lock);
        bool taken = tree->n_open > keep && take_idle(tree, &model, &nodes);
        pthread_mutex_unlock(&tree->lock);
        if (!taken)
            return;
        tree_free(nodes);
        ggufs_model_close(model);
    }
}

/* -- opening -- */

static int open_model(struct ggufs_tree *tree, const char *path,
                      struct ggufs_model **model, struct tree **nodes,
                      struct ggufs_error *error)
{
    int r = ggufs_model_open(path, &tree->options, model, error);
    if (r < 0)
        return r;
    r = tree_build(*model, nodes, error);
    if (r < 0) {
        ggufs_model_close(*model);
        *model = NULL;
    }
    return r;
}

/* Out of descriptors or memory: what idles is closed, and it is tried once more. */
static int open_with_room(struct ggufs_tree *tree, const char *path,
                          struct ggufs_model **model, struct tree **nodes,
                          struct ggufs_error *error)
{
    int r = open_model(tree, path, model, nodes, error);
    if (r != -EMFILE && r != -ENFILE && r != -ENOMEM)
        return r;
    plots_close_idle(tree, 0);
    memset(error, 0, sizeof(*error));
    return open_model(tree, path, model, nodes, error);
}

/* What the file itself is at fault for: it will be the same the next time. */
static bool fault_is_the_files(const struct ggufs_error *error)
{
    return error->code == GGUFS_FORMAT || error->code == GGUFS_VERSION ||
           error->code == GGUFS_INCOMPLETE;
}

/* A file that was fine before is not broken but another one. */
static void tell_broken(struct ggufs_tree *tree, struct plot *plot,
                        const struct ggufs_error *error)
{
    char line[1024];
    ggufs_error_format(error, plot->path, line, sizeof(line));
    pthread_mutex_lock(&tree->lock);
    /* Without memory for the text it stays unseen, and is tried again. */
    char *trouble = plot->state == PLOT_UNSEEN ? strdup(line) : NULL;
    if (plot->state == PLOT_FINE)
        atomic_store(&plot->replaced, true);
    if (trouble) {
        plot->trouble = trouble;
        plot->code = error->code;
        plot->state = PLOT_BROKEN;
        tree->generation++;
    }
    pthread_mutex_unlock(&tree->lock);
    if (trouble && tree->options.log)
        tree->options.log(tree->options.log_data, line);
}

static void settle(struct ggufs_tree *tree, struct plot *plot, struct ggufs_model *model,
                   struct tree *nodes)
{
    pthread_mutex_lock(&tree->lock);
    plot->model = model;
    plot->tree = nodes;
    tree_stat(nodes, 0, number_of(plot->number, 0), true, &plot->root);
    line_put_first(tree, plot);
    if (plot->state == PLOT_UNSEEN) {
        plot->state = PLOT_FINE;
        tree->generation++;
    }
    pthread_mutex_unlock(&tree->lock);
}

static void hash_in(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * 0x9e3779b97f4a7c15;
    *hash ^= *hash >> 29;
}

/* Of all files of a model: another where one of them is another, or was written to. */
static uint64_t fingerprint(const struct ggufs_model *model)
{
    uint64_t hash = model->n_shards;
    for (size_t i = 0; i < model->n_shards; i++) {
        static const struct stat none;
        const struct source *source = model->shards[i].source;
        const struct stat *st = source ? source_stat(source) : &none;
        hash_in(&hash, st->st_dev);
        hash_in(&hash, st->st_ino);
        hash_in(&hash, (uint64_t)st->st_size);
        hash_in(&hash, (uint64_t)st->st_mtim.tv_sec);
        hash_in(&hash, (uint64_t)st->st_mtim.tv_nsec);
        hash_in(&hash, (uint64_t)st->st_ctim.tv_sec);
        hash_in(&hash, (uint64_t)st->st_ctim.tv_nsec);
    }
    return hash | 1;
}

/* A plot never changes its files: they must be what was found, and what was open before. */
static int require_same(struct plot *plot, const struct ggufs_model *model)
{
    const struct source *named = model->shards[model->named].source;
    uint64_t print = fingerprint(model);
    if (plot->fingerprint == 0)
        plot->fingerprint = print;
    if (plot->fingerprint == print && find_same_file(&plot->file, source_stat(named)))
        return 0;
    atomic_store(&plot->replaced, true);
    return -ESTALE;
}

static int prepare(struct plot *plot, const struct ggufs_model *model)
{
    int r = require_same(plot, model);
    return r == 0 && plot->summary.types == NULL ? look_summarise(plot, model) : r;
}

static int plot_open(struct ggufs_tree *tree, struct plot *plot,
                     struct ggufs_error *error)
{
    struct ggufs_error own = {0};
    struct ggufs_model *model = NULL;
    struct tree *nodes = NULL;
    int r = open_with_room(tree, plot->path, &model, &nodes, &own);
    if (r == 0 && tree->many)
        r = prepare(plot, model);
    if (r == 0) {
        settle(tree, plot, model, nodes);
        return 0;
    }
    tree_free(nodes);
    ggufs_model_close(model);
    if (tree->many && fault_is_the_files(&own))
        tell_broken(tree, plot, &own);
    if (error)
        *error = own;
    return r;
}

int plot_pin(struct ggufs_tree *tree, struct plot *plot, struct ggufs_error *error)
{
    pthread_mutex_lock(&tree->lock);
    plot->pins++;
    bool open = plot->tree != NULL;
    enum plot_state state = plot->state;
    pthread_mutex_unlock(&tree->lock);
    if (open)
        return 0;
    int r = state == PLOT_BROKEN ? -ENOENT : state == PLOT_GONE ? -ESTALE : 0;
    if (r == 0) {
        pthread_mutex_lock(&plot->opening);
        if (plot->tree == NULL)
            r = plot_open(tree, plot, error);
        pthread_mutex_unlock(&plot->opening);
    }
    if (r < 0) {
        pthread_mutex_lock(&tree->lock);
        plot->pins--;
        pthread_mutex_unlock(&tree->lock);
        return r;
    }
    if (tree->many)
        plots_close_idle(tree, PLOTS_OPEN_MAX);
    return 0;
}

void plot_unpin(struct ggufs_tree *tree, struct plot *plot)
{
    if (!tree->many)
        return;
    pthread_mutex_lock(&tree->lock);
    plot->pins--;
    if (plot != tree->newest) {
        line_remove(tree, plot);
        line_put_first(tree, plot);
    }
    bool over = tree->n_open > PLOTS_OPEN_MAX;
    pthread_mutex_unlock(&tree->lock);
    if (over)
        plots_close_idle(tree, PLOTS_OPEN_MAX);
}

int plot_hold(struct ggufs_tree *tree, uint64_t number, struct plot **plot,
              uint32_t *node)
{
    uint32_t i = number_plot(number);
    pthread_mutex_lock(&tree->lock);
    *plot = i < tree->n_plots ? tree->plots[i] : NULL;
    pthread_mutex_unlock(&tree->lock);
    if (*plot == NULL)
        return -ENOENT;
    int r = tree->many ? plot_pin(tree, *plot, NULL) : 0;
    if (r < 0)
        return r;
    *node = number_node(number);
    if (*node < tree_count((*plot)->tree))
        return 0;
    plot_unpin(tree, *plot);
    return -ENOENT;
}
