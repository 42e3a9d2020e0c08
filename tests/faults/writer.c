/* SPDX-License-Identifier: MIT */
/* The format's pieces as bytes on a stream. */

#include "writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

struct writer *writer_new(void)
{
    const char *tmp = getenv("TMPDIR");
    struct writer *writer = calloc(1, sizeof(*writer));
    need(writer != NULL, "memory");
    snprintf(writer->directory, sizeof(writer->directory), "%s/ggufs-limits-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    need(mkdtemp(writer->directory) != NULL, writer->directory);
    snprintf(writer->path, sizeof(writer->path), "%s/model.gguf", writer->directory);
    return writer;
}

void writer_free(struct writer *writer)
{
    if (writer->file)
        fclose(writer->file);
    unlink(writer->path);
    need(rmdir(writer->directory) == 0, writer->directory);
    free(writer);
}

int writer_setup(void **state)
{
    *state = writer_new();
    return 0;
}

int writer_teardown(void **state)
{
    writer_free(*state);
    return 0;
}

void writer_bytes(struct writer *writer, const void *bytes, size_t size)
{
    need(fwrite(bytes, 1, size, writer->file) == size, writer->path);
}

static void write_number(struct writer *writer, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    writer_bytes(writer, bytes, size);
}

void writer_u32(struct writer *writer, uint32_t value)
{
    write_number(writer, value, 4);
}

void writer_u64(struct writer *writer, uint64_t value)
{
    write_number(writer, value, 8);
}

void writer_string(struct writer *writer, const char *text)
{
    writer_u64(writer, strlen(text));
    writer_bytes(writer, text, strlen(text));
}

void writer_header(struct writer *writer, uint64_t tensors, uint64_t keys)
{
    writer->file = fopen(writer->path, "w");
    need(writer->file != NULL, writer->path);
    writer_bytes(writer, "GGUF", 4);
    writer_u32(writer, 3);
    writer_u64(writer, tensors);
    writer_u64(writer, keys);
}

void writer_key(struct writer *writer, const char *name, uint32_t type)
{
    writer_string(writer, name);
    writer_u32(writer, type);
}

void writer_array(struct writer *writer, uint32_t type, uint64_t count)
{
    writer_u32(writer, type);
    writer_u64(writer, count);
}

void writer_tensor(struct writer *writer, const char *name, uint32_t type, uint64_t dim,
                   uint64_t offset)
{
    writer_string(writer, name);
    writer_u32(writer, 1);
    writer_u64(writer, dim);
    writer_u32(writer, type);
    writer_u64(writer, offset);
}

void writer_hole(struct writer *writer, uint64_t size)
{
    need(fseeko(writer->file, (off_t)size, SEEK_CUR) == 0, writer->path);
}

uint64_t writer_end(struct writer *writer, uint64_t size)
{
    off_t head = ftello(writer->file);
    need(head >= 0 && fclose(writer->file) == 0, writer->path);
    writer->file = NULL;
    if (size > 0)
        need(writer_extend(writer, ((uint64_t)head + 31) / 32 * 32 + size), writer->path);
    return (uint64_t)head;
}

bool writer_extend(struct writer *writer, uint64_t size)
{
    return truncate(writer->path, (off_t)size) == 0;
}

void writer_poke(struct writer *writer, uint64_t offset, uint8_t byte)
{
    int fd = open(writer->path, O_WRONLY | O_CLOEXEC);
    need(fd >= 0 && pwrite(fd, &byte, 1, (off_t)offset) == 1, writer->path);
    close(fd);
}
