/* SPDX-License-Identifier: MIT */
/* Catching standard error in an anonymous file, see capture.h: not in a pipe, which a
 * helper could fill or keep open. */

#include "fs/capture.h"
#include "ggufs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void capture_begin(struct capture *capture)
{
    capture->file = memfd_create("stderr", MFD_CLOEXEC);
    capture->real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (capture->file >= 0 && capture->real >= 0) {
        fflush(stderr);
        dup2(capture->file, STDERR_FILENO);
    }
}

/* The last line of text, which is cut there. */
static const char *last_line(char *text, size_t length)
{
    const char *newline;

    while (length > 0 && text[length - 1] == '\n')
        length--;
    text[length] = '\0';
    newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

static void read_last_line(int file, char *line, size_t size)
{
    char text[4096];
    off_t end = lseek(file, 0, SEEK_END);
    off_t start = end < (off_t)sizeof text ? 0 : end - (off_t)sizeof text + 1;
    ssize_t n = pread(file, text, sizeof text - 1, start);
    const char *last = last_line(text, n > 0 ? (size_t)n : 0);

    ggufs_quote(line, size, last, strlen(last));
}

void capture_end(struct capture *capture, char *line, size_t size)
{
    *line = '\0';
    if (capture->file >= 0 && capture->real >= 0) {
        dup2(capture->real, STDERR_FILENO);
        read_last_line(capture->file, line, size);
    }
    if (capture->file >= 0)
        close(capture->file);
    if (capture->real >= 0)
        close(capture->real);
}
