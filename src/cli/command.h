/* SPDX-License-Identifier: MIT */
/* What the program can be asked to do: one row of a table each, found by the long option that
 * asks for it. A command opens what it needs, prints through print.h and returns the exit
 * status; options.c has checked its operands' number before. */

#ifndef GGUFS_CLI_COMMAND_H
#define GGUFS_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct options;

/* As max_operands: as many as there are. */
#define ANY_NUMBER ((size_t)-1)

struct command {
    const char *name;  /* the long option, without its dashes */
    const char *usage; /* what stands behind "ggufs", as messages show it */
    size_t min_operands;
    size_t max_operands;
    int failure; /* exit status of a system error */
    bool wins;   /* asked for together with others, it is the one that is done */
    int (*run)(const struct options *options);
};

/* The command of that name; NULL where there is none. */
const struct command *command_find(const char *name);

int mount_command(const struct options *options);
int check_command(const struct options *options);
int list_command(const struct options *options);
int cat_command(const struct options *options);
int diff_command(const struct options *options);
int help_command(const struct options *options);
int version_command(const struct options *options);

#endif
