/* SPDX-License-Identifier: MIT */
/* One file of a model, open and mapped. Tensor bytes leave it in two ways: as a run of
 * the map that only the kernel may touch (writev answers EFAULT where the file was
 * truncated), or by pread into a buffer of ours (a short count is -EIO). */

#ifndef GGUFS_MODEL_SOURCE_H
#define GGUFS_MODEL_SOURCE_H

#include <sys/stat.h>

#include "ggufs.h"

struct source;

/* Opens path (O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_NOCTTY, never descriptors 0 to 2),
 * requires a regular file. The map is made at the first source_map. */
int source_open(const char *path, struct source **source, struct ggufs_error *error);
void source_close(struct source *source);

int source_fd(const struct source *source);
const char *source_name(const struct source *source); /* the file's, no directory */
/* When it was opened. The mode lets nobody in whom the file does not (of a file with an access
 * control list it has the owner's bits alone). */
const struct stat *source_stat(const struct source *source);
uint64_t source_size(const struct source *source);

/* Where troubles are told, once each; may be NULL. */
void source_log(struct source *source, void (*log)(void *, const char *), void *log_data);

/* How the map's pages are dealt with: pinned as they come in, dropped behind a reader. Before
 * the first source_map. */
void source_pages(struct source *source, bool pin, bool drop);

/* Reads exactly size bytes: 0, or -EIO (past the end; logged once where it was there
 * when the file was opened), -ESTALE (the file changed since: logged once), another
 * -errno. */
int source_read(struct source *source, uint64_t offset, void *buffer, size_t size);

/* A pointer into the map for [offset, offset + size), never to be dereferenced here.
 * 0; -EIO where it is past the file's end now, -ESTALE where the file changed since it
 * was opened (both logged once); -ENODEV where the file cannot be mapped (use read). */
int source_map(struct source *source, uint64_t offset, size_t size, const void **bytes);

/* The bytes that the file began with when it was parsed, which outlive the source: they tell
 * a file that was truncated (what is left is still read) from one that was written anew. */
void source_remember(struct source *source, const void *head, size_t size);

/* The file is still what was opened (device, inode, size, mtime, ctime): 0, -ESTALE
 * (logged once), -EIO. Let pass are a new ctime where links, mode or owner changed with
 * it (a file that was unlinked, or that another was renamed over, still has all its
 * bytes), and a smaller size where the head is still the same (truncated). */
int source_check(struct source *source);

#endif
