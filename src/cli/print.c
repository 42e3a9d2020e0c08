/* SPDX-License-Identifier: MIT */
/* Lines for people. Whatever they are made of goes through print_text, so that neither a
 * model's texts nor a path with odd characters gets to act on the terminal. */

#include "cli/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A line is cut here: the longest path and the longest text fit. */
enum { LINE_SIZE = 8192 };

/* As many warnings are shown when a model is mounted. --check shows all. */
enum { WARNINGS_SHOWN = 10 };

/* In pieces between backslashes, which ggufs_quote would double: they are harmless, and there
 * already where a text was quoted before. */
void print_text(const char *text, FILE *stream)
{
    char quoted[4 * LINE_SIZE + 1];
    while (*text) {
        size_t length = strcspn(text, "\\");
        if (length > LINE_SIZE)
            length = LINE_SIZE;
        fputs(ggufs_quote(quoted, sizeof quoted, text, length), stream);
        text += length;
        if (*text == '\\')
            putc(*text++, stream);
    }
}

/* What was written to standard output comes first, where both are the same terminal. */
static void put_message(const char *line)
{
    fflush(stdout);
    fputs("ggufs: ", stderr);
    print_text(line, stderr);
    fputc('\n', stderr);
}

void print_message_list(const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    vsnprintf(line, sizeof line, format, arguments);
    put_message(line);
}

void print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message_list(format, arguments);
    va_end(arguments);
}

int print_error(const char *file, const struct ggufs_error *error)
{
    char line[LINE_SIZE];
    ggufs_error_format(error, file, line, sizeof line);
    put_message(line);
    return error->code ? (int)error->code : GGUFS_SYSTEM;
}

int print_errno(const char *file, int errnum)
{
    print_message("%s: %s", file, strerror(errnum));
    return GGUFS_SYSTEM;
}

/* Warning i as a line. Of a set it names the shard's file, which is not always the named one. */
static void format_warning(char line[LINE_SIZE], const char *file,
                           const struct ggufs_model *model, size_t i)
{
    struct ggufs_warning warning;
    struct ggufs_shard shard;
    char place[40] = "";
    ggufs_model_warning(model, i, &warning);
    if (ggufs_model_shards(model) > 1) {
        ggufs_model_shard(model, warning.shard, &shard);
        file = shard.name;
    }
    if (warning.offset != GGUFS_NO_OFFSET)
        snprintf(place, sizeof place, " (at byte %" PRIu64 ")", warning.offset);
    snprintf(line, LINE_SIZE, "%s: warning: %s%s", file, warning.text, place);
}

void print_finding(const char *file, const struct ggufs_model *model, size_t i)
{
    char line[LINE_SIZE];
    format_warning(line, file, model, i);
    print_text(line, stdout);
    putchar('\n');
}

void print_warnings(const char *file, const struct ggufs_model *model)
{
    size_t count = ggufs_model_warnings(model);
    for (size_t i = 0; i < count && i < WARNINGS_SHOWN; i++) {
        char line[LINE_SIZE];
        format_warning(line, file, model, i);
        put_message(line);
    }
    if (count > WARNINGS_SHOWN)
        print_message("%s: %zu more warnings (ggufs --check shows all)", file,
                      count - WARNINGS_SHOWN);
}

void print_log(void *data, const char *line)
{
    (void)data;
    put_message(line);
}

bool print_end(void)
{
    bool failed = ferror(stdout) != 0;
    if (fclose(stdout) == 0 && !failed)
        return true;
    print_message("standard output: %s", failed ? "write error" : strerror(errno));
    return false;
}
