/* SPDX-License-Identifier: MIT */
/* In place of mount.c where the program is built without libfuse. */

#include "cli/command.h"
#include "cli/print.h"
#include "fs/mount.h"

int mount_command(const struct options *options)
{
    (void)options;
    print_message(
        "built without libfuse: it has --check, --ls, --cat and --diff, but no mount");
    return MOUNT_FAILED;
}
