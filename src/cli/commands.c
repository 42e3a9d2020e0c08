/* SPDX-License-Identifier: MIT */
/* The table of commands. A new one is a row here, a long option in options.c and a file of
 * its own. */

#include "cli/command.h"

#include <string.h>

static const struct command commands[] = {
    {"mount", "MODEL... [MOUNTPOINT]", 1, ANY_NUMBER, 1, false, mount_command},
    {"check", "--check MODEL...", 1, ANY_NUMBER, 1, false, check_command},
    {"ls", "--ls MODEL [PATH]", 1, 2, 1, false, list_command},
    {"cat", "--cat MODEL PATH", 2, 2, 1, false, cat_command},
    {"diff", "--diff [--brief] [--json] MODEL MODEL", 2, 2, 2, false, diff_command},
    {"help", "", 0, ANY_NUMBER, 1, true, help_command},
    {"version", "", 0, ANY_NUMBER, 1, true, version_command},
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}
