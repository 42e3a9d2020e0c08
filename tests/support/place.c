/* SPDX-License-Identifier: MIT */
/* Making the file, opening it, noting what is logged. */

#include "support/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void keep_line(void *data, const char *line)
{
    struct place *place = data;
    snprintf(place->line, sizeof(place->line), "%s", line);
    place->lines++;
}

void place_write(const char *path, char fill, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        putc((char)(fill + (char)(i % 7)), file);
    assert_int_equal(fclose(file), 0);
}

int place_setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    const char *base = getenv("TMPDIR");
    snprintf(place->directory, sizeof(place->directory), "%s/ggufs-source-XXXXXX",
             base ? base : "/tmp");
    if (!mkdtemp(place->directory))
        return -1;
    snprintf(place->path, sizeof(place->path), "%s/m.gguf", place->directory);
    place_write(place->path, 'a', PLACE_SIZE);
    *state = place;
    return 0;
}

int place_teardown(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    rmdir(place->directory);
    free(place);
    return 0;
}

struct source *place_open(struct place *place)
{
    struct source *source;
    struct ggufs_error error = {0};
    assert_int_equal(source_open(place->path, &source, &error), 0);
    source_log(source, keep_line, place);
    return source;
}
