/* SPDX-License-Identifier: MIT */
/* From what was typed to what there is. The stores of other programs are in files of
 * their own, directories are scanned in scan.c; here they come together in one list. */

#include "stores/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "stores/group.h"
#include "stores/kind.h"
#include "stores/paths.h"

static const struct store_kind *const kinds[] = {
    &ollama_store,
    &hf_store,
    &lmstudio_store,
};

struct spec {
    const char *typed;
    const struct store_kind *kind; /* NULL: a path */
    const char *path; /* absolute; the store's root where it is a name in one */
    const char *name; /* in the store; "" for all of it */
};

struct stores {
    struct spec *specs;
    size_t n_specs;
    struct arena arena;
    struct mounts mounts;
    struct places places; /* of the last search */
    const char *name;     /* NULL before the first search */
    bool single;
};

static int take_apart(struct stores *stores, struct spec *spec, const char *typed)
{
    struct arena *arena = &stores->arena;
    spec->typed = arena_copy(arena, typed, strlen(typed));
    if (!spec->typed)
        return -ENOMEM;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        size_t length = strlen(kinds[i]->prefix);
        if (strncmp(typed, kinds[i]->prefix, length) != 0 || typed[length] != ':')
            continue;
        spec->kind = kinds[i];
        spec->name = spec->typed + length + 1;
        char *root;
        int rc = kinds[i]->locate(arena, &root);
        spec->path = root;
        return rc;
    }
    spec->path = path_absolute(arena, typed);
    return spec->path ? 0 : -ENOMEM;
}

int stores_open(const char *const *specs, size_t n, struct stores **out,
                struct ggufs_error *error)
{
    struct stores *stores = calloc(1, sizeof(*stores));
    if (!stores)
        return error_memory(error);
    stores->specs = arena_alloc(&stores->arena, n * sizeof(*stores->specs));
    stores->n_specs = n;
    int rc = stores->specs ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (*specs[i])
            rc = take_apart(stores, &stores->specs[i], specs[i]);
        else
            rc = error_set(error, GGUFS_USAGE, GGUFS_NO_OFFSET, "an empty name");
    }
    if (rc < 0) {
        stores_close(stores);
        return rc == -ENOMEM ? error_memory(error) : rc;
    }
    *out = stores;
    return 0;
}

void stores_close(struct stores *stores)
{
    if (!stores)
        return;
    mounts_done(&stores->mounts);
    places_done(&stores->places);
    arena_done(&stores->arena);
    free(stores);
}

/* ---- A search --------------------------------------------------------------------- */

struct finding {
    struct stores *stores;
    struct found_list *list;
    struct places *places;
    struct group *group; /* the files that were typed */
    struct scan_options scan;
    struct ggufs_error *error;
};

/* The directories of a path, "a/b" for "/a/b/c.gguf". */
static char *folder_of(struct arena *arena, const char *path)
{
    const char *end = strrchr(path, '/');
    return arena_copy(arena, path + 1, end > path ? (size_t)(end - path - 1) : 0);
}

/* The only thing that was asked for is a file. Whatever is wrong with it is said when it
 * is opened, in the same words as ever. */
static int add_single_file(struct finding *finding, const struct spec *spec)
{
    struct found_list *list = finding->list;
    struct found found = {
        .name = group_name(&list->arena, spec->path),
        .path = spec->path,
        .folder = "",
        .files = 1,
        .kind = FOUND_MODEL,
    };
    list->single = true;
    return found.name ? found_add(list, &found) : -ENOMEM;
}

/* What one of several names met is said in the list; the rest is still shown. */
static int add_failed(struct finding *finding, const struct spec *spec,
                      const struct ggufs_error *error)
{
    return found_add_broken(finding->list, spec->typed, "",
                            spec->kind ? spec->typed : spec->path, "%s", error->text);
}

static int search_store(struct finding *finding, const struct spec *spec,
                        struct ggufs_error *error)
{
    struct stores *stores = finding->stores;
    bool alone = stores->n_specs == 1;
    struct found_list list = {0};
    struct search search = {
        .list = &list,
        .places = finding->places,
        .scan = &finding->scan,
        .one = !alone || !stores->name || stores->single,
    };
    int rc = spec->kind->find(spec->path, spec->name, &search, error);
    for (size_t i = 0; rc == 0 && i < list.count; i++)
        rc = found_add(finding->list, &list.items[i]);
    finding->list->single = alone && list.single;
    found_done(&list);
    return rc;
}

static int search_directory(struct finding *finding, const struct spec *spec,
                            struct ggufs_error *error)
{
    bool alone = finding->stores->n_specs == 1;
    return scan_directory(spec->path, alone ? "" : base_name(spec->path), &finding->scan,
                          finding->list, finding->places, error);
}

/* A file is a member of the group, so that the shards of a set come to one model. */
static int search_file(struct finding *finding, const struct spec *spec)
{
    char *folder = folder_of(&finding->list->arena, spec->path);
    if (!folder)
        return -ENOMEM;
    int rc = places_folder_of(finding->places, spec->path);
    return rc < 0 ? rc : group_add(finding->group, spec->path, folder);
}

static int search(struct finding *finding, const struct spec *spec)
{
    bool alone = finding->stores->n_specs == 1;
    struct ggufs_error own = {0};
    struct ggufs_error *error = alone && finding->error ? finding->error : &own;
    bool folder = !spec->kind && is_directory(spec->path);
    int rc;
    if (!spec->kind && !folder)
        return alone ? add_single_file(finding, spec) : search_file(finding, spec);
    if (folder)
        rc = search_directory(finding, spec, error);
    else
        rc = search_store(finding, spec, error);
    if (rc < 0 && rc != -ENOMEM && !alone)
        rc = add_failed(finding, spec, error);
    return rc;
}

/* Several names of which none leads anywhere are an error, the first one's. */
static int require_one(struct finding *finding)
{
    const struct found_list *list = finding->list;
    if (finding->stores->n_specs == 1 || finding->stores->name || list->count == 0)
        return 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].trouble)
            return 0;
    return found_missing(finding->error, "%s", list->items[0].trouble);
}

static int search_all(struct finding *finding)
{
    struct stores *stores = finding->stores;
    bool files = true;
    for (size_t i = 0; i < stores->n_specs; i++) {
        const struct spec *spec = &stores->specs[i];
        files = files && !spec->kind && !is_directory(spec->path);
        int rc = search(finding, spec);
        if (rc < 0)
            return rc;
    }
    int rc = group_flush(finding->group);
    if (rc == 0)
        rc = require_one(finding);
    if (rc == 0 && files && finding->list->count == 1)
        finding->list->single = true;
    return rc < 0 ? rc : found_finish(finding->list);
}

/* ---- Its name --------------------------------------------------------------------- */

static const char *several_name(const struct stores *stores)
{
    const struct spec *spec = &stores->specs[0];
    if (stores->n_specs > 1)
        return "models";
    if (!spec->kind)
        return spec->path[1] ? base_name(spec->path) : "models";
    return *spec->name ? spec->name : spec->kind->prefix;
}

/* Names in stores end before a ':' and begin behind the last '/' before it. */
static int choose_name(struct stores *stores, const struct found_list *list)
{
    const char *name = list->single ? list->items[0].name : several_name(stores);
    size_t length = strlen(name);
    if (!list->single && stores->specs[0].kind && stores->n_specs == 1) {
        length = strcspn(name, ":@");
        while (length > 0 && name[length - 1] == '/')
            length--;
        const char *slash = memrchr(name, '/', length);
        if (slash) {
            length -= (size_t)(slash + 1 - name);
            name = slash + 1;
        }
    }
    stores->name = arena_copy(&stores->arena, name, length);
    return stores->name ? 0 : -ENOMEM;
}

/* ---- The front -------------------------------------------------------------------- */

int stores_find(struct stores *stores, struct found_list *list, struct ggufs_error *error)
{
    struct places places = {0};
    struct group group = {.list = list, .places = &places};
    struct finding finding = {stores, list, &places, &group, {.mounts = &stores->mounts},
                              error};
    int rc = search_all(&finding);
    group_done(&group);
    if (rc == 0 && !stores->name) {
        rc = choose_name(stores, list);
        stores->single = list->single;
        stores->mounts.known = true;
    }
    if (rc < 0) {
        places_done(&places);
        return rc == -ENOMEM ? error_memory(error) : rc;
    }
    places_finish(&places);
    places_done(&stores->places);
    stores->places = places;
    return 0;
}

bool stores_changed(const struct stores *stores)
{
    return places_changed(&stores->places);
}

bool stores_is_single(const struct stores *stores)
{
    return stores->single;
}

const char *stores_name(const struct stores *stores)
{
    return stores->name ? stores->name : "models";
}

const char *stores_folder(const struct stores *stores, size_t i)
{
    return i < stores->places.n_folders ? stores->places.folders[i] : NULL;
}
