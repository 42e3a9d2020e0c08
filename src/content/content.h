/* SPDX-License-Identifier: MIT */
/* The bytes of one file of the tree. A content is one of a few kinds, each in a file
 * of its own, behind this one interface:
 *   bytes   memory that is there                  range   a run of a model's file
 *   text    generated, step by step               concat  several, one behind the other
 *   zeros   so many NUL bytes                     and the views' own.
 * A content may be read from many threads at once. */

#ifndef GGUFS_CONTENT_CONTENT_H
#define GGUFS_CONTENT_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct content;

/* What a reader brings along: set by the file that reads, looked at by contents that take
 * long. */
struct reading {
    const volatile int *interrupted; /* non-zero: stop with -EINTR; may be NULL */
};

struct content_kind {
    const char *name;
    /* Writes exactly the bytes [offset, offset + size), which lie within the content's
     * size, to buffer: 0 or -errno. Required. */
    int (*read)(struct content *content, struct reading *reading, uint64_t offset,
                char *buffer, size_t size);
    /* The first piece of [offset, offset + size) as bytes that are there for the
     * kernel: fills piece (its length 1 to size). They stay when this content is
     * freed: kinds that own their bytes do not map. -ENOSYS where bytes must be made
     * (read); iov_len, which is size at entry, may then be lowered to how many. NULL:
     * all must be made. */
    int (*map)(struct content *content, uint64_t offset, size_t size,
               struct iovec *piece);
    /* Finds the size out: 0 or -errno. NULL: size is known from the start. */
    int (*measure)(struct content *content, uint64_t *size);
    /* The size where it is known without work: 0 or -EAGAIN. NULL as measure. */
    int (*known)(struct content *content, uint64_t *size);
    /* Frees the content and what it owns. Required. */
    void (*free)(struct content *content);
};

struct content {
    const struct content_kind *kind;
    uint64_t size; /* bytes, for kinds that know it from the start */
};

int content_size(struct content *content, uint64_t *size);
int content_size_known(struct content *content, uint64_t *size);
/* Up to size bytes from offset; how many (all up to the end), or -errno. */
ssize_t content_read(struct content *content, struct reading *reading, uint64_t offset,
                     void *buffer, size_t size);
/* The same in pieces: see ggufs_file_gather. */
ssize_t content_gather(struct content *content, struct reading *reading, uint64_t offset,
                       size_t size, void *scratch, struct iovec *pieces, int *n);
void content_free(struct content *content); /* NULL is allowed */

/* -- the kinds; each returns NULL where memory is out, and has then freed what it was
 * given to own -- */

struct source;

/* size bytes of memory; freed with the content where owned. */
struct content *content_bytes(const void *bytes, size_t size, void *owned);
/* [offset, offset + size) of a model's file, which outlives the content. What lies
 * past the file's end reads -EIO. */
struct content *content_range(struct source *source, uint64_t offset, uint64_t size);
struct content *content_zeros(uint64_t size);
/* part(owner, i) is the i-th of n parts; asked for anew at each read, it may be made
 * on the spot. starts[i] is where part i begins, starts[n] the size: both are freed
 * with the content. Parts are freed after use where temporary is set (text is then
 * measured anew by each read: keep such parts). */
struct content *content_concat(size_t n, uint64_t *starts,
                               struct content *(*part)(void *owner, size_t i),
                               void (*free_owner)(void *owner), void *owner,
                               bool temporary);

#endif
