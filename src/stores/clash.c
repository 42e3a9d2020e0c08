/* SPDX-License-Identifier: MIT */
/* Telling apart models of one name. All that share a name take one more step at the same
 * time, until none do; what a name becomes depends on the files alone, not on the order
 * in which they were found. */

#include "stores/clash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

struct bearer {
    struct found *item;
    const char *own;  /* the name that it came with */
    unsigned folders; /* how many of its folders stand before that */
    bool whole;       /* a set that is called by its shard's whole name */
};

static int compare_bearers(const void *a, const void *b)
{
    const struct found *x = ((const struct bearer *)a)->item;
    const struct found *y = ((const struct bearer *)b)->item;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->path, y->path);
}

/* Where the last n parts of a folder begin; NULL where it has fewer. */
static const char *last_parts(const char *folder, unsigned n)
{
    const char *end = folder + strlen(folder);
    const char *start = end + 1;
    for (unsigned i = 0; i < n; i++) {
        if (start == folder || end == folder)
            return NULL;
        for (start--; start > folder && start[-1] != '/'; start--)
            ;
    }
    return n > 0 ? start : end;
}

/* "FOLDERS-NAME", with a '-' for each '/' among the folders. */
static int rename_bearer(struct found_list *list, struct bearer *bearer)
{
    const char *parts = last_parts(bearer->item->folder, bearer->folders);
    size_t room = strlen(parts) + strlen(bearer->own) + 2;
    char *name = arena_alloc(&list->arena, room);
    if (!name)
        return -ENOMEM;
    snprintf(name, room, "%s%s%s", parts, *parts ? "-" : "", bearer->own);
    for (char *p = name; p < name + strlen(parts); p++)
        if (*p == '/')
            *p = '-';
    bearer->item->name = name;
    return 0;
}

static bool same_folder(const struct bearer *run, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (strcmp(run[i].item->folder, run[0].item->folder) != 0)
            return false;
    return true;
}

/* One more folder before each name of the run that has one left: 1; 0 where none has. */
static int add_folders(struct found_list *list, struct bearer *run, size_t n)
{
    int changed = 0;
    if (same_folder(run, n))
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (!last_parts(run[i].item->folder, run[i].folders + 1))
            continue;
        run[i].folders++;
        int rc = rename_bearer(list, &run[i]);
        if (rc < 0)
            return rc;
        changed = 1;
    }
    return changed;
}

/* Each set of the run is called as its first shard's file: 1; 0 where there is none. */
static int add_shard_names(struct found_list *list, struct bearer *run, size_t n)
{
    int changed = 0;
    for (size_t i = 0; i < n; i++) {
        if (!run[i].item->set || run[i].whole)
            continue;
        const char *file = base_name(run[i].item->path);
        const char *dot = strrchr(file, '.');
        run[i].own =
            arena_copy(&list->arena, file, dot ? (size_t)(dot - file) : strlen(file));
        run[i].whole = true;
        if (!run[i].own || rename_bearer(list, &run[i]) < 0)
            return -ENOMEM;
        changed = 1;
    }
    return changed;
}

/* The first keeps its name, the second gets "-2" and so on. */
static int add_numbers(struct found_list *list, struct bearer *run, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        size_t room = strlen(run[i].item->name) + 24;
        char *name = arena_alloc(&list->arena, room);
        if (!name)
            return -ENOMEM;
        snprintf(name, room, "%s-%zu", run[i].item->name, i + 1);
        run[i].item->name = name;
    }
    return 1;
}

static int part_run(struct found_list *list, struct bearer *run, size_t n)
{
    int rc = add_folders(list, run, n);
    if (rc == 0)
        rc = add_shard_names(list, run, n);
    if (rc == 0)
        rc = add_numbers(list, run, n);
    return rc;
}

/* One step for each run of equal names: 1 where there was one, 0 where all names
 * differ. */
static int part_all(struct found_list *list, struct bearer *bearers, size_t n)
{
    int changed = 0;
    qsort(bearers, n, sizeof(*bearers), compare_bearers);
    for (size_t first = 0, end; first < n; first = end) {
        const char *name = bearers[first].item->name;
        for (end = first + 1; end < n && strcmp(bearers[end].item->name, name) == 0;
             end++)
            ;
        if (end - first < 2)
            continue;
        int rc = part_run(list, bearers + first, end - first);
        if (rc < 0)
            return rc;
        changed = 1;
    }
    return changed;
}

int clash_resolve(struct found_list *list)
{
    struct bearer *bearers = calloc(list->count + 1, sizeof(*bearers));
    if (!bearers)
        return -ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].trouble)
            bearers[n++] =
                (struct bearer){&list->items[i], list->items[i].name, 0, false};

    int rc;
    do
        rc = part_all(list, bearers, n);
    while (rc > 0);
    free(bearers);
    return rc;
}
