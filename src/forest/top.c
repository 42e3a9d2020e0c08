/* SPDX-License-Identifier: MIT */
/* The top directory of a tree over many models: a directory a model, and models.tsv. Files that
 * come and go are noticed when it is listed, or asked for a name. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forest/forest.h"

int top_lookup(struct ggufs_tree *tree, const char *name, uint64_t *node)
{
    if (strcmp(name, "models.tsv") == 0) {
        *node = number_of(0, TOP_MODELS_TSV);
        return 0;
    }
    struct plot *plot = find_plot(tree, name);
    if (plot == NULL || find_is_stale(plot)) {
        int r = find_again(tree, plot != NULL);
        plot = find_plot(tree, name);
        if (r < 0 && plot == NULL)
            return r;
    }
    if (plot == NULL)
        return -ENOENT;
    *node = number_of(plot->number, 0);
    return look_at(tree, plot);
}

/* The next plot from number on that is shown, or NULL. One that cannot be looked at for the
 * moment is shown: it is there. */
static struct plot *next_shown(struct ggufs_tree *tree, uint64_t number)
{
    struct plot *plot;
    while ((plot = plot_next(tree, number)) && look_at(tree, plot) == -ENOENT)
        number = plot->number + 1ull;
    return plot;
}

int top_list(struct ggufs_tree *tree, uint64_t position,
             int (*visit)(void *data, const struct ggufs_entry *entry), void *data)
{
    if (position == 0) {
        /* Where the folders cannot be read at the moment, what is known is shown. */
        find_again(tree, false);
        struct ggufs_entry entry = {"models.tsv", number_of(0, TOP_MODELS_TSV), S_IFREG,
                                    1};
        int r = visit(data, &entry);
        if (r != 0)
            return r;
        position = 1;
    }
    struct plot *plot;
    while ((plot = next_shown(tree, position)) != NULL) {
        struct ggufs_entry entry = {plot->name, number_of(plot->number, 0), S_IFDIR,
                                    (uint64_t)plot->number + 1};
        int r = visit(data, &entry);
        if (r != 0)
            return r;
        position = entry.next;
    }
    return 0;
}

/* -- attributes -- */

/* What all plots together say: the newest time, the bits that all of them have, how many. */
struct sum {
    struct timespec newest;
    mode_t mode;
    nlink_t plots;
};

static bool later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Whom a plot's model lets read: as the model says once it was open, which knows more than the
 * mode of its file (an access control list). Before that nobody but the owner. */
static mode_t readers(const struct plot *plot)
{
    return plot->state == PLOT_FINE ? plot->root.st_mode : plot->file.st_mode & 0400;
}

static struct sum sum_up(struct ggufs_tree *tree)
{
    struct sum sum = {.mode = 0444};
    pthread_mutex_lock(&tree->lock);
    for (uint32_t i = 1; i < tree->n_plots; i++) {
        const struct plot *plot = tree->plots[i];
        if (plot->state == PLOT_GONE)
            continue;
        if (later(plot->file.st_mtim, sum.newest))
            sum.newest = plot->file.st_mtim;
        if (plot->state == PLOT_BROKEN)
            continue;
        sum.plots++;
        sum.mode &= readers(plot);
    }
    pthread_mutex_unlock(&tree->lock);
    return sum;
}

/* The size of models.tsv as it is now; asking looks at every model. */
static int table_size(struct ggufs_tree *tree, bool measure, off_t *size)
{
    if (measure)
        find_again(tree, false);
    pthread_mutex_lock(&tree->lock);
    bool known = tree->table_generation == tree->generation && tree->table_size > 0;
    *size = (off_t)tree->table_size;
    pthread_mutex_unlock(&tree->lock);
    if (known)
        return 0;
    if (!measure)
        return -EAGAIN;
    char *text;
    size_t length;
    int r = table_text(tree, &text, &length);
    if (r < 0)
        return r;
    free(text);
    *size = (off_t)length;
    return 0;
}

/* Names may be seen by whoever may enter; what models.tsv says comes out of the files, so it is
 * for those who may read all of them: everybody, or else only the one who serves (the files may
 * belong to several owners and groups, and it can have but one). */
int top_stat(struct ggufs_tree *tree, uint32_t node, bool measure, struct stat *st)
{
    if (node != TOP_ROOT && node != TOP_MODELS_TSV)
        return -ENOENT;
    off_t size = 0;
    int r = node == TOP_MODELS_TSV ? table_size(tree, measure, &size) : 0;
    /* After the table: making it looks at all models, and some may prove to be none. */
    struct sum sum = sum_up(tree);
    *st = (struct stat){
        .st_ino = number_of(0, node),
        .st_mode = S_IFDIR | 0555,
        .st_nlink = 2 + sum.plots,
        .st_uid = geteuid(),
        .st_gid = getegid(),
        .st_blksize = 65536,
        .st_atim = sum.newest,
        .st_mtim = sum.newest,
        .st_ctim = sum.newest,
    };
    if (node == TOP_ROOT)
        return 0;
    st->st_mode = S_IFREG | (sum.mode == 0444 ? 0444 : sum.mode & 0400);
    st->st_nlink = 1;
    st->st_size = size;
    st->st_blocks = (size + 511) / 512;
    return r;
}

int top_plot_stat(struct ggufs_tree *tree, struct plot *plot, struct stat *st)
{
    pthread_mutex_lock(&tree->lock);
    bool known = plot->state == PLOT_FINE;
    bool gone = plot->state == PLOT_GONE;
    *st = plot->root;
    pthread_mutex_unlock(&tree->lock);
    return gone ? -ESTALE : known ? 0 : -EAGAIN;
}
