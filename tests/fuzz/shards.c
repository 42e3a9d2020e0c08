/* SPDX-License-Identifier: MIT */
/* Cuts an input into shards and writes them. */

#include "shards.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void shards_path(const struct shards *shards, size_t i, char path[SHARD_ROOM])
{
    snprintf(path, SHARD_ROOM, "%s/m-%05zu-of-%05zu.gguf", shards->directory, i + 1,
             shards->n);
}

static const uint8_t *next_shard(const uint8_t *bytes, size_t size)
{
    const uint8_t *next = size > 4 ? memmem(bytes + 1, size - 1, "GGUF", 4) : NULL;
    return next ? next : bytes + size;
}

static void write_shard(const struct shards *shards, size_t i, const uint8_t *bytes,
                        size_t size)
{
    char path[SHARD_ROOM];
    shards_path(shards, i, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    expect(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

/* Starts of up to SHARDS_MAX shards, and the end behind them. */
static size_t cut(const uint8_t *bytes, size_t size,
                  const uint8_t *starts[SHARDS_MAX + 1])
{
    size_t n = 0;
    const uint8_t *end = bytes + size;
    for (starts[0] = bytes; starts[n] < end && n < SHARDS_MAX; n++)
        starts[n + 1] = next_shard(starts[n], (size_t)(end - starts[n]));
    return n;
}

void shards_write(struct shards *shards, const uint8_t *bytes, size_t size,
                  size_t missing)
{
    const uint8_t *starts[SHARDS_MAX + 1];
    temporary_directory(shards->directory);
    shards->n = cut(bytes, size, starts);
    for (size_t i = 0; i < shards->n; i++)
        if (i != missing)
            write_shard(shards, i, starts[i], (size_t)(starts[i + 1] - starts[i]));
}

void shards_remove(const struct shards *shards)
{
    char path[SHARD_ROOM];
    for (size_t i = 0; i < shards->n; i++) {
        shards_path(shards, i, path);
        unlink(path);
    }
    rmdir(shards->directory);
}
