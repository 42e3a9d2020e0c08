/* SPDX-License-Identifier: MIT */
/* The Hugging Face cache:
 *
 *     models--ORG--NAME/refs/main              the commit that was downloaded last
 *     models--ORG--NAME/snapshots/COMMIT/...   its files: links to ../../blobs/HASH
 *
 * What is typed is compared with the repositories that are there; only the name of a
 * revision becomes part of a path, and that is checked. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "stores/directory.h"
#include "stores/kind.h"
#include "stores/near.h"
#include "stores/paths.h"
#include "stores/pick.h"

#define REPOSITORIES_MAX 100000
#define REF_MAX          4096 /* bytes; a commit has 40 */

static const char directory_prefix[] = "models--";

struct hf {
    const char *root;
    struct search *search;
    struct arena arena;
    const char **names; /* of the repositories: "ORG/NAME" or "NAME" */
    const char **paths;
    size_t count;
};

static int locate(struct arena *arena, char **root)
{
    static const char *const variables[] = {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        int rc = path_from_environment(arena, variables[i], root);
        if (rc < 0 || *root)
            return rc;
    }
    char *home;
    int rc = path_from_environment(arena, "HF_HOME", &home);
    if (rc == 0 && !home) {
        char *cache;
        rc = path_from_environment(arena, "XDG_CACHE_HOME", &cache);
        const char *user = cache ? NULL : path_home(arena);
        if (!cache && user)
            cache = path_join(arena, user, ".cache");
        home = cache ? path_join(arena, cache, "huggingface") : NULL;
    }
    *root = home ? path_join(arena, home, "hub") : NULL;
    return rc == 0 && *root ? 0 : -ENOMEM;
}

/* "ORG/NAME" of "models--ORG--NAME". */
static char *repository_name(struct arena *arena, const char *directory)
{
    const char *name = directory + strlen(directory_prefix);
    char *copy = arena_copy(arena, name, strlen(name));
    char *dashes = copy ? strstr(copy, "--") : NULL;
    if (dashes) {
        *dashes = '/';
        memmove(dashes + 1, dashes + 2, strlen(dashes + 2) + 1);
    }
    return copy;
}

static int collect(struct hf *hf, const struct directory *directory)
{
    size_t room = (directory->count + 1) * sizeof(*hf->names);
    hf->names = arena_alloc(&hf->arena, room);
    hf->paths = arena_alloc(&hf->arena, room);
    if (!hf->names || !hf->paths)
        return -ENOMEM;
    for (size_t i = 0; i < directory->count; i++) {
        const char *entry = directory->entries[i].name;
        if (strncmp(entry, directory_prefix, strlen(directory_prefix)) != 0)
            continue;
        hf->names[hf->count] = repository_name(&hf->arena, entry);
        hf->paths[hf->count] = path_join(&hf->arena, hf->root, entry);
        if (!hf->names[hf->count] || !hf->paths[hf->count])
            return -ENOMEM;
        hf->count++;
    }
    return 0;
}

static int collect_all(struct hf *hf, struct ggufs_error *error)
{
    struct directory directory;
    int rc = directory_read(&directory, hf->root, REPOSITORIES_MAX);
    if (rc < 0 && rc != -ENOMEM)
        directory_error(error, -rc, "cache of Hugging Face", hf->root);
    if (rc == 0)
        rc = places_watch(hf->search->places, hf->root, &directory.stat);
    if (rc == 0)
        rc = places_folder(hf->search->places, hf->root);
    if (rc == 0)
        rc = collect(hf, &directory);
    directory_done(&directory);
    return rc == -ENOMEM ? error_memory(error) : rc;
}

/* ---- Snapshots -------------------------------------------------------------------- */

/* Nothing is there, or nothing that could be meant; else what is there cannot be read. */
static bool is_absent(int rc)
{
    return rc == -ENOENT || rc == -ENOTDIR || rc == -ELOOP || rc == -EINVAL ||
           rc == -EFBIG;
}

/* The commit that a name of a revision stands for: *commit, or NULL where refs/ has none. 0 or
 * -errno. */
static int read_ref(struct hf *hf, const char *repository, const char *revision,
                    const char **commit)
{
    *commit = NULL;
    char *refs = path_join(&hf->arena, repository, "refs");
    char *path = refs ? path_join(&hf->arena, refs, revision) : NULL;
    if (!path)
        return -ENOMEM;
    char *bytes;
    size_t length;
    struct stat st;
    int rc = read_small(&hf->arena, path, REF_MAX, &bytes, &length, &st);
    if (rc < 0)
        return is_absent(rc) ? 0 : rc;
    bytes[strcspn(bytes, " \t\r\n")] = '\0';
    if (is_part(bytes, strlen(bytes)))
        *commit = bytes;
    return places_watch(hf->search->places, path, &st);
}

/* The only snapshot that there is, for a repository without refs/main. 0 or -errno. */
static int only_snapshot(struct hf *hf, const char *snapshots, const char **commit)
{
    struct directory directory;
    int rc = directory_read(&directory, snapshots, REPOSITORIES_MAX);
    *commit = NULL;
    if (rc == 0 && directory.count == 1) {
        const char *name = directory.entries[0].name;
        *commit = arena_copy(&hf->arena, name, strlen(name));
        rc = *commit ? 0 : -ENOMEM;
    }
    directory_done(&directory);
    return is_absent(rc) ? 0 : rc;
}

/* The directory of the revision (NULL: main): *path, or NULL where there is none. 0 or -errno. */
static int find_snapshot(struct hf *hf, const char *repository, const char *revision,
                         char **path)
{
    const char *commit;
    char *snapshots = path_join(&hf->arena, repository, "snapshots");
    *path = NULL;
    if (!snapshots)
        return -ENOMEM;
    int rc = read_ref(hf, repository, revision ? revision : "main", &commit);
    if (rc == 0 && !commit && !revision)
        rc = only_snapshot(hf, snapshots, &commit);
    if (rc < 0)
        return rc;
    if (!commit && revision && is_part(revision, strlen(revision)))
        commit = revision;
    if (!commit)
        return 0;
    char *found = path_join(&hf->arena, snapshots, commit);
    if (found && leads_to_directory(found) != 0) /* reading it will tell */
        *path = found;
    return found ? 0 : -ENOMEM;
}

/* What is there of a repository's own directories changes when something is
 * downloaded. */
static int watch_repository(struct hf *hf, const char *repository)
{
    static const char *const below[] = {"", "/refs", "/snapshots"};
    for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++) {
        struct stat st;
        size_t room = strlen(repository) + strlen(below[i]) + 1;
        char *path = arena_alloc(&hf->arena, room);
        if (!path)
            return -ENOMEM;
        snprintf(path, room, "%s%s", repository, below[i]);
        if (stat(path, &st) == 0 && places_watch(hf->search->places, path, &st) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Adds the models of repository i, as of the revision; as broken what cannot be read. 1 where
 * there is no such snapshot, -ENOMEM. */
static int add_repository(struct hf *hf, size_t i, const char *revision)
{
    char *path;
    int rc = watch_repository(hf, hf->paths[i]);
    if (rc == 0)
        rc = find_snapshot(hf, hf->paths[i], revision, &path);
    if (rc < 0 && rc != -ENOMEM)
        return found_add_broken(hf->search->list, hf->names[i], hf->names[i],
                                hf->paths[i], "cannot read its snapshots: %s",
                                strerror(-rc));
    if (rc < 0)
        return rc;
    if (!path)
        return 1;
    struct ggufs_error error = {0};
    rc = scan_directory(path, hf->names[i], hf->search->scan, hf->search->list,
                        hf->search->places, &error);
    if (rc < 0 && rc != -ENOMEM)
        rc = found_add_broken(hf->search->list, hf->names[i], hf->names[i], path, "%s",
                              error.text);
    return rc;
}

/* ---- What was asked for ----------------------------------------------------------- */

/* "ORG/NAME@REVISION:FILE", taken apart. */
struct hf_name {
    char *repository;
    char *revision; /* or NULL */
    char *file;     /* or "" */
};

/* The name of a revision leads from refs/ to a file below it, nowhere else. */
static bool is_revision(const char *revision)
{
    for (const char *part = revision;; part += strcspn(part, "/") + 1) {
        size_t length = strcspn(part, "/");
        if (!is_part(part, length))
            return false;
        if (part[length] == '\0')
            return true;
    }
}

static int parse_name(struct arena *arena, const char *typed, struct hf_name *name,
                      struct ggufs_error *error)
{
    static char none[] = "";
    char *copy = arena_copy(arena, typed, strlen(typed));
    if (!copy)
        return error_memory(error);
    *name = (struct hf_name){.repository = copy, .file = none};
    char *colon = strchr(copy, ':');
    if (colon) {
        *colon = '\0';
        name->file = colon + 1;
    }
    char *at = strchr(copy, '@');
    if (at) {
        *at = '\0';
        name->revision = at + 1;
    }
    const char *slash = strchr(copy, '/');
    size_t first = strcspn(copy, "/");
    bool good = is_part(copy, first) && (!slash || is_part(slash + 1, strlen(slash + 1)));
    if (good && (!at || is_revision(name->revision)))
        return 0;
    return error_set(error, GGUFS_USAGE, GGUFS_NO_OFFSET,
                     "%s is no name of a repository (ORG/NAME, ORG/NAME:FILE, "
                     "ORG/NAME@REVISION:FILE)",
                     quoted(typed, strlen(typed)).text);
}

/* As it is spelled, else, of those that differ by case, the first; count where there is
 * none. */
static size_t match(const struct hf *hf, const char *repository)
{
    for (size_t i = 0; i < hf->count; i++)
        if (strcmp(hf->names[i], repository) == 0)
            return i;
    for (size_t i = 0; i < hf->count; i++)
        if (strcasecmp(hf->names[i], repository) == 0)
            return i;
    return hf->count;
}

static int find_one(struct hf *hf, const char *typed, struct ggufs_error *error)
{
    struct hf_name name = {0};
    int rc = parse_name(&hf->arena, typed, &name, error);
    if (rc < 0)
        return rc;
    size_t i = match(hf, name.repository);
    if (i == hf->count)
        return near_error(error, "repository", name.repository, hf->root, hf->names,
                          hf->count);
    rc = add_repository(hf, i, name.revision);
    if (rc < 0)
        return error_memory(error);
    const char *revision = name.revision ? name.revision : "main";
    if (rc == 1)
        return found_missing(error, "no snapshot of revision %s in %s",
                             quoted(revision, strlen(revision)).text,
                             quoted(hf->paths[i], strlen(hf->paths[i])).text);
    if (hf->search->list->count == 0)
        return found_missing(error, "no .gguf file in the snapshot of revision %s",
                             quoted(revision, strlen(revision)).text);
    if (!*name.file && !hf->search->one)
        return 0;
    if (hf->search->list->count == 1 && hf->search->list->items[0].trouble)
        return found_take(hf->search->list, 0, error);
    return pick_model(hf->search->list, hf->names[i], name.file, hf->names[i], error);
}

static int find_all(struct hf *hf, struct ggufs_error *error)
{
    for (size_t i = 0; i < hf->count; i++)
        if (add_repository(hf, i, NULL) < 0)
            return error_memory(error);
    return 0;
}

static int find(const char *root, const char *name, struct search *search,
                struct ggufs_error *error)
{
    struct hf hf = {.root = root, .search = search};
    int rc = collect_all(&hf, error);
    if (rc == 0)
        rc = *name ? find_one(&hf, name, error) : find_all(&hf, error);
    arena_done(&hf.arena);
    return rc;
}

const struct store_kind hf_store = {"hf", locate, find};
