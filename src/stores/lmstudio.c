/* SPDX-License-Identifier: MIT */
/* LM Studio's models: PUBLISHER/REPOSITORY/FILE.gguf below one folder, which its
 * settings can move. What is typed is compared with the folders that are there. */

#include <errno.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "base/error.h"
#include "stores/directory.h"
#include "stores/kind.h"
#include "stores/near.h"
#include "stores/paths.h"
#include "stores/pick.h"

#define SETTINGS_MAX (1 << 20) /* bytes */
#define ENTRIES_MAX  100000    /* of one folder */

static const char what[] = "models of LM Studio"; /* as errors call it */

/* ---- Where it is ------------------------------------------------------------------ */

/* LM Studio's own folder: where the file in the home says, else the older place, else the
 * newer. */
static char *home_of(struct arena *arena)
{
    const char *user = path_home(arena);
    char *pointer = user ? path_join(arena, user, ".lmstudio-home-pointer") : NULL;
    char *older = user ? path_join(arena, user, ".cache/lm-studio") : NULL;
    if (!pointer || !older)
        return NULL;
    char *bytes;
    size_t length;
    if (read_small(arena, pointer, 4096, &bytes, &length, NULL) == 0) {
        while (length > 0 && strchr(" \t\r\n", bytes[length - 1]))
            bytes[--length] = '\0';
        if (bytes[0] == '/')
            return path_absolute(arena, bytes);
    }
    return is_directory(older) ? older : path_join(arena, user, ".lmstudio");
}

/* The folder that the settings name for downloads; NULL where they name none. */
static char *folder_of_settings(struct arena *arena, const char *path)
{
    char *bytes;
    size_t length;
    if (read_small(arena, path, SETTINGS_MAX, &bytes, &length, NULL) < 0)
        return NULL;
    json_t *json = json_loadb(bytes, length, 0, NULL);
    const char *folder = json_string_value(json_object_get(json, "downloadsFolder"));
    char *absolute = folder && folder[0] == '/' ? path_absolute(arena, folder) : NULL;
    json_decref(json);
    return absolute;
}

static int locate(struct arena *arena, char **root)
{
    const char *home = home_of(arena);
    char *settings = home ? path_join(arena, home, "settings.json") : NULL;
    if (!settings)
        return -ENOMEM;
    *root = folder_of_settings(arena, settings);
    if (!*root)
        *root = path_join(arena, home, "models");
    return *root ? 0 : -ENOMEM;
}

/* ---- What was asked for ----------------------------------------------------------- */

/* A folder that is gone down into by the parts of what was typed. */
struct place {
    struct search *search;
    struct arena arena;
    char *path;
    char *folder; /* the parts gone down so far, as they are spelled on disk: "a/b" */
};

/* The entry of that name: as it is spelled, else the first that differs by case; or
 * NULL. */
static const char *match(const struct directory *directory, const char *name)
{
    for (size_t i = 0; i < directory->count; i++)
        if (strcmp(directory->entries[i].name, name) == 0)
            return directory->entries[i].name;
    for (size_t i = 0; i < directory->count; i++)
        if (strcasecmp(directory->entries[i].name, name) == 0)
            return directory->entries[i].name;
    return NULL;
}

static int not_there(struct place *place, const struct directory *directory,
                     const char *name, struct ggufs_error *error)
{
    const char **names =
        arena_alloc(&place->arena, (directory->count + 1) * sizeof(*names));
    size_t n = 0;
    if (!names)
        return error_memory(error);
    for (size_t i = 0; i < directory->count; i++)
        if (directory->entries[i].name[0] != '.')
            names[n++] = directory->entries[i].name;
    return near_error(error, "folder", name, place->path, names, n);
}

static int go_down(struct place *place, const char *name, struct ggufs_error *error)
{
    struct directory directory;
    int rc = directory_read(&directory, place->path, ENTRIES_MAX);
    const char *entry = match(&directory, name);
    if (rc == -ENOMEM) {
        error_memory(error);
    } else if (rc < 0) {
        error_system(error, -rc, "cannot read %s",
                     quoted(place->path, strlen(place->path)).text);
    } else if (!entry) {
        rc = not_there(place, &directory, name, error);
    } else {
        place->path = path_join(&place->arena, place->path, entry);
        place->folder = *place->folder ? path_join(&place->arena, place->folder, entry)
                                       : arena_copy(&place->arena, entry, strlen(entry));
        rc = place->path && place->folder ? 0 : error_memory(error);
    }
    directory_done(&directory);
    return rc;
}

static int bad_name(struct ggufs_error *error, const char *name)
{
    return error_set(error, GGUFS_USAGE, GGUFS_NO_OFFSET,
                     "%s is no name in the store (PUBLISHER, PUBLISHER/REPOSITORY, "
                     "PUBLISHER/REPOSITORY/FILE)",
                     quoted(name, strlen(name)).text);
}

/* Goes down by at most two parts of typed; *file is what is left. */
static int go_to(struct place *place, const char *typed, const char **file,
                 struct ggufs_error *error)
{
    const char *part = typed;
    for (int depth = 0; depth < 2 && *part; depth++) {
        size_t length = strcspn(part, "/");
        char *name = arena_copy(&place->arena, part, length);
        if (!name)
            return error_memory(error);
        if (!is_part(part, length))
            return bad_name(error, typed);
        int rc = go_down(place, name, error);
        if (rc < 0)
            return rc;
        part += length + (part[length] == '/');
    }
    *file = part;
    return 0;
}

static int find_in(struct place *place, const char *typed, struct ggufs_error *error)
{
    const char *file = "";
    int rc = go_to(place, typed, &file, error);
    if (rc < 0)
        return rc;
    rc = scan_directory(place->path, place->folder, place->search->scan,
                        place->search->list, place->search->places, NULL);
    if (rc < 0)
        return rc == -ENOMEM ? error_memory(error)
                             : directory_error(error, -rc, what, place->path);
    if (!strchr(place->folder, '/'))
        return 0;
    if (place->search->list->count == 0)
        return found_missing(error, "no .gguf file in %s",
                             quoted(place->path, strlen(place->path)).text);
    if (!*file && !place->search->one)
        return 0;
    return pick_model(place->search->list, place->folder, file, place->folder, error);
}

static int find(const char *root, const char *name, struct search *search,
                struct ggufs_error *error)
{
    struct place place = {.search = search};
    place.path = arena_copy(&place.arena, root, strlen(root));
    place.folder = arena_copy(&place.arena, "", 0);
    int rc = leads_to_directory(root);
    if (!place.path || !place.folder)
        rc = error_memory(error);
    else if (rc <= 0)
        rc = directory_error(error, rc ? -rc : ENOENT, what, root);
    else
        rc = find_in(&place, name, error);
    arena_done(&place.arena);
    return rc;
}

const struct store_kind lmstudio_store = {"lmstudio", locate, find};
