/* SPDX-License-Identifier: MIT */
/* Finds the test material through GGUFS_SHARED. */

#include "support/material.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool material_path(char *buffer, size_t size, const char *name)
{
    const char *shared = getenv("GGUFS_SHARED");
    if (shared == NULL || shared[0] == '\0')
        return false;
    int length = snprintf(buffer, size, "%s/%s", shared, name);
    return length > 0 && (size_t)length < size && access(buffer, R_OK) == 0;
}

int material_skip(const char *name)
{
    printf("1..0 # SKIP no %s under GGUFS_SHARED\n", name);
    return 0;
}
