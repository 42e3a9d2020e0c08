/* SPDX-License-Identifier: MIT */
/* --check: opens each model and says what the library found. Findings are what the command is
 * for, so they go to standard output; a model that cannot be opened is an error as elsewhere.
 * A directory or a store stands for the models in it. */

#include "cli/command.h"
#include "cli/open.h"
#include "cli/print.h"

#include <stdio.h>

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

static int check(const struct options *options, const char *name);

/* A walk through the models of a tree over many. */
struct walk {
    const struct options *options;
    int status;
};

/* What was skipped is told as it is known: it need not be a file that could be opened. */
static int check_one(void *data, const struct ggufs_summary *model)
{
    struct walk *walk = data;
    int status = model->code;
    if (model->state == GGUFS_SKIPPED)
        print_message("%s", model->trouble);
    else
        status = check(walk->options, model->path);
    walk->status = worse(walk->status, status);
    return 0;
}

static int check_many(const struct options *options, struct ggufs_tree *tree)
{
    struct walk walk = {options, GGUFS_OK};
    ggufs_tree_models(tree, check_one, &walk);
    return walk.status;
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
    status = model ? check_model(options, name, model) : check_many(options, tree);
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
