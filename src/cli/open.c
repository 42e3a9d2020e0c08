/* SPDX-License-Identifier: MIT */
/* From the options to an open tree. Errors are told here, so that the commands only have to
 * return the status. */

#include "cli/open.h"
#include "cli/print.h"
#include "fs/sandbox.h"

#include <errno.h>

static int open_named(const struct ggufs_options *how, const char *const *names, size_t n,
                      struct ggufs_tree **tree)
{
    struct ggufs_error error = {.offset = GGUFS_NO_OFFSET};
    if (ggufs_tree_open(names, n, how, tree, &error) == 0)
        return GGUFS_OK;
    return print_error(names[0], &error);
}

int open_tree(const struct options *options, size_t n,
              void (*log)(void *log_data, const char *line), void *log_data,
              struct ggufs_tree **tree)
{
    struct ggufs_options how = options->open;
    how.log = log;
    how.log_data = log_data;
    return open_named(&how, options->operands, n, tree);
}

void only_read(const struct options *options)
{
    static const char *const everything[] = {"/", NULL};
    struct sandbox sandbox = {
        .folders = everything,
        .warn = options->quiet ? NULL : print_log,
    };
    if (!options->no_sandbox)
        sandbox_enter(&sandbox);
}

int open_model(const struct options *options, const char *name, struct ggufs_tree **tree)
{
    struct ggufs_options how = options->open;
    how.log = options->quiet ? NULL : print_log;
    return open_named(&how, &name, 1, tree);
}

int open_node(struct ggufs_tree *tree, const char *path, uint64_t *node)
{
    int result = ggufs_tree_resolve(tree, path, node);
    return result < 0 ? print_errno(path, -result) : GGUFS_OK;
}
