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

static int write_line(void *data, const struct ggufs_summary *model)
{
    FILE *out = data;
    fprintf(out, "%s\t", model->name);
    write_quoted(out, model->path);
    if (model->state == GGUFS_SHOWN)
        fprintf(out, "\t%s\t%ju\t%s\t%ju\tok\n", model->architecture,
                (uintmax_t)model->parameters, model->types, (uintmax_t)model->bytes);
    else
        fprintf(out, "\t\t\t\t\t%s%s\n", model->state == GGUFS_SKIPPED ? "skipped: " : "",
                model->trouble);
    return 0;
}

static uint64_t generation_of(struct ggufs_tree *tree)
{
    pthread_mutex_lock(&tree->lock);
    uint64_t generation = tree->generation;
    pthread_mutex_unlock(&tree->lock);
    return generation;
}

/* A plot that came or went while the text was written makes the size one that nobody asks for
 * again: the generation is the one before. */
static void keep_size(struct ggufs_tree *tree, uint64_t generation, size_t size)
{
    pthread_mutex_lock(&tree->lock);
    tree->table_size = size;
    tree->table_generation = generation;
    pthread_mutex_unlock(&tree->lock);
}

int table_text(struct ggufs_tree *tree, char **text, size_t *size)
{
    models_look(tree);
    uint64_t generation = generation_of(tree);
    FILE *out = open_memstream(text, size);
    if (out == NULL)
        return -ENOMEM;
    fputs(header, out);
    models_visit(tree, write_line, out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(*text);
        return -ENOMEM;
    }
    keep_size(tree, generation, *size);
    return 0;
}
