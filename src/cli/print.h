/* SPDX-License-Identifier: MIT */
/* All that the program says: one line a message, "ggufs: " before it, on standard error.
 * Whatever such a line quotes, a terminal shows and does not obey. Standard output belongs to
 * the commands; print_end says whether it took everything. */

#ifndef GGUFS_CLI_PRINT_H
#define GGUFS_CLI_PRINT_H

#include "ggufs.h"

#include <stdarg.h>
#include <stdio.h>

/* Writes text with \xNN for what a terminal would act upon: control bytes, the C1 controls that
 * UTF-8 has, marks that turn the direction of writing, bytes that are not UTF-8. */
void print_text(const char *text, FILE *stream);

void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_message_list(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));

/* The error that opening file met: "ggufs: FILE: TEXT (at byte N)". Returns the exit status
 * that goes with it. */
int print_error(const char *file, const struct ggufs_error *error);

/* A system call on file failed. Returns the exit status. */
int print_errno(const char *file, int errnum);

/* Warning i of the model that file names, on standard output: "FILE: warning: TEXT (at byte
 * N)". */
void print_finding(const char *file, const struct ggufs_model *model, size_t i);

/* The model's warnings as messages; of many the first ones, and how many more there are. */
void print_warnings(const char *file, const struct ggufs_model *model);

/* For ggufs_options.log. */
void print_log(void *data, const char *line);

/* Flushes and closes standard output. False where it did not take all, after saying so. */
bool print_end(void);

#endif
