/* SPDX-License-Identifier: MIT */
/* What the fuzz harnesses share: saying what did not hold, and memory and files of an exact
 * size. */

#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"

void expect_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

void expect_line(const char *text)
{
    size_t length = strlen(text);
    expect(length > 0);
    expect(utf8_valid(text, length));
    for (size_t i = 0; i < length; i++)
        expect((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
}

void expect_error(int rc, const struct ggufs_error *error)
{
    char line[1024];
    expect(rc < 0);
    expect(error->code != GGUFS_OK);
    expect(error->errnum > 0);
    expect_line(error->text);
    expect(ggufs_error_format(error, "model.gguf", line, sizeof(line)) > 0);
    expect_line(line);
}

void *exact_alloc(size_t size)
{
    void *own = malloc(size > 0 ? size : 1);
    if (own == NULL)
        abort();
    return own;
}

void *exact_copy(const void *bytes, size_t size)
{
    void *own = exact_alloc(size);
    if (size > 0)
        memcpy(own, bytes, size);
    return own;
}

int memory_file(const void *bytes, size_t size, char path[64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    expect(fd >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)bytes + done, size - done);
        expect(n > 0);
        done += (size_t)n;
    }
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

void temporary_directory(char path[DIRECTORY_ROOM])
{
    const char *place = getenv("TMPDIR");
    snprintf(path, DIRECTORY_ROOM, "%s/ggufs-fuzz-XXXXXX", place ? place : "/tmp");
    expect(mkdtemp(path) != NULL);
}

static void expect_logged_line(void *data, const char *line)
{
    (void)data;
    expect_line(line);
}

struct ggufs_options options_of(uint8_t choice)
{
    struct ggufs_options options = {
        .strict = (choice & 7) == 1,
        .single = (choice & 7) == 2,
        .partial = (choice & 7) == 3,
        .no_views = (choice & 7) == 4,
        .mlock = (choice & 7) == 6,
        .drop = (choice & 7) == 6,
        .log = expect_logged_line,
        .dequant = (enum ggufs_dequant)((choice >> 3) % 3),
    };
    return options;
}
