/* SPDX-License-Identifier: MIT */
/* The text of models.tsv: a line a model, those that cannot be shown included. Made whole when
 * it is opened, from the summaries that plots keep: a few hundred bytes a model. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forest/forest.h"

static const char header[] =
    "name\tpath\tarchitecture\tparameters\ttypes\tbytes\tstate\n";

/* Paths may hold any byte but '/' and NUL: tabs and newlines must not look like the table's. */
static void write_quoted(FILE *out, const char *string)
{
    char text[4 * PATH_MAX];
    fputs(ggufs_quote(text, sizeof(text), string, strlen(string)), out);
}

static void write_line(FILE *out, const struct plot *plot)
{
    fprintf(out, "%s\t", plot->name);
    write_quoted(out, plot->path);
    if (plot->state == PLOT_FINE)
        fprintf(out, "\t%s\t%ju\t%s\t%ju\tok\n", plot->summary.architecture,
                (uintmax_t)plot->summary.parameters, plot->summary.types,
                (uintmax_t)plot->summary.bytes);
    else if (plot->state == PLOT_BROKEN)
        fprintf(out, "\t\t\t\t\tskipped: %s\n", plot->trouble);
    else
        fputs("\t\t\t\t\tunreadable at the moment\n", out);
}

static void look_at_all(struct ggufs_tree *tree)
{
    for (uint32_t i = 1;; i++) {
        pthread_mutex_lock(&tree->lock);
        struct plot *plot = i < tree->n_plots ? tree->plots[i] : NULL;
        bool gone = plot && plot->state == PLOT_GONE;
        pthread_mutex_unlock(&tree->lock);
        if (plot == NULL)
            return;
        if (!gone)
            look_at(tree, plot);
    }
}

int table_text(struct ggufs_tree *tree, char **text, size_t *size)
{
    /* Where the folders cannot be read at the moment, the table is of what is known. */
    find_again(tree, false);
    look_at_all(tree);
    FILE *out = open_memstream(text, size);
    if (out == NULL)
        return -ENOMEM;
    fputs(header, out);
    pthread_mutex_lock(&tree->lock);
    for (uint32_t i = 1; i < tree->n_plots; i++) {
        if (tree->plots[i]->state != PLOT_GONE)
            write_line(out, tree->plots[i]);
    }
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        pthread_mutex_unlock(&tree->lock);
        free(*text);
        return -ENOMEM;
    }
    tree->table_size = *size;
    tree->table_generation = tree->generation;
    pthread_mutex_unlock(&tree->lock);
    return 0;
}
