/* SPDX-License-Identifier: MIT */
/* The mountpoint: what may be wrong with it, in words that help, and unmounting. Mounting
 * is libfuse's, in session.c. */

#include "fs/mountpoint.h"
#include "fs/failure.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A directory that cannot be listed counts as empty: what is in it cannot be missed. */
static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    if (!directory)
        return true;
    do
        entry = readdir(directory);
    while (entry && is_dot(entry->d_name));
    closedir(directory);
    return entry == NULL;
}

static int make(struct mountpoint *point, const char *path, struct ggufs_error *error)
{
    point->made = mkdir(path, 0777) == 0;
    if (!point->made && errno != EEXIST)
        return mount_failure(error, errno, path, "cannot make the mountpoint");
    return 0;
}

/* What stat said of a mountpoint that cannot be looked at. */
static int explain(int errnum, const char *path, struct ggufs_error *error)
{
    char quoted[256];

    if (errnum == ENOENT)
        return mount_failure(error, 0, path, "no such directory to mount on");
    if (errnum != ENOTCONN)
        return mount_failure(error, errnum, path, "cannot mount here");
    ggufs_quote(quoted, sizeof quoted, path, strlen(path));
    return mount_failure(error, 0, path,
                         "a mount whose program has died is in the way; clear it with: "
                         "fusermount3 -u %s",
                         quoted);
}

static int look_at(struct mountpoint *point, const struct mount_options *options,
                   struct ggufs_error *error)
{
    const char *path = options->mountpoint;
    struct mountinfo there;
    struct stat st;

    if (stat(path, &st) != 0)
        return explain(errno, path, error);
    if (!S_ISDIR(st.st_mode))
        return mount_failure(error, 0, path, "not a directory: cannot mount on it");
    point->path = realpath(path, NULL);
    if (!point->path)
        return mount_failure(error, errno, path, "cannot mount here");
    if (options->nonempty)
        return 0;
    if (mountinfo_find(point->path, &there) && strcmp(there.type, "fuse.ggufs") == 0)
        return mount_failure(error, 0, path, "a model is mounted here already");
    if (!is_empty(point->path))
        return mount_failure(error, 0, path,
                             "not empty (-o nonempty mounts over what is in it)");
    return 0;
}

int mountpoint_init(struct mountpoint *point, const struct mount_options *options,
                    struct ggufs_error *error)
{
    int status = 0;

    *point = (struct mountpoint){0};
    if (options->make_mountpoint)
        status = make(point, options->mountpoint, error);
    if (status == 0)
        status = look_at(point, options, error);
    if (status != 0) {
        if (point->made && !point->path)
            rmdir(options->mountpoint);
        mountpoint_done(point, true);
    }
    return status;
}

void mountpoint_done(struct mountpoint *point, bool remove)
{
    if (point->path && point->made && remove)
        rmdir(point->path);
    free(point->path);
    *point = (struct mountpoint){0};
}

void mountpoint_mounted(struct mountpoint *point)
{
    point->mounted = mountinfo_find(point->path, &point->mount);
}

static bool is_ours(const struct mountpoint *point)
{
    struct mountinfo now;

    return point->mounted && mountinfo_find(point->path, &now) &&
           now.id == point->mount.id && now.major == point->mount.major &&
           now.minor == point->mount.minor;
}

/* What a user who is not root may do: ask libfuse's helper, which is setuid. */
static int ask_helper(char *path)
{
    char name[] = "fusermount3", unmount[] = "-u", quiet[] = "-q", lazy[] = "-z",
         end[] = "--";
    char *arguments[] = {name, unmount, quiet, lazy, end, path, NULL};
    sigset_t none;
    posix_spawnattr_t attributes;
    int status, result;
    pid_t helper;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    result = posix_spawnp(&helper, name, NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    if (result != 0)
        return -result;
    if (waitpid(helper, &status, 0) != helper || status != 0)
        return -EPERM;
    return 0;
}

int mountpoint_unmount(struct mountpoint *point)
{
    if (!is_ours(point))
        return 0;
    if (umount2(point->path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
        return 0;
    return ask_helper(point->path);
}
