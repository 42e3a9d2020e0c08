/* SPDX-License-Identifier: MIT */
/* Lays out directories for searches. Everything is made below a descriptor and no link is
 * followed on the way, so that a link stands where its path says; its target goes up by no more
 * directories than that path goes down. */

#include "ground.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/build.h"

void ground_init(struct ground *ground)
{
    temporary_directory(ground->root);
    ground->fd = open(ground->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    expect(ground->fd >= 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void ground_done(struct ground *ground)
{
    close(ground->fd);
    expect(nftw(ground->root, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

/* How many directories a path goes up at its front; -1 where it does so later on, or starts at
 * the root of all. */
static int goes_up(const char *path)
{
    int up = 0;
    if (path[0] == '/')
        return -1;
    for (; strncmp(path, "../", 3) == 0; path += 3)
        up++;
    if (strcmp(path, "..") == 0)
        return up + 1;
    return strstr(path, "..") == NULL ? up : -1;
}

bool ground_is_inside(const char *path)
{
    return goes_up(path) == 0;
}

/* Opens the directory that holds path, making what is missing; *depth is how deep it lies. */
static int open_parent(const struct ground *ground, char *path, char **name, int *depth)
{
    int fd = dup(ground->fd);
    *depth = 0;
    *name = path;
    for (char *slash; fd >= 0 && (slash = strchr(*name, '/')); *name = slash + 1) {
        *slash = '\0';
        if (**name == '\0' || strcmp(*name, ".") == 0)
            continue;
        mkdirat(fd, *name, 0700);
        int next = openat(fd, *name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(fd);
        fd = next;
        ++*depth;
    }
    return fd;
}

static void make_file(int dir, const char *name, const void *bytes, size_t size)
{
    int fd =
        openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    expect(write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

/* Some may name any folder of the machine: those must begin with ROOT. */
static bool is_harmless(const char *name, const char *text)
{
    if (strcmp(name, "settings.json") != 0 && strcmp(name, ".lmstudio-home-pointer") != 0)
        return true;
    return text[0] != '/' && strstr(text, "\"/") == NULL && strpbrk(text, "\\") == NULL &&
           strstr(text, "..") == NULL;
}

#define ROOT "@ROOT@"

/* Text with the place in it, once. */
static void make_text(const struct ground *ground, int dir, const char *name,
                      const char *text)
{
    const char *root = strstr(text, ROOT);
    size_t room = strlen(text) + sizeof(ground->root);
    char *whole = exact_alloc(room);
    if (root)
        snprintf(whole, room, "%.*s%s%s", (int)(root - text), text, ground->root,
                 root + strlen(ROOT));
    else
        snprintf(whole, room, "%s", text);
    make_file(dir, name, whole, strlen(whole));
    free(whole);
}

static void make_model(int dir, const char *name)
{
    struct build build;
    size_t size;
    build_init(&build, 3, false);
    build_key_str(&build, "general.architecture", "x");
    build_tensor(&build, "t", 0, 1, (uint64_t[]){3});
    if (strstr(name, "Q8_0"))
        build_tensor(&build, "q", 8, 1, (uint64_t[]){32});
    if (strstr(name, "odd")) /* a type without a name */
        build_tensor(&build, "odd", 99, 1, (uint64_t[]){32});
    const uint8_t *bytes = build_bytes(&build, &size);
    make_file(dir, name, bytes, size);
    build_done(&build);
}

static void make(const struct ground *ground, char kind, int dir, int depth,
                 const char *name, const char *text)
{
    int up = goes_up(text);
    if (kind == 'd')
        mkdirat(dir, name, 0700);
    else if (kind == 'f' && is_harmless(name, text))
        make_text(ground, dir, name, text);
    else if (kind == 'g')
        make_model(dir, name);
    else if (kind == 'p')
        mkfifoat(dir, name, 0600);
    else if (kind == 'x' && unlinkat(dir, name, 0) < 0)
        unlinkat(dir, name, AT_REMOVEDIR);
    else if (kind == 'l' && up >= 0 && up <= depth && symlinkat(text, dir, name) < 0)
        return; /* there is something already */
}

void ground_line(struct ground *ground, char *line)
{
    char *name, *text, nothing[] = "";
    int depth;
    if (line[0] == '\0' || line[1] != ' ' || strlen(line) > 4096)
        return;
    char *path = line + 2;
    text = strchr(path, '\t');
    if (text)
        *text++ = '\0';
    if (!ground_is_inside(path))
        return;
    int dir = open_parent(ground, path, &name, &depth);
    if (dir < 0)
        return;
    make(ground, line[0], dir, depth, name, text ? text : nothing);
    close(dir);
}
