/* SPDX-License-Identifier: MIT */
/* Remembering where things were found, and noticing that it is out of date. */

#include "stores/places.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The coarsest step that times of files have (FAT's), in seconds. */
#define TIME_STEP 2

/* Room for one more element of size bytes; items stays where memory is out. */
static void *grown(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    size_t wanted = *room ? *room * 2 : 16;
    void *bigger = reallocarray(items, wanted, size);
    if (bigger)
        *room = wanted;
    return bigger;
}

static char *keep(struct places *places, const char *string)
{
    return arena_copy(&places->arena, string, strlen(string));
}

int places_watch(struct places *places, const char *path, const struct stat *stat)
{
    struct watched *watched = grown(places->watched, places->n_watched,
                                    &places->watched_room, sizeof(*places->watched));
    if (!watched)
        return -ENOMEM;
    places->watched = watched;
    struct watched added = {.path = keep(places, path), .stat = *stat};
    if (!added.path)
        return -ENOMEM;
    clock_gettime(CLOCK_REALTIME, &added.when);
    places->watched[places->n_watched++] = added;
    return 0;
}

/* Keeps a real path, unless it is the one that was added last: runs of one are the
 * rule. */
static int add_folder(struct places *places, const char *real)
{
    if (places->n_folders > 0 &&
        strcmp(places->folders[places->n_folders - 1], real) == 0)
        return 0;
    const char **folders = grown(places->folders, places->n_folders,
                                 &places->folders_room, sizeof(*places->folders));
    if (!folders)
        return -ENOMEM;
    places->folders = folders;
    const char *copy = keep(places, real);
    if (!copy)
        return -ENOMEM;
    places->folders[places->n_folders++] = copy;
    return 0;
}

int places_folder(struct places *places, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return errno == ENOMEM ? -ENOMEM : 0;
    int rc = add_folder(places, real);
    free(real);
    return rc;
}

int places_folder_of(struct places *places, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return errno == ENOMEM ? -ENOMEM : 0;
    char *slash = strrchr(real, '/');
    slash[slash == real] = '\0';
    int rc = add_folder(places, real);
    free(real);
    return rc;
}

/* Bytewise, but '/' before all others: what lies below a directory comes right behind
 * it. */
static int compare_folders(const void *a, const void *b)
{
    const char *x = *(const char *const *)a;
    const char *y = *(const char *const *)b;
    while (*x && *x == *y)
        x++, y++;
    int p = *x == '/' ? 1 : (unsigned char)*x * 2;
    int q = *y == '/' ? 1 : (unsigned char)*y * 2;
    return p - q;
}

/* Whether path is directory or lies below it. */
static bool lies_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    if (strcmp(directory, "/") == 0)
        return true;
    return strncmp(path, directory, length) == 0 &&
           (path[length] == '\0' || path[length] == '/');
}

void places_finish(struct places *places)
{
    if (places->n_folders == 0)
        return;
    qsort(places->folders, places->n_folders, sizeof(*places->folders), compare_folders);
    size_t last = 0;
    for (size_t i = 1; i < places->n_folders; i++)
        if (!lies_below(places->folders[i], places->folders[last]))
            places->folders[++last] = places->folders[i];
    places->n_folders = last + 1;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Changed so near the scan that another change could bear the same time. */
static bool too_young(struct timespec changed, struct timespec read)
{
    time_t apart = read.tv_sec - changed.tv_sec;
    return apart >= -TIME_STEP && apart <= TIME_STEP;
}

/* Whatever moves the time of the last change to the contents moves ctime too. */
bool places_changed(const struct places *places)
{
    for (size_t i = 0; i < places->n_watched; i++) {
        const struct stat *old = &places->watched[i].stat;
        struct stat now;
        if (stat(places->watched[i].path, &now) < 0)
            return true;
        if (now.st_dev != old->st_dev || now.st_ino != old->st_ino ||
            !same_time(now.st_ctim, old->st_ctim) ||
            too_young(old->st_ctim, places->watched[i].when))
            return true;
    }
    return false;
}

void places_done(struct places *places)
{
    free(places->watched);
    free(places->folders);
    arena_done(&places->arena);
    *places = (struct places){0};
}
