/* SPDX-License-Identifier: MIT */
/* Finds and opens the files of a model. Shards stand beside the path as it was given,
 * not beside what it links to: stores keep links with speaking names to files with
 * none. That the shards fit each other is join.c's to see. */

#include "model/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/path.h"
#include "model/load.h"
#include "model/shard_name.h"
#include "model/split.h"

/* ---- one file ---- */

/* Allows so many more open files, where the hard limit has room for any. */
static bool raise_limit(size_t more)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    rlim_t wanted = limit.rlim_cur + more;
    if (limit.rlim_max != RLIM_INFINITY && wanted > limit.rlim_max)
        wanted = limit.rlim_max;
    if (wanted <= limit.rlim_cur)
        return false;
    limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* As source_open. A set may be of more files than a process usually has open: the
 * limit is raised once it is met, for all of the set. */
static int open_source(size_t n_shards, const char *path, struct source **source,
                       struct ggufs_error *error)
{
    struct ggufs_error found = {0};
    int rc = source_open(path, source, &found);
    if (rc == -EMFILE && n_shards > 1) {
        memset(&found, 0, sizeof(found));
        if (raise_limit(n_shards))
            rc = source_open(path, source, &found);
        if (rc == -EMFILE)
            return error_system(error, EMFILE,
                                "a set of %zu files needs a higher limit of open files "
                                "(ulimit -n)",
                                n_shards);
    }
    if (rc < 0 && error && error->code == GGUFS_OK)
        *error = found;
    return rc;
}

/* Opens shard i and loads its head. Takes name over, also where it fails. */
static int open_shard(struct ggufs_model *model, size_t i, const char *path, char *name,
                      struct ggufs_error *error)
{
    struct shard *shard = &model->shards[i];
    free(shard->name);
    shard->name = name;
    if (!name)
        return error_memory(error);
    int rc = open_source(model->n_shards, path, &shard->source, error);
    if (rc < 0)
        return rc;
    source_log(shard->source, model->options.log, model->options.log_data);
    source_pages(shard->source, model->options.mlock, model->options.drop);
    return load_head(shard->source, &shard->head, &shard->head_bytes, error);
}

static int open_named(struct ggufs_model *model, const char *path, size_t n, size_t i,
                      struct ggufs_error *error)
{
    model->shards = calloc(n, sizeof(*model->shards));
    if (!model->shards)
        return error_memory(error);
    model->n_shards = n;
    model->named = i;
    return open_shard(model, i, path, strdup(base_name(path)), error);
}

/* ---- the others ---- */

/* The path of a file in the directory of another. */
static char *path_beside(const char *path, const char *name)
{
    char *result;
    int directory = (int)(base_name(path) - path);
    return asprintf(&result, "%.*s%s", directory, path, name) < 0 ? NULL : result;
}

static int open_beside(struct ggufs_model *model, const char *path,
                       const struct shard_name *parts, size_t i,
                       struct ggufs_error *error)
{
    char *name = shard_name_make(parts, (uint32_t)i + 1);
    char *full = name ? path_beside(path, name) : NULL;
    if (!full) {
        free(name);
        return error_memory(error);
    }
    struct ggufs_error found = {0};
    int rc = open_shard(model, i, full, name, &found);
    if (rc < 0 && rc != -ENOENT && error && error->code == GGUFS_OK) {
        error_in_file(&found, name);
        *error = found;
    }
    free(full);
    return rc;
}

/* A number without zeros in front ("10") does not say whether the set pads the shorter
 * ones. */
static int open_other(struct ggufs_model *model, const char *path,
                      const struct shard_name *parts, size_t i, struct ggufs_error *error)
{
    int rc = open_beside(model, path, parts, i, error);
    if (rc == -ENOENT && !parts->padded && parts->width > 1) {
        struct shard_name bare = *parts;
        bare.width = 1;
        rc = open_beside(model, path, &bare, i, error);
    }
    return rc;
}

static int refuse_missing(struct ggufs_model *model, size_t missing, size_t first_missing,
                          struct ggufs_error *error)
{
    const char *name = model->shards[first_missing].name;
    char more[32] = "";
    if (missing > 1)
        snprintf(more, sizeof(more), " and %zu more", missing - 1);
    error_set(error, GGUFS_INCOMPLETE, GGUFS_NO_OFFSET,
              "shard %zu of %zu is missing: %s%s (-o partial opens what is there)",
              first_missing + 1, model->n_shards, quoted(name, strlen(name)).text, more);
    if (error && error->code == GGUFS_INCOMPLETE)
        error->errnum = ENOENT;
    return -ENOENT;
}

static int open_others(struct ggufs_model *model, const char *path,
                       const struct shard_name *parts, struct ggufs_error *error)
{
    size_t missing = 0, first_missing = 0;
    for (size_t i = 0; i < model->n_shards; i++) {
        if (i == model->named)
            continue;
        int rc = open_other(model, path, parts, i, error);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        if (rc == -ENOENT && missing++ == 0)
            first_missing = i;
    }
    if (missing > 0 && !model->options.partial)
        return refuse_missing(model, missing, first_missing, error);
    while (!model->shards[model->first].source)
        model->first++;
    return 0;
}

/* ---- which files ---- */

/* The name speaks of a set and the file does not: it is opened alone, as slot 0 of
 * one. */
static int open_alone(struct ggufs_model *model, const char *path,
                      struct ggufs_error *error)
{
    model_close_shards(model);
    int rc = open_named(model, path, 1, 0, error);
    if (rc < 0)
        return rc;
    return model_warn(model, 0, false,
                      "the name is that of a shard, but the file says of no set that it "
                      "belongs to",
                      error);
}

/* Neither the name nor the keys say of a set what can be understood: it is one file. */
static int warn_odd_keys(struct ggufs_model *model, struct ggufs_error *error)
{
    return model_warn(
        model, 0, false,
        "the split.* keys are not whole numbers: shown as a model in one file", error);
}

static int refuse_name(const struct split *split, struct ggufs_error *error)
{
    return error_set(error, GGUFS_FORMAT, split->count_offset,
                     "a shard of a set of %llu whose name does not end in "
                     "-NNNNN-of-NNNNN.gguf: the others cannot be found "
                     "(-o single opens it alone)",
                     (unsigned long long)split->count);
}

int files_open(struct ggufs_model *model, const char *path, struct ggufs_error *error)
{
    struct shard_name parts = {.number = 1, .count = 1};
    const char *name = base_name(path);
    bool suffix = shard_name_parse(name, &parts);
    bool single = model->options.single;
    int rc = open_named(model, path, single ? 1 : parts.count,
                        single ? 0 : parts.number - 1, error);
    if (rc < 0 || single)
        return rc;
    struct split split;
    rc = split_read(&model->shards[model->named].head, &split, suffix ? error : NULL);
    if (rc < 0)
        return suffix ? rc : warn_odd_keys(model, error);
    if (split.count <= 1)
        return parts.count > 1 ? open_alone(model, path, error) : 0;
    if (!suffix)
        return refuse_name(&split, error);
    if (split.count != parts.count)
        return error_set(error, GGUFS_FORMAT, split.count_offset,
                         "split.count is %llu, the file's name says %u",
                         (unsigned long long)split.count, parts.count);
    return open_others(model, path, &parts, error);
}

char *files_model_name(const char *name, bool set)
{
    struct shard_name parts;
    size_t length = strlen(name);
    if (shard_name_parse(name, &parts) && (set || parts.count == 1) &&
        parts.prefix_length > 0)
        length = parts.prefix_length;
    else if (length > 5 && strcmp(name + length - 5, ".gguf") == 0)
        length -= 5;
    return strndup(name, length);
}
