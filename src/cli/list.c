/* SPDX-License-Identifier: MIT */
/* --ls: a line an entry, whole subtrees, in the order of the mount's directories. The lines are
 * those of `find -printf '%y\t%s\t%P\n'` in the mount, so that scripts can use either; on a
 * terminal sizes are padded and characters that would act on it are escaped. */

#include "cli/command.h"
#include "cli/open.h"
#include "cli/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A walk through the tree. */
struct walk {
    struct ggufs_tree *tree;
    char *path; /* of the entry that is being visited, from the root */
    size_t room;
    bool terminal;
    int status; /* of the entries that could not be read */
};

static void print_entry(const struct walk *walk, const struct stat *st)
{
    printf("%c\t%*jd\t", S_ISDIR(st->st_mode) ? 'd' : 'f', walk->terminal ? 13 : 0,
           (intmax_t)st->st_size);
    if (walk->terminal)
        print_text(walk->path, stdout);
    else
        fputs(walk->path, stdout);
    putchar('\n');
}

/* Makes the path that of an entry of the directory whose path is length bytes long. */
static int set_path(struct walk *walk, size_t length, const char *name)
{
    size_t need = length + 1 + strlen(name) + 1;
    if (need > walk->room) {
        char *path = realloc(walk->path, need * 2);
        if (!path)
            return -ENOMEM;
        walk->path = path;
        walk->room = need * 2;
    }
    if (length > 0)
        walk->path[length++] = '/';
    strcpy(walk->path + length, name);
    return 0;
}

static void list_below(struct walk *walk, uint64_t dir);

static void list_node(struct walk *walk, uint64_t node)
{
    struct stat st;
    int result = ggufs_tree_stat(walk->tree, node, &st);
    if (result < 0) {
        walk->status = print_errno(walk->path, -result);
        return;
    }
    if (node != GGUFS_ROOT)
        print_entry(walk, &st);
    if (S_ISDIR(st.st_mode))
        list_below(walk, node);
}

static int visit(void *data, const struct ggufs_entry *entry)
{
    struct walk *walk = data;
    size_t length = strlen(walk->path);
    int result = set_path(walk, length, entry->name);
    if (result < 0)
        return result;
    list_node(walk, entry->node);
    walk->path[length] = '\0';
    return ferror(stdout) ? 1 : 0; /* nobody listens: main says so */
}

static void list_below(struct walk *walk, uint64_t dir)
{
    int result = ggufs_tree_list(walk->tree, dir, 0, visit, walk);
    if (result < 0)
        walk->status = print_errno(walk->path, -result);
}

/* Lists what is at path, a path from the tree's root with or without slashes at its ends. */
static int list_path(struct walk *walk, const char *path)
{
    uint64_t node;
    int status = open_node(walk->tree, path, &node);
    if (status)
        return status;
    path += strspn(path, "/");
    if (set_path(walk, 0, path) < 0)
        return print_errno(path, ENOMEM);
    for (size_t end = strlen(walk->path); end > 0 && walk->path[end - 1] == '/'; end--)
        walk->path[end - 1] = '\0';
    list_node(walk, node);
    return walk->status;
}

int list_command(const struct options *options)
{
    struct walk walk = {.terminal = isatty(STDOUT_FILENO) == 1};
    only_read(options);
    int status = open_model(options, options->operands[0], &walk.tree);
    if (status)
        return status;
    status = list_path(&walk, options->n_operands > 1 ? options->operands[1] : "");
    free(walk.path);
    ggufs_tree_close(walk.tree);
    return status;
}
