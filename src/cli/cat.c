/* SPDX-License-Identifier: MIT */
/* --cat: the bytes of one file of the tree, as the mount would give them. They go straight to
 * the descriptor: stdio would only copy them once more. */

#include "cli/command.h"
#include "cli/open.h"
#include "cli/print.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* As much is read and written at once. */
enum { PIECE_SIZE = 1 << 20 };

/* Writes all bytes to standard output: 0, or -errno. */
static int put(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

static int copy(struct ggufs_file *file, const char *path)
{
    char *piece = malloc(PIECE_SIZE);
    int status = piece ? GGUFS_OK : print_errno(path, ENOMEM);
    uint64_t offset = 0;
    while (!status) {
        ssize_t got = ggufs_file_read(file, offset, piece, PIECE_SIZE);
        if (got == 0)
            break;
        int result = got < 0 ? (int)got : put(piece, (size_t)got);
        if (result < 0)
            status = print_errno(got < 0 ? path : "standard output", -result);
        offset += (uint64_t)got;
    }
    free(piece);
    return status;
}

static int show(struct ggufs_tree *tree, const char *path)
{
    struct ggufs_file *file;
    uint64_t node;
    int status = open_node(tree, path, &node);
    if (status)
        return status;
    int result = ggufs_file_open(tree, node, &file);
    if (result < 0)
        return print_errno(path, -result);
    status = copy(file, path);
    ggufs_file_close(file);
    return status;
}

int cat_command(const struct options *options)
{
    struct ggufs_tree *tree;
    only_read(options);
    int status = open_model(options, options->operands[0], &tree);
    if (status)
        return status;
    status = show(tree, options->operands[1]);
    ggufs_tree_close(tree);
    return status;
}
