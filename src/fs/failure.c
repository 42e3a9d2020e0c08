/* SPDX-License-Identifier: MIT */
/* Filling a struct ggufs_error, see failure.h. */

#include "fs/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct ggufs_error *error, int errnum, const char *file,
                 const char *format, va_list arguments)
{
    size_t length;

    error->errnum = errnum ? errnum : EINVAL;
    error->offset = GGUFS_NO_OFFSET;
    if (file)
        ggufs_quote(error->file, sizeof error->file, file, strlen(file));
    vsnprintf(error->text, sizeof error->text, format, arguments);
    length = strlen(error->text);
    if (errnum)
        snprintf(error->text + length, sizeof error->text - length, ": %s",
                 strerror(errnum));
}

int mount_failure(struct ggufs_error *error, int errnum, const char *file,
                  const char *format, ...)
{
    va_list arguments;

    if (error->code != GGUFS_OK)
        return MOUNT_FAILED;
    error->code = GGUFS_SYSTEM;
    va_start(arguments, format);
    fill(error, errnum, file, format, arguments);
    va_end(arguments);
    return MOUNT_FAILED;
}

int usage_failure(struct ggufs_error *error, const char *format, ...)
{
    va_list arguments;

    if (error->code != GGUFS_OK)
        return GGUFS_USAGE;
    error->code = GGUFS_USAGE;
    va_start(arguments, format);
    fill(error, 0, NULL, format, arguments);
    va_end(arguments);
    return GGUFS_USAGE;
}
