/* SPDX-License-Identifier: MIT */
/* Reading a directory. The descriptor is closed again before anybody looks at the
 * entries, so that a deep tree holds no more than one. */

#include "stores/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static int add_entry(struct directory *directory, size_t *room,
                     const struct dirent *entry)
{
    if (directory->count == *room) {
        size_t wanted = *room ? *room * 2 : 32;
        void *bigger =
            reallocarray(directory->entries, wanted, sizeof(*directory->entries));
        if (!bigger)
            return -ENOMEM;
        directory->entries = bigger;
        *room = wanted;
    }
    char *name = arena_copy(&directory->arena, entry->d_name, strlen(entry->d_name));
    if (!name)
        return -ENOMEM;
    directory->entries[directory->count++] =
        (struct directory_entry){name, entry->d_type};
    return 0;
}

static int read_entries(struct directory *directory, DIR *stream, size_t limit)
{
    size_t room = 0;
    while (directory->count < limit) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry)
            return -errno;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        int rc = add_entry(directory, &room, entry);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const struct directory_entry *x = a;
    const struct directory_entry *y = b;
    return strcmp(x->name, y->name);
}

int directory_read(struct directory *directory, const char *path, size_t limit)
{
    *directory = (struct directory){0};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    DIR *stream = fdopendir(fd);
    if (!stream) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    int rc = fstat(fd, &directory->stat) < 0 ? -errno : 0;
    if (rc == 0)
        rc = read_entries(directory, stream, limit);
    closedir(stream);
    if (directory->count > 0)
        qsort(directory->entries, directory->count, sizeof(*directory->entries),
              compare_entries);
    return rc;
}

void directory_done(struct directory *directory)
{
    free(directory->entries);
    arena_done(&directory->arena);
    *directory = (struct directory){0};
}

int directory_error(struct ggufs_error *error, int errnum, const char *what,
                    const char *path)
{
    bool there = errnum != ENOENT && errnum != ENOTDIR && errnum != ELOOP;
    return error_system(error, errnum, "%s %s: %s", there ? "cannot read the" : "no",
                        what, quoted(path, strlen(path)).text);
}
