/* SPDX-License-Identifier: MIT */
/* Telling sets and single files apart, by their names alone; whether the shards of a set
 * agree is for the model that opens them to say. */

#include "stores/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "model/shard_name.h"
#include "stores/paths.h"

struct group_file {
    const char *path;
    const char *folder;
    uint64_t size;
    bool split;
    struct shard_name shard; /* where split; refers to path */
};

static const char suffix[] = ".gguf";

bool group_wants(const char *name)
{
    size_t length = strlen(name);
    return length >= sizeof(suffix) - 1 &&
           strcmp(name + length - (sizeof(suffix) - 1), suffix) == 0;
}

static int add_broken(struct group *group, const char *path, const char *folder,
                      const char *state)
{
    return found_add_broken(group->list, base_name(path), folder, path, "%s", state);
}

static int push(struct group *group, const struct group_file *file)
{
    if (group->count == group->room) {
        size_t room = group->room ? group->room * 2 : 16;
        void *bigger = reallocarray(group->files, room, sizeof(*group->files));
        if (!bigger)
            return -ENOMEM;
        group->files = bigger;
        group->room = room;
    }
    group->files[group->count++] = *file;
    return 0;
}

/* Why a path does not lead to a file. */
static const char *trouble(int errnum, bool link)
{
    if (errnum == ELOOP)
        return "a cycle of links";
    return errnum == ENOENT && link ? "a link to nothing" : strerror(errnum);
}

int group_add(struct group *group, const char *path, const char *folder)
{
    struct stat st;
    bool link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    if (stat(path, &st) < 0)
        return add_broken(group, path, folder, trouble(errno, link));
    if (!S_ISREG(st.st_mode))
        return add_broken(group, path, folder, "not a regular file");
    int rc = link ? places_folder_of(group->places, path) : 0;
    if (rc < 0)
        return rc;
    struct group_file file = {
        .path = path, .folder = folder, .size = (uint64_t)st.st_size};
    file.split = shard_name_parse(base_name(path), &file.shard);
    return push(group, &file);
}

/* The bytes of a file's path that all shards of its set share, its number left out. */
static int compare_sets(const struct group_file *a, const struct group_file *b)
{
    size_t x = (size_t)(a->shard.name - a->path) + a->shard.prefix_length;
    size_t y = (size_t)(b->shard.name - b->path) + b->shard.prefix_length;
    int order = memcmp(a->path, b->path, x < y ? x : y);
    if (order == 0)
        order = (x > y) - (x < y);
    return order ? order : strcmp(a->shard.count_text, b->shard.count_text);
}

/* Single files first; sets together, each in the order of its numbers. */
static int compare_files(const void *a, const void *b)
{
    const struct group_file *x = a;
    const struct group_file *y = b;
    if (x->split != y->split)
        return x->split - y->split;
    int order = x->split ? compare_sets(x, y) : 0;
    if (order == 0 && x->split)
        order = (x->shard.number > y->shard.number) - (x->shard.number < y->shard.number);
    return order ? order : strcmp(x->path, y->path);
}

static bool same_model(const struct group_file *a, const struct group_file *b)
{
    if (a->split && b->split)
        return compare_sets(a, b) == 0;
    return !a->split && !b->split && strcmp(a->path, b->path) == 0;
}

char *group_name(struct arena *arena, const char *path)
{
    const char *name = base_name(path);
    struct shard_name shard;
    size_t length = strlen(name);
    /* What would leave nothing is kept. */
    if (shard_name_parse(name, &shard) && shard.prefix_length > 0)
        length = shard.prefix_length;
    else if (group_wants(name) && length > sizeof(suffix) - 1)
        length -= sizeof(suffix) - 1;
    return arena_copy(arena, name, length);
}

static int add_model(struct group *group, const struct group_file *files, size_t n)
{
    struct found found = {
        .name = group_name(&group->list->arena, files[0].path),
        .path = files[0].path,
        .folder = files[0].folder,
        .set = files[0].split,
        .kind = FOUND_MODEL,
    };
    if (!found.name)
        return -ENOMEM;
    if (strcasestr(found.name, "mmproj"))
        found.kind = FOUND_PROJECTOR;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(files[i].path, files[i - 1].path) == 0)
            continue;
        found.size += files[i].size;
        found.files++;
    }
    return found_add(group->list, &found);
}

int group_flush(struct group *group)
{
    if (group->count > 0)
        qsort(group->files, group->count, sizeof(*group->files), compare_files);
    int rc = 0;
    for (size_t i = 0, end; rc == 0 && i < group->count; i = end) {
        for (end = i + 1; end < group->count; end++)
            if (!same_model(&group->files[i], &group->files[end]))
                break;
        rc = add_model(group, group->files + i, end - i);
    }
    group->count = 0;
    return rc;
}

void group_done(struct group *group)
{
    free(group->files);
    group->files = NULL;
    group->count = group->room = 0;
}
