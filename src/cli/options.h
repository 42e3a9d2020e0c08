/* SPDX-License-Identifier: MIT */
/* The command line, taken apart: what to do, on which operands, how. It knows the words that
 * the user may say, not what comes of them. */

#ifndef GGUFS_CLI_OPTIONS_H
#define GGUFS_CLI_OPTIONS_H

#include "cli/command.h"
#include "fs/mount.h"
#include "ggufs.h"

struct options {
    const struct command *command;
    const char *const *operands; /* in argv; no options among them */
    size_t n_operands;
    bool foreground;
    bool debug;
    bool single_threaded;
    bool quiet;
    bool nonempty;
    bool no_sandbox;
    bool brief; /* of --diff, as json */
    bool json;
    enum mount_cache cache;
    struct ggufs_options open; /* for ggufs_tree_open, without a log */
    char *fuse_options;        /* words of -o that are not ours, with commas; or NULL */
};

/* Fills options from the command line. 0, or the exit status after saying what is wrong.
 * options_done is to be called in either case. */
int options_parse(struct options *options, int argc, char **argv);
void options_done(struct options *options);

#endif
