/* SPDX-License-Identifier: MIT */
/* Filling errors, and putting them into one line. Every text is made fit for a
 * terminal on its way in (quote.c), whoever composed it. */

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

struct quoted quoted(const char *bytes, uint64_t length)
{
    struct quoted q = {"'"};
    /* No more is looked at than is sure not to fit. */
    size_t enough = length < sizeof(q.text) ? (size_t)length : sizeof(q.text);
    ggufs_quote(q.text + 1, 81, bytes, enough);
    strcat(q.text, "'");
    return q;
}

static void fill_text(struct ggufs_error *error, const char *why, const char *format,
                      va_list arguments) __attribute__((format(printf, 3, 0)));

/* The text, with ": " and why behind it where there is a why; cut so that why is kept. */
static void fill_text(struct ggufs_error *error, const char *why, const char *format,
                      va_list arguments)
{
    char text[1024];
    int n = vsnprintf(text, sizeof(text), format, arguments);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
    char tail[128] = "";
    if (why)
        snprintf(tail, sizeof(tail), ": %s", why);
    size_t tail_length = strlen(tail);
    quote_bytes(error->text, sizeof(error->text) - tail_length, text, length, false);
    memcpy(error->text + strlen(error->text), tail, tail_length + 1);
}

/* Makes an error of it, without a text yet; false where nobody asks or there is one. */
static bool begin(struct ggufs_error *error, enum ggufs_code code, int errnum,
                  uint64_t offset)
{
    if (!error || error->code != GGUFS_OK)
        return false;
    error->code = code;
    error->errnum = errnum;
    error->offset = offset;
    error->file[0] = '\0';
    return true;
}

int error_set(struct ggufs_error *error, enum ggufs_code code, uint64_t offset,
              const char *format, ...)
{
    int errnum = code == GGUFS_USAGE ? EINVAL : EBADMSG;
    if (begin(error, code, errnum, offset)) {
        va_list arguments;
        va_start(arguments, format);
        fill_text(error, NULL, format, arguments);
        va_end(arguments);
    }
    return -errnum;
}

int error_system(struct ggufs_error *error, int errnum, const char *format, ...)
{
    if (begin(error, GGUFS_SYSTEM, errnum, GGUFS_NO_OFFSET)) {
        va_list arguments;
        va_start(arguments, format);
        fill_text(error, strerror(errnum), format, arguments);
        va_end(arguments);
    }
    return -errnum;
}

int error_memory(struct ggufs_error *error)
{
    if (begin(error, GGUFS_SYSTEM, ENOMEM, GGUFS_NO_OFFSET))
        strcpy(error->text, "out of memory");
    return -ENOMEM;
}

void error_in_file(struct ggufs_error *error, const char *file)
{
    if (error && error->code != GGUFS_OK && error->file[0] == '\0')
        ggufs_quote(error->file, sizeof(error->file), file, strlen(file));
}

int ggufs_error_format(const struct ggufs_error *error, const char *file, char *buffer,
                       size_t size)
{
    char name[4096] = "";
    if (error->file[0] != '\0')
        strcpy(name, error->file);
    else if (file)
        ggufs_quote(name, sizeof(name), file, strlen(file));
    const char *colon = name[0] != '\0' ? ": " : "";
    if (error->offset == GGUFS_NO_OFFSET)
        return snprintf(buffer, size, "%s%s%s", name, colon, error->text);
    return snprintf(buffer, size, "%s%s%s (at byte %llu)", name, colon, error->text,
                    (unsigned long long)error->offset);
}
