/* SPDX-License-Identifier: MIT */
/* Where models were found: the directories and lists that were read, so that a change
 * among them can be noticed, and the folders that must stay readable to open the
 * models. */

#ifndef GGUFS_STORES_PLACES_H
#define GGUFS_STORES_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"

/* Something on disk as it was when it was read. */
struct watched {
    const char *path;
    struct stat stat;
    struct timespec when;
};

/* A zeroed one is empty. Adding is 0 or -ENOMEM. */
struct places {
    struct watched *watched;
    size_t n_watched, watched_room;
    const char **folders; /* real paths; after places_finish none lies below another */
    size_t n_folders, folders_room;
    struct arena arena;
};

/* path was read when it had this stat: places_changed compares. */
int places_watch(struct places *places, const char *path, const struct stat *stat);
/* The directory at path (a symbolic link is followed) must stay readable. One that is not
 * there is left out. */
int places_folder(struct places *places, const char *path);
/* The same for the directory that really holds the file at path. */
int places_folder_of(struct places *places, const char *path);

/* Drops folders that lie below others. */
void places_finish(struct places *places);

/* Something that was read is not what it was: scan again. Some stat calls, nothing else.
 * Also true where it changed so shortly before it was read that its times could not
 * tell. */
bool places_changed(const struct places *places);

void places_done(struct places *places);

#endif
