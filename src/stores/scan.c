/* SPDX-License-Identifier: MIT */
/* Walking down a directory. What the files of one directory are grouped to is in
 * group.c. Only names and stat are looked at: no file is opened, so none can block. */

#include "stores/scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/error.h"
#include "base/path.h"
#include "stores/directory.h"
#include "stores/group.h"
#include "stores/paths.h"

/* A directory that is being walked, linked to the one that it was reached from. */
struct level {
    const struct level *above;
    const char *path;
    const char *folder;
    dev_t device;
    ino_t inode;
    unsigned depth;
    bool link; /* perhaps: it may lie elsewhere */
};

struct scan {
    struct scan_options options;
    struct found_list *list;
    struct places *places;
    size_t left; /* entries that may still be looked at */
    bool cut;    /* said that there are more */
};

void mounts_done(struct mounts *mounts)
{
    free(mounts->devices);
    *mounts = (struct mounts){0};
}

static bool mounts_has(const struct mounts *mounts, dev_t device)
{
    for (size_t i = 0; i < mounts->count; i++)
        if (mounts->devices[i] == device)
            return true;
    return false;
}

static int mounts_add(struct mounts *mounts, dev_t device)
{
    if (mounts->count == mounts->room) {
        size_t room = mounts->room ? mounts->room * 2 : 8;
        dev_t *devices = reallocarray(mounts->devices, room, sizeof(*devices));
        if (!devices)
            return -ENOMEM;
        mounts->devices = devices;
        mounts->room = room;
    }
    mounts->devices[mounts->count++] = device;
    return 0;
}

/* 1 where what is at path may be looked at, 0 where it is on a filesystem that came
 * later. The device is told without asking that filesystem's server anything. */
static int may_enter(const struct scan *scan, const char *path)
{
    struct mounts *mounts = scan->options.mounts;
    struct statx known;
    if (!mounts ||
        statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &known) < 0)
        return 1;
    dev_t device = makedev(known.stx_dev_major, known.stx_dev_minor);
    if (mounts_has(mounts, device))
        return 1;
    if (mounts->known)
        return 0;
    int rc = mounts_add(mounts, device);
    return rc < 0 ? rc : 1;
}

static bool inside_itself(const struct level *level)
{
    for (const struct level *up = level->above; up; up = up->above)
        if (up->device == level->device && up->inode == level->inode)
            return true;
    return false;
}

static int broken_directory(struct scan *scan, const struct level *level,
                            const char *state)
{
    const char *folder = level->above ? level->above->folder : level->folder;
    return found_add_broken(scan->list, base_name(level->path), folder, level->path,
                            "not searched: %s", state);
}

/* Links, and where readdir does not say: stat must tell what it is. */
static bool may_be_directory(const struct directory_entry *entry)
{
    return entry->type == DT_DIR || entry->type == DT_LNK || entry->type == DT_UNKNOWN;
}

static int walk(struct scan *scan, struct level *level, struct directory *directory);

/* Reads a directory that is not the first: what is wrong with it is said in the list. */
static int enter(struct scan *scan, struct level *level)
{
    if (scan->left == 0)
        return 0;
    if (level->depth > scan->options.depth)
        return broken_directory(scan, level, "too many directories in directories");
    struct directory directory;
    int rc = directory_read(&directory, level->path, scan->left);
    if (rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE)
        goto done; /* nothing is wrong with the directory */
    if (rc < 0) {
        rc = broken_directory(scan, level, strerror(-rc));
        goto done;
    }
    level->device = directory.stat.st_dev;
    level->inode = directory.stat.st_ino;
    if (level->link)
        rc = places_folder(scan->places, level->path);
    if (rc < 0)
        goto done;
    if (inside_itself(level))
        rc = broken_directory(scan, level, "a cycle of links, it lies in itself");
    else
        rc = walk(scan, level, &directory);
done:
    directory_done(&directory);
    return rc;
}

static int enter_below(struct scan *scan, const struct level *above, struct arena *arena,
                       const struct directory_entry *entry, const char *path)
{
    const char *folder =
        *above->folder ? path_join(arena, above->folder, entry->name) : entry->name;
    if (!folder)
        return -ENOMEM;
    struct level level = {.above = above,
                          .path = path,
                          .folder = folder,
                          .depth = above->depth + 1,
                          .link = entry->type != DT_DIR};
    return enter(scan, &level);
}

static int visit(struct scan *scan, struct level *level, struct arena *arena,
                 const struct directory_entry *entry, struct group *group)
{
    bool model = group_wants(entry->name);
    if (!model && !may_be_directory(entry))
        return 0;
    char *path = path_join(arena, level->path, entry->name);
    if (!path)
        return -ENOMEM;
    if (may_be_directory(entry)) {
        int rc = may_enter(scan, path);
        if (rc <= 0)
            return rc;
        if (entry->type == DT_DIR || is_directory(path))
            return enter_below(scan, level, arena, entry, path);
    }
    return model ? group_add(group, path, level->folder) : 0;
}

static int walk(struct scan *scan, struct level *level, struct directory *directory)
{
    struct group group = {.list = scan->list, .places = scan->places};
    scan->left -= directory->count;
    int rc = places_watch(scan->places, level->path, &directory->stat);
    for (size_t i = 0; rc == 0 && i < directory->count; i++)
        rc = visit(scan, level, &directory->arena, &directory->entries[i], &group);
    if (rc == 0)
        rc = group_flush(&group);
    group_done(&group);
    if (rc == 0 && scan->left == 0 && !scan->cut) {
        scan->cut = true;
        rc = broken_directory(scan, level, "too many files, the rest is left out");
    }
    return rc;
}

int scan_directory(const char *path, const char *folder,
                   const struct scan_options *options, struct found_list *list,
                   struct places *places, struct ggufs_error *error)
{
    struct scan scan = {.options = *options, .list = list, .places = places};
    if (scan.options.depth == 0)
        scan.options.depth = SCAN_DEPTH;
    scan.left = (scan.options.entries ? scan.options.entries : SCAN_ENTRIES) + 1;

    struct directory directory;
    int rc = directory_read(&directory, path, scan.left);
    if (rc == 0)
        rc = may_enter(&scan, path);
    if (rc >= 0)
        rc = places_folder(places, path);
    if (rc == 0) {
        struct level top = {.path = path,
                            .folder = folder,
                            .device = directory.stat.st_dev,
                            .inode = directory.stat.st_ino};
        rc = walk(&scan, &top, &directory);
    }
    directory_done(&directory);
    if (rc == -ENOMEM)
        return error_memory(error);
    return rc < 0 ? error_system(error, -rc, "cannot read the directory") : rc;
}
