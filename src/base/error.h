/* SPDX-License-Identifier: MIT */
/* Filling a caller's struct ggufs_error where a fault is found. The first error wins:
 * an error that is filled is left alone. Texts hold no file name and no "(at byte N)":
 * ggufs_error_format adds them. Names out of a file go in through quoted(). */

#ifndef GGUFS_BASE_ERROR_H
#define GGUFS_BASE_ERROR_H

#include "ggufs.h"

/* A fault of the file (code GGUFS_FORMAT, GGUFS_VERSION, GGUFS_INCOMPLETE,
 * GGUFS_USAGE). error may be NULL. Returns -EBADMSG (-EINVAL for GGUFS_USAGE), for
 * `return error_set(...)`. */
int error_set(struct ggufs_error *error, enum ggufs_code code, uint64_t offset,
              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A system call or an allocation failed: the text gets ": " and strerror(errnum)
 * appended. Returns -errnum. */
int error_system(struct ggufs_error *error, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -ENOMEM, with "out of memory". */
int error_memory(struct ggufs_error *error);

/* Says which file it is about (its name is escaped), where that was not said yet. */
void error_in_file(struct ggufs_error *error, const char *file);

/* A name as messages show it, in a buffer that lives in the caller's expression:
 *     error_set(error, ..., "key %s: ...", quoted(name, length).text)
 * gives 'general.name', escaped as ggufs_quote does and cut at 80 bytes. */
struct quoted {
    char text[88];
};
struct quoted quoted(const char *bytes, uint64_t length);

#endif
