/* SPDX-License-Identifier: MIT */
/* Paths and small files. Opens nothing for writing and follows symbolic links, as the
 * programs whose stores these are do. */

#include "stores/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *path_join(struct arena *arena, const char *a, const char *b)
{
    size_t room = strlen(a) + strlen(b) + 2;
    char *path = arena_alloc(arena, room);
    if (path)
        snprintf(path, room, "%s%s%s", a, strcmp(a, "/") == 0 ? "" : "/", b);
    return path;
}

static char *without_end_slashes(char *path)
{
    size_t length = path ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    return path;
}

char *path_absolute(struct arena *arena, const char *path)
{
    if (path[0] == '/')
        return without_end_slashes(arena_copy(arena, path, strlen(path)));
    while (path[0] == '.' && (path[1] == '/' || path[1] == '\0'))
        for (path++; *path == '/'; path++)
            ;
    char *here = getcwd(NULL, 0);
    if (!here)
        return NULL;
    char *absolute =
        *path ? path_join(arena, here, path) : arena_copy(arena, here, strlen(here));
    free(here);
    return without_end_slashes(absolute);
}

char *path_home(struct arena *arena)
{
    const char *home = getenv("HOME");
    if (home && *home)
        return path_absolute(arena, home);
    char strings[4096];
    struct passwd user, *found = NULL;
    if (getpwuid_r(getuid(), &user, strings, sizeof(strings), &found) == 0 && found)
        return path_absolute(arena, found->pw_dir);
    return arena_copy(arena, "/", 1);
}

int path_from_environment(struct arena *arena, const char *variable, char **path)
{
    const char *value = getenv(variable);
    *path = NULL;
    if (!value || !*value)
        return 0;
    if (strncmp(value, "~/", 2) == 0) {
        const char *home = path_home(arena);
        *path = home ? path_join(arena, home, value + 2) : NULL;
    } else {
        *path = path_absolute(arena, value);
    }
    return *path ? 0 : -ENOMEM;
}

bool is_directory(const char *path)
{
    return leads_to_directory(path) == 1;
}

int leads_to_directory(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode);
    return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
}

bool is_part(const char *name, size_t length)
{
    if (length == 0 || memchr(name, '/', length))
        return false;
    return !(name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

/* Up to size bytes, from the start of the file on. */
static ssize_t read_all(int fd, char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int read_open(struct arena *arena, int fd, size_t limit, char **bytes,
                     size_t *length, struct stat *stat)
{
    if (fstat(fd, stat) < 0)
        return -errno;
    if (!S_ISREG(stat->st_mode))
        return -EINVAL;
    if (stat->st_size < 0 || (uint64_t)stat->st_size > limit)
        return -EFBIG;
    size_t size = (size_t)stat->st_size;
    *bytes = arena_alloc(arena, size + 1);
    if (!*bytes)
        return -ENOMEM;
    ssize_t n = read_all(fd, *bytes, size);
    if (n < 0)
        return (int)n;
    (*bytes)[n] = '\0';
    *length = (size_t)n;
    return 0;
}

int read_small(struct arena *arena, const char *path, size_t limit, char **bytes,
               size_t *length, struct stat *stat)
{
    struct stat unasked;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    int rc = read_open(arena, fd, limit, bytes, length, stat ? stat : &unasked);
    close(fd);
    return rc;
}
