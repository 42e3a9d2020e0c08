/* SPDX-License-Identifier: MIT */
/* --check: opens each model and says what the library found. Findings are what the command is
 * for, so they go to standard output; a model that cannot be opened is an error as elsewhere.
 * A directory or a store stands for the models that its models.tsv lists. */

#include "cli/command.h"
#include "cli/open.h"
#include "cli/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of several statuses the highest counts. */
static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* The status that a model with these warnings deserves. */
static int judge(const struct options *options, const struct ggufs_model *model)
{
    struct ggufs_warning warning;
    size_t count = ggufs_model_warnings(model);
    for (size_t i = 0; i < count; i++) {
        ggufs_model_warning(model, i, &warning);
        if (warning.incomplete)
            return GGUFS_INCOMPLETE;
    }
    return options->open.strict && count ? GGUFS_FORMAT : GGUFS_OK;
}

static int check_model(const struct options *options, const char *name,
                       const struct ggufs_model *model)
{
    size_t count = ggufs_model_warnings(model);
    for (size_t i = 0; i < count; i++)
        print_finding(name, model, i);
    if (count == 0) {
        print_text(name, stdout);
        puts(": ok");
    }
    return judge(options, model);
}

/* The whole text of a file of the tree, with a NUL behind it: 0, or -errno. */
static int read_text(struct ggufs_tree *tree, const char *path, char **text)
{
    struct ggufs_file *file;
    uint64_t node, size;
    int result = ggufs_tree_resolve(tree, path, &node);
    if (result < 0 || (result = ggufs_file_open(tree, node, &file)) < 0)
        return result;
    *text = NULL;
    if ((result = ggufs_file_size(file, &size)) == 0) {
        *text = calloc(size + 1, 1);
        ssize_t got = *text ? ggufs_file_read(file, 0, *text, size) : -ENOMEM;
        result = got < 0 ? (int)got : 0;
    }
    ggufs_file_close(file);
    return result;
}

/* Undoes in place what the table does to odd bytes of a path. */
static void unquote(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        int digits = 0;
        unsigned byte = 0;
        if (from[0] == '\\' && from[1] == '\\')
            from++;
        else
            sscanf(from, "\\x%2x%n", &byte, &digits);
        *to = digits ? (char)byte : *from;
        from += digits ? digits : 1;
    }
    *to = '\0';
}

static int check(const struct options *options, const char *name);

/* The models of a tree over many: the second column of the table is a path to open. */
static int check_many(const struct options *options, const char *name,
                      struct ggufs_tree *tree)
{
    char *table = NULL;
    int status = GGUFS_OK;
    int result = read_text(tree, "models.tsv", &table);
    if (result < 0)
        status = print_errno(name, -result);
    char *rest = table;
    strsep(&rest, "\n"); /* the header */
    for (char *line; (line = strsep(&rest, "\n"));) {
        strsep(&line, "\t");
        char *path = strsep(&line, "\t");
        if (!path)
            continue;
        unquote(path);
        status = worse(status, check(options, path));
    }
    free(table);
    return status;
}

static int check(const struct options *options, const char *name)
{
    struct options lenient =
        *options; /* strict is for judge: all warnings are to be seen */
    struct ggufs_tree *tree;
    lenient.open.strict = false;
    lenient.quiet =
        true; /* what the log would tell comes up when its model's turn comes */
    int status = open_model(&lenient, name, &tree);
    if (status)
        return status;
    const struct ggufs_model *model = ggufs_tree_model(tree);
    status = model ? check_model(options, name, model) : check_many(options, name, tree);
    ggufs_tree_close(tree);
    return status;
}

int check_command(const struct options *options)
{
    int status = GGUFS_OK;
    only_read(options);
    for (size_t i = 0; i < options->n_operands; i++)
        status = worse(status, check(options, options->operands[i]));
    return status;
}
