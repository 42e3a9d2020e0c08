/* SPDX-License-Identifier: MIT */
/* The library's version. A file of its own because config.h's GGUFS_VERSION, a text,
 * hides the error code of that name: here nobody needs the code. */

#include "ggufs.h"

#include "config.h"

const char *ggufs_version(void)
{
    return GGUFS_VERSION_TEXT;
}
