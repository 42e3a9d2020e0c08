/* SPDX-License-Identifier: MIT */
/* What a struct ggufs_tree is inside: a row of plots, each the place of one model's tree.
 *
 * A tree over one model has plot 0, open from the start to the end. A tree over many has a
 * top directory of its own and plots 1, 2, 3...: each is opened when somebody looks into it,
 * pinned while it is used, and closed again when others were used since. A plot never changes
 * its file: where that was replaced, the plot is retired and a new one, with new numbers, takes
 * its name, so that nothing that the kernel kept of the old one can mix with the new. */

#ifndef GGUFS_FOREST_FOREST_H
#define GGUFS_FOREST_FOREST_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/table.h"
#include "ggufs.h"
#include "stores/store.h"
#include "tree/tree.h"

/* Models that stay open though nobody uses them at the moment. */
#define PLOTS_OPEN_MAX 8

/* What is known of a plot's file. */
enum plot_state {
    PLOT_UNSEEN, /* found by name, never opened */
    PLOT_FINE,   /* was open at least once; summary is filled */
    PLOT_BROKEN, /* cannot be shown: trouble says why */
    PLOT_GONE,   /* vanished or replaced: its name is another's or nobody's */
};

/* A model in a line of models.tsv; kept when the model is closed. */
struct summary {
    char *architecture;
    char *types; /* "Q4_K,F32": most bytes first */
    uint64_t parameters;
    uint64_t bytes;
};

struct plot {
    uint32_t number;
    char *name; /* in the top directory; NULL for plot 0 */
    char *path; /* of the file to open */
    struct found_as {
        char *key; /* the name that the stores gave it, NUL, the path; NULL for plot 0 */
        size_t key_length;
        uint64_t size; /* of all files, and how many there are */
        uint32_t files;
        bool unsettled; /* more than path matters to it: look for it again each time */
    } found;
    enum plot_state state;
    char *trouble; /* one line, fit for a terminal; of PLOT_BROKEN, as code */
    enum ggufs_code code;
    struct summary summary;
    struct stat file;        /* the file as it was found */
    struct stat root;        /* attributes of the plot's directory; of PLOT_FINE */
    atomic_bool replaced;    /* somebody noticed that one of its files is another now */
    pthread_mutex_t opening; /* held by the one who opens it */
    uint64_t fingerprint; /* of all files, as they were first opened; opening guards it */

    /* Guarded by the tree's lock. */
    struct ggufs_model *model; /* NULL while closed, as tree */
    struct tree *tree;
    unsigned pins;
    struct plot *newer, *older; /* among the open ones, by last use */
};

struct ggufs_tree {
    struct ggufs_options options;
    char *name;
    bool many;
    struct stores *stores; /* where models are found again; NULL unless many */
    pthread_mutex_t
        finding; /* held by the one who reads the folders; before any other lock */

    pthread_mutex_t lock;
    struct plot **plots; /* by number; [0] is NULL where many */
    uint32_t n_plots;
    uint32_t plots_room;
    struct table by_name;         /* of many: the plots that are not gone */
    struct table by_found;        /* the same by what the stores call them, and path */
    struct plot *newest, *oldest; /* the open ones */
    unsigned n_open;
    struct timespec
        found_at;        /* when the folders were last looked at; finding guards it */
    uint64_t generation; /* moves when a plot comes, goes or changes its state */
    size_t table_size;   /* of models.tsv in table_generation; 0: never made */
    uint64_t table_generation;
};

/* -- numbers: the public node of a tree is plot and node in one -- */

/* In the top directory of many: the directory itself and models.tsv. */
#define TOP_ROOT       0
#define TOP_MODELS_TSV 1

static inline uint64_t number_of(uint32_t plot, uint32_t node)
{
    return ((uint64_t)plot << 32) + node + 1;
}

static inline uint32_t number_plot(uint64_t number)
{
    return (uint32_t)((number - 1) >> 32);
}

static inline uint32_t number_node(uint64_t number)
{
    return (uint32_t)(number - 1);
}

/* Whether a number is a node of the top directory of a tree over many. */
static inline bool number_is_top(const struct ggufs_tree *tree, uint64_t number)
{
    return tree->many && number_plot(number) == 0;
}

/* -- plots.c: opening, pinning, closing -- */

/* Adds a plot; name and path are taken over (NULL name: plot 0). NULL where memory is out. */
struct plot *plot_add(struct ggufs_tree *tree, char *name, char *path);
void plots_done(struct ggufs_tree *tree);
/* The first plot from number on that is not gone, or NULL. */
struct plot *plot_next(struct ggufs_tree *tree, uint64_t number);
/* Opens the plot's model if it is closed and keeps it open until plot_unpin: 0 or -errno with
 * error filled (NULL allowed). A malformed file makes the plot PLOT_BROKEN (told once); -ESTALE
 * where the file is no longer the one that was found. */
int plot_pin(struct ggufs_tree *tree, struct plot *plot, struct ggufs_error *error);
void plot_unpin(struct ggufs_tree *tree, struct plot *plot);
/* Closes models that nobody uses until at most keep are open. */
void plots_close_idle(struct ggufs_tree *tree, unsigned keep);
/* The plot of a node's number, pinned, with the node in it: 0, -ENOENT, -ESTALE for a plot
 * that is gone and closed, or plot_pin's error. Not for numbers of the top directory. */
int plot_hold(struct ggufs_tree *tree, uint64_t number, struct plot **plot,
              uint32_t *node);

/* -- top.c: the directory of many -- */

int top_lookup(struct ggufs_tree *tree, const char *name, uint64_t *node);
int top_list(struct ggufs_tree *tree, uint64_t position,
             int (*visit)(void *data, const struct ggufs_entry *entry), void *data);
int top_stat(struct ggufs_tree *tree, uint32_t node, bool measure, struct stat *st);
/* Attributes of a plot's directory where they are known without opening it, else -EAGAIN. */
int top_plot_stat(struct ggufs_tree *tree, struct plot *plot, struct stat *st);

/* -- find.c: plots from what the stores find -- */

/* Plots for what was found first. 0 or -ENOMEM. */
int find_first(struct ggufs_tree *tree, const struct found_list *list);
/* Looks at the folders again, at most once a second unless now is set: new plots for what came
 * and what was replaced, none for what went. 0, or -errno, and then nothing is changed. */
int find_again(struct ggufs_tree *tree, bool now);
/* The plot's file on disk is no longer the one that was found. */
bool find_is_stale(const struct plot *plot);
/* Whether two stats are of one file in one state. */
bool find_same_file(const struct stat *a, const struct stat *b);
/* The plot that bears the name now, or NULL. */
struct plot *find_plot(struct ggufs_tree *tree, const char *name);

/* -- look.c: what models.tsv says of a plot -- */

/* Fills plot->summary from its open model: 0 or -ENOMEM. */
int look_summarise(struct plot *plot, const struct ggufs_model *model);
/* Opens a plot that was never opened. 0; -ENOENT where it is broken; another -errno where it
 * could not be found out at the moment. */
int look_at(struct ggufs_tree *tree, struct plot *plot);

/* -- models.c: all models with what is known of them -- */

/* Looks at the folders and at every plot: then as much is known as can be. */
void models_look(struct ggufs_tree *tree);
/* ggufs_tree_models without looking: what is known now. */
int models_visit(struct ggufs_tree *tree,
                 int (*visit)(void *data, const struct ggufs_summary *summary),
                 void *data);

/* -- table.c: the text of models.tsv -- */

/* A copy of the text that is the caller's to free; looks at the folders and at every plot. 0 or
 * -errno. */
int table_text(struct ggufs_tree *tree, char **text, size_t *size);

#endif
