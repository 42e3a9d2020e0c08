/* SPDX-License-Identifier: MIT */
/* The mount: which operand is the mountpoint, what is said before it. The mount itself is
 * src/fs's. */

#include "fs/mount.h"
#include "cli/command.h"
#include "cli/open.h"
#include "cli/print.h"

#include <stdio.h>

static void print_nothing(void *data, const char *line)
{
    (void)data;
    (void)line;
}

/* Mounts the tree, which is mount_serve's to close. where is NULL for a directory made here. */
static int mount_tree(const struct options *options, struct ggufs_tree *tree,
                      const char *where, struct mount_log *log)
{
    struct ggufs_error error = {.offset = GGUFS_NO_OFFSET};
    char here[256];
    snprintf(here, sizeof here, "%s", ggufs_tree_name(tree));
    struct mount_options mount = {
        .tree = tree,
        .source = ggufs_tree_model(tree) ? options->operands[0] : here,
        .mountpoint = where ? where : here,
        .make_mountpoint = !where,
        .nonempty = options->nonempty,
        .foreground = options->foreground,
        .debug = options->debug,
        .single_threaded = options->single_threaded,
        .no_sandbox = options->no_sandbox,
        .cache = options->cache,
        .fuse_options = options->fuse_options,
        .log = log,
    };
    fflush(stdout);
    int status = mount_serve(&mount, &error);
    if (status)
        print_error(mount.mountpoint, &error);
    return status;
}

int mount_command(const struct options *options)
{
    struct mount_log log = {.report = options->quiet ? print_nothing : print_log};
    size_t n = options->n_operands;
    const char *where = n > 1 ? options->operands[--n] : NULL;
    struct ggufs_tree *tree;
    int status = open_tree(options, n, mount_log, &log, &tree);
    if (status)
        return status;
    const struct ggufs_model *model = ggufs_tree_model(tree);
    if (model && !options->quiet)
        print_warnings(options->operands[0], model);
    return mount_tree(options, tree, where, &log);
}
