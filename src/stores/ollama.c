/* SPDX-License-Identifier: MIT */
/* Ollama's store:
 *
 *     manifests/HOST/NAMESPACE/MODEL/TAG   JSON: the layers that make up the model
 *     blobs/sha256-HEX                     a layer; the model's is a GGUF file
 *
 * What is typed is only compared with the names that are there, so that it cannot lead
 * out of the store. What a manifest says is read in manifest.c. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "stores/directory.h"
#include "stores/kind.h"
#include "stores/manifest.h"
#include "stores/near.h"
#include "stores/paths.h"

#define ENTRIES_MAX 100000 /* in all directories of manifests together */

enum { HOST, NAMESPACE, MODEL, TAG, N_PARTS };

struct model_name {
    const char *parts[N_PARTS];
};

static const struct model_name defaults = {
    {"registry.ollama.ai", "library", "", "latest"}};

struct manifest {
    struct model_name name;
    const char *path;
    char *shown; /* as Ollama lists it: what is a default is left out, but the tag */
};

struct ollama {
    const char *root;
    struct search *search;
    struct arena arena;
    struct manifest *manifests;
    size_t count;
    size_t left; /* entries that may still be looked at */
    size_t
        unsearched; /* items at the start of the list: folders that were not searched */
};

static int locate(struct arena *arena, char **root)
{
    /* The second is where the service keeps them that Ollama's installer sets up. */
    static const char system_root[] = "/usr/share/ollama/.ollama/models";
    int rc = path_from_environment(arena, "OLLAMA_MODELS", root);
    if (rc < 0 || *root)
        return rc;
    const char *home = path_home(arena);
    *root = home ? path_join(arena, home, ".ollama/models") : NULL;
    char *manifests = *root ? path_join(arena, *root, "manifests") : NULL;
    if (!manifests)
        return -ENOMEM;
    /* One that cannot be read is there: the search tells what is wrong with it. */
    if (leads_to_directory(manifests) != 0 || leads_to_directory(system_root) == 0)
        return 0;
    *root = arena_copy(arena, system_root, strlen(system_root));
    return *root ? 0 : -ENOMEM;
}

/* ---- What there is ---------------------------------------------------------------- */

/* "MODEL:TAG", "NAMESPACE/MODEL:TAG" or "HOST/NAMESPACE/MODEL:TAG". */
static char *shown_name(struct arena *arena, const struct model_name *name)
{
    const char *const *parts = name->parts;
    bool host = strcasecmp(parts[HOST], defaults.parts[HOST]) != 0;
    bool space = host || strcasecmp(parts[NAMESPACE], defaults.parts[NAMESPACE]) != 0;
    size_t room = 8;
    for (int i = 0; i < N_PARTS; i++)
        room += strlen(parts[i]);
    char *shown = arena_alloc(arena, room);
    if (shown)
        snprintf(shown, room, "%s%s%s%s%s:%s", host ? parts[HOST] : "", host ? "/" : "",
                 space ? parts[NAMESPACE] : "", space ? "/" : "", parts[MODEL],
                 parts[TAG]);
    return shown;
}

/* Manifests grow by doubling inside the arena: what is left behind is small. */
static int add_manifest(struct ollama *ollama, const struct model_name *name,
                        const char *path)
{
    size_t n = ollama->count;
    if ((n & (n - 1)) == 0) {
        struct manifest *bigger =
            arena_alloc(&ollama->arena, (n ? 2 * n : 1) * sizeof(*bigger));
        if (!bigger)
            return -ENOMEM;
        if (n > 0)
            memcpy(bigger, ollama->manifests, n * sizeof(*bigger));
        ollama->manifests = bigger;
    }
    char *shown = shown_name(&ollama->arena, name);
    if (!shown)
        return -ENOMEM;
    ollama->manifests[ollama->count++] = (struct manifest){*name, path, shown};
    return 0;
}

static int collect(struct ollama *ollama, const char *path, struct model_name *name,
                   int part);

/* One entry of a directory whose entries are parts of names. Ollama's names never begin
 * with a dot: those are other programs' files. */
static int collect_entry(struct ollama *ollama, const char *directory,
                         struct model_name *name, int part, const char *entry)
{
    if (entry[0] == '.')
        return 0;
    char *copy = arena_copy(&ollama->arena, entry, strlen(entry));
    char *path = path_join(&ollama->arena, directory, entry);
    if (!copy || !path)
        return -ENOMEM;
    name->parts[part] = copy;
    int rc = leads_to_directory(path);
    if (rc == 1)
        rc = part < TAG ? collect(ollama, path, name, part + 1) : 0;
    else if (rc == 0 && part == TAG)
        rc = add_manifest(ollama, name, path);
    if (rc == 0 || rc == -ENOMEM)
        return rc;
    return found_add_broken(ollama->search->list, entry, "", path, "not searched: %s",
                            strerror(-rc));
}

/* 0 or -errno, of the directory itself: what is wrong further down is in the list. */
static int collect(struct ollama *ollama, const char *path, struct model_name *name,
                   int part)
{
    struct directory directory;
    int rc = directory_read(&directory, path, ollama->left);
    ollama->left -= directory.count;
    if (rc == 0)
        rc = places_watch(ollama->search->places, path, &directory.stat);
    for (size_t i = 0; rc == 0 && i < directory.count; i++)
        rc = collect_entry(ollama, path, name, part, directory.entries[i].name);
    directory_done(&directory);
    return rc;
}

static int collect_all(struct ollama *ollama, struct ggufs_error *error)
{
    struct model_name name = {{NULL}};
    char *manifests = path_join(&ollama->arena, ollama->root, "manifests");
    if (!manifests)
        return error_memory(error);
    int rc = collect(ollama, manifests, &name, HOST);
    if (rc == 0 && ollama->left == 0)
        rc = found_add_broken(ollama->search->list, "manifests", "", manifests,
                              "too many files, the rest is left out");
    ollama->unsearched = ollama->search->list->count;
    if (rc == -ENOMEM)
        return error_memory(error);
    return rc < 0 ? directory_error(error, -rc, "store of Ollama", manifests) : 0;
}

static int read_manifest(struct ollama *ollama, const struct manifest *manifest)
{
    char *name = arena_copy(&ollama->arena, manifest->shown, strlen(manifest->shown));
    if (!name)
        return -ENOMEM;
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '-';
    return manifest_read(ollama->root, manifest->path, name, ollama->search);
}

static int read_all(struct ollama *ollama)
{
    for (size_t i = 0; i < ollama->count; i++) {
        int rc = read_manifest(ollama, &ollama->manifests[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- What was asked for ----------------------------------------------------------- */

static int bad_name(struct ggufs_error *error, const char *name)
{
    return error_set(error, GGUFS_USAGE, GGUFS_NO_OFFSET,
                     "%s is no name of a model (MODEL, MODEL:TAG, NAMESPACE/MODEL:TAG, "
                     "HOST/NAMESPACE/MODEL:TAG)",
                     quoted(name, strlen(name)).text);
}

/* Takes what was typed apart, from its end: tag, model, namespace, host. */
static int parse_name(struct arena *arena, const char *typed, struct model_name *name,
                      struct ggufs_error *error)
{
    const char *scheme = strstr(typed, "://");
    char *rest = arena_copy(arena, scheme ? scheme + 3 : typed,
                            strlen(scheme ? scheme + 3 : typed));
    if (!rest)
        return error_memory(error);
    *name = defaults;
    char *slash = strrchr(rest, '/');
    char *colon = strrchr(rest, ':');
    if (colon && (!slash || colon > slash)) {
        name->parts[TAG] = colon + 1;
        *colon = '\0';
    }
    int part = MODEL;
    while ((slash = strrchr(rest, '/')) && part > HOST) {
        name->parts[part--] = slash + 1;
        *slash = '\0';
    }
    name->parts[part] = rest;
    for (int i = 0; i < N_PARTS; i++)
        if (!is_part(name->parts[i], strlen(name->parts[i])))
            return bad_name(error, typed);
    return 0;
}

/* Ollama takes names as they are spelled, else, of those that differ by case, the
 * first. */
static const struct manifest *match(const struct ollama *ollama,
                                    const struct model_name *name,
                                    int (*compare)(const char *, const char *))
{
    for (size_t i = 0; i < ollama->count; i++) {
        int equal = 0;
        for (int part = 0; part < N_PARTS; part++)
            equal +=
                compare(ollama->manifests[i].name.parts[part], name->parts[part]) == 0;
        if (equal == N_PARTS)
            return &ollama->manifests[i];
    }
    return NULL;
}

/* A name as it stands in a mount of the whole store: also projectors and adapters. */
static int take_listed(struct ollama *ollama, const char *typed,
                       struct ggufs_error *error)
{
    struct found_list *list = ollama->search->list;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, typed) == 0)
            return found_take(list, i, error);
    if (ollama->unsearched > 0)
        return found_missing(error, "no model %s was found; %s",
                             quoted(typed, strlen(typed)).text, list->items[0].trouble);

    const char **names =
        arena_alloc(&ollama->arena, (ollama->count + 1) * sizeof(*names));
    if (!names)
        return error_memory(error);
    for (size_t i = 0; i < ollama->count; i++)
        names[i] = ollama->manifests[i].shown;
    return near_error(error, "model", typed, ollama->root, names, ollama->count);
}

static int find_one(struct ollama *ollama, const char *typed, struct ggufs_error *error)
{
    struct model_name name;
    int rc = parse_name(&ollama->arena, typed, &name, error);
    if (rc < 0)
        return rc;
    const struct manifest *manifest = match(ollama, &name, strcmp);
    if (!manifest)
        manifest = match(ollama, &name, strcasecmp);
    struct found_list *list = ollama->search->list;
    size_t i = list->count;
    rc = manifest ? read_manifest(ollama, manifest) : read_all(ollama);
    if (rc < 0)
        return error_memory(error);
    if (!manifest)
        return take_listed(ollama, typed, error);
    while (i + 1 < list->count && list->items[i].kind != FOUND_MODEL)
        i++;
    return found_take(list, i, error);
}

static int find(const char *root, const char *name, struct search *search,
                struct ggufs_error *error)
{
    struct ollama ollama = {.root = root, .search = search, .left = ENTRIES_MAX};
    char *blobs = path_join(&ollama.arena, root, "blobs");
    struct stat st;
    int rc = collect_all(&ollama, error);
    if (rc == 0 && (!blobs || places_folder(search->places, root) < 0))
        rc = error_memory(error);
    if (rc == 0 && stat(blobs, &st) == 0 && places_watch(search->places, blobs, &st) < 0)
        rc = error_memory(error);
    if (rc == 0 && *name)
        rc = find_one(&ollama, name, error);
    else if (rc == 0 && read_all(&ollama) < 0)
        rc = error_memory(error);
    arena_done(&ollama.arena);
    return rc;
}

const struct store_kind ollama_store = {"ollama", locate, find};
