/* SPDX-License-Identifier: MIT */
/* Ollama's manifests: JSON that lists the layers of a model. It may hold anything: of
 * what it says only a digest's hexadecimal digits become part of a path. */

#include "stores/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "stores/paths.h"

#define MANIFEST_MAX (4 << 20) /* bytes; real ones have about a thousand */

/* What the layers of one manifest are looked up with. */
struct manifest {
    const char *root; /* of the store */
    const char *path;
    const char *name; /* of the model */
    struct search *search;
    struct arena arena;
};

struct layer_kind {
    const char *media_type;
    enum found_kind kind;
    const char *suffix; /* of the name */
};

static const struct layer_kind layer_kinds[] = {
    {"application/vnd.ollama.image.model", FOUND_MODEL, ""},
    {"application/vnd.ollama.image.projector", FOUND_PROJECTOR, "-projector"},
    {"application/vnd.ollama.image.adapter", FOUND_ADAPTER, "-adapter"},
};

/* The kind of layer that holds a GGUF file; NULL for licenses, templates and the like. */
static const struct layer_kind *kind_of(const json_t *layer)
{
    const char *type = json_string_value(json_object_get(layer, "mediaType"));
    size_t length = type ? strcspn(type, "; ") : 0;
    for (size_t i = 0; i < sizeof(layer_kinds) / sizeof(*layer_kinds); i++) {
        const char *known = layer_kinds[i].media_type;
        if (strlen(known) == length && memcmp(known, type, length) == 0)
            return &layer_kinds[i];
    }
    return NULL;
}

/* The hexadecimal digits of "sha256:HEX", or NULL. Nothing else may become part of a
 * path. */
static const char *digest_of(const json_t *layer)
{
    const char *digest = json_string_value(json_object_get(layer, "digest"));
    if (!digest || strncmp(digest, "sha256", 6) != 0 || !strchr(":-", digest[6]))
        return NULL;
    if (strlen(digest) != 7 + 64 || strspn(digest + 7, "0123456789abcdefABCDEF") != 64)
        return NULL;
    return digest + 7;
}

/* The blob's path. Old versions of Ollama wrote the name with a colon. */
static char *blob_path(struct manifest *manifest, const char *hex, struct stat *st)
{
    char name[128];
    snprintf(name, sizeof(name), "blobs/sha256:%s", hex);
    char *old = path_join(&manifest->arena, manifest->root, name);
    name[strlen("blobs/sha256")] = '-';
    char *path = path_join(&manifest->arena, manifest->root, name);
    if (!old || !path || stat(path, st) == 0)
        return old ? path : NULL;
    if (stat(old, st) == 0)
        return old;
    *st = (struct stat){0};
    return path;
}

/* How a layer is called: "NAME", "NAME-projector", the second of a kind
 * "NAME-projector-2". */
static char *layer_name(struct manifest *manifest, const struct layer_kind *kind,
                        unsigned number)
{
    size_t room = strlen(manifest->name) + strlen(kind->suffix) + 16;
    char *name = arena_alloc(&manifest->arena, room);
    if (!name)
        return NULL;
    int length = snprintf(name, room, "%s%s", manifest->name, kind->suffix);
    if (number > 1)
        snprintf(name + length, room - (size_t)length, "-%u", number);
    return name;
}

static int add_layer(struct manifest *manifest, const json_t *layer,
                     const struct layer_kind *kind, unsigned number)
{
    struct found_list *list = manifest->search->list;
    char *name = layer_name(manifest, kind, number);
    const char *hex = digest_of(layer);
    if (!name)
        return -ENOMEM;
    if (!hex)
        return found_add_broken(list, name, "", manifest->path,
                                "a layer without a sha256 digest");
    struct stat st;
    char *path = blob_path(manifest, hex, &st);
    if (!path)
        return -ENOMEM;
    if (!S_ISREG(st.st_mode))
        return found_add_broken(list, name, "", path, "%s",
                                st.st_mode ? "not a regular file"
                                           : "the blob is missing");
    struct found found = {.name = name,
                          .path = path,
                          .folder = "",
                          .size = (uint64_t)st.st_size,
                          .files = 1,
                          .kind = kind->kind};
    int rc = places_folder_of(manifest->search->places, path);
    return rc < 0 ? rc : found_add(list, &found);
}

static int add_layers(struct manifest *manifest, const json_t *json)
{
    unsigned numbers[FOUND_ADAPTER + 1] = {0};
    const json_t *layers = json_object_get(json, "layers");
    for (size_t i = 0; i < json_array_size(layers); i++) {
        const json_t *layer = json_array_get(layers, i);
        const struct layer_kind *kind = kind_of(layer);
        if (!kind)
            continue;
        int rc = add_layer(manifest, layer, kind, ++numbers[kind->kind]);
        if (rc < 0)
            return rc;
    }
    if (numbers[FOUND_MODEL] > 0)
        return 0;
    return found_add_broken(manifest->search->list, manifest->name, "", manifest->path,
                            "a manifest without a GGUF model");
}

static int parse(struct manifest *manifest, const char *bytes, size_t length)
{
    json_error_t fault = {0};
    json_t *json = json_loadb(bytes, length, 0, &fault);
    /* jansson leaves the code alone where it has no memory to begin with. */
    enum json_error_code code = json_error_code(&fault);
    if (!json && (code == json_error_out_of_memory || code == json_error_unknown))
        return -ENOMEM;
    if (!json)
        return found_add_broken(manifest->search->list, manifest->name, "",
                                manifest->path, "the manifest is no JSON (line %d)",
                                fault.line);
    int rc = add_layers(manifest, json);
    json_decref(json);
    return rc;
}

int manifest_read(const char *root, const char *path, const char *name,
                  struct search *search)
{
    struct manifest manifest = {root, path, name, search, {0}};
    struct stat st;
    char *bytes;
    size_t length;
    int rc = read_small(&manifest.arena, path, MANIFEST_MAX, &bytes, &length, &st);
    if (rc == 0)
        rc = places_watch(search->places, path, &st);
    if (rc == 0)
        rc = parse(&manifest, bytes, length);
    else if (rc != -ENOMEM)
        rc = found_add_broken(search->list, name, "", path, "%s",
                              rc == -EINVAL ? "not a regular file" : strerror(-rc));
    arena_done(&manifest.arena);
    return rc;
}
