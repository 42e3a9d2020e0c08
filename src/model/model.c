/* SPDX-License-Identifier: MIT */
/* One model, opened and closed, and what is asked of it: shards, warnings, keys, tensors.
 * Finding the files is files.c's, fitting them together join.c's. */

#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/files.h"
#include "model/join.h"

/* ---- opening and closing ---- */

void model_close_shards(struct ggufs_model *model)
{
    for (size_t i = 0; i < model->n_shards; i++) {
        struct shard *shard = &model->shards[i];
        head_done(&shard->head);
        free(shard->head_bytes);
        source_close(shard->source);
        free(shard->name);
    }
    free(model->shards);
    model->shards = NULL;
    model->n_shards = 0;
}

void ggufs_model_close(struct ggufs_model *model)
{
    if (!model)
        return;
    table_done(&model->tensors_by_name);
    model_close_shards(model);
    arena_done(&model->arena);
    free(model->name);
    free(model);
}

/* options.strict: the first warning is the error. */
static int refuse_warning(const struct ggufs_model *model, struct ggufs_error *error)
{
    if (ggufs_model_warnings(model) == 0)
        return 0;
    struct ggufs_warning warning;
    ggufs_model_warning(model, 0, &warning);
    int rc = error_set(error, warning.incomplete ? GGUFS_INCOMPLETE : GGUFS_FORMAT,
                       warning.offset, "%s", warning.text);
    if (warning.shard != model->named)
        error_in_file(error, model->shards[warning.shard].name);
    return rc;
}

/* Of the first file that is there; but whom one of its files does not let read, the model does
 * not either. */
static struct stat stat_of(const struct ggufs_model *model)
{
    struct stat stat = *source_stat(model->shards[model->first].source);
    for (size_t i = 0; i < model->n_shards; i++)
        if (model->shards[i].source)
            stat.st_mode &= ~(mode_t)0777 | source_stat(model->shards[i].source)->st_mode;
    return stat;
}

static int open_model(struct ggufs_model *model, const char *path,
                      struct ggufs_error *error)
{
    int rc = files_open(model, path, error);
    if (rc == 0)
        rc = join_shards(model, error);
    if (rc < 0)
        return rc;
    model->stat = stat_of(model);
    model->name = files_model_name(model->shards[model->named].name, model->n_shards > 1);
    if (!model->name)
        return error_memory(error);
    return model->options.strict ? refuse_warning(model, error) : 0;
}

int ggufs_model_open(const char *path, const struct ggufs_options *options,
                     struct ggufs_model **result, struct ggufs_error *error)
{
    struct ggufs_model *model = calloc(1, sizeof(*model));
    if (!model)
        return error_memory(error);
    if (options)
        model->options = *options;
    int rc = open_model(model, path, error);
    if (rc < 0) {
        ggufs_model_close(model);
        return rc;
    }
    *result = model;
    return 0;
}

/* ---- shards ---- */

size_t ggufs_model_shards(const struct ggufs_model *model)
{
    return model->n_shards;
}

void ggufs_model_shard(const struct ggufs_model *model, size_t i, struct ggufs_shard *out)
{
    const struct shard *shard = &model->shards[i];
    *out = (struct ggufs_shard){
        .name = shard->name,
        .missing = !shard->source,
        .file_size = shard->head.file_size,
        .version = shard->head.version,
        .big_endian = shard->head.big_endian,
        .alignment = shard->head.alignment,
        .data_offset = shard->head.data_offset,
        .n_keys = shard->head.n_keys,
        .n_tensors = shard->head.n_tensors,
    };
}

bool model_is_whole(const struct ggufs_model *model)
{
    for (size_t i = 0; i < model->n_shards; i++)
        if (!model->shards[i].source)
            return false;
    return true;
}

uint64_t model_size(const struct ggufs_model *model)
{
    uint64_t size = 0;
    for (size_t i = 0; i < model->n_shards; i++)
        size += model->shards[i].head.file_size;
    return size;
}

int model_check(const struct ggufs_model *model, size_t shard)
{
    struct source *source = model->shards[shard].source;
    return source ? source_check(source) : -EIO;
}

/* ---- warnings: the shards' own, in their order, then the model's ---- */

int model_warn(struct ggufs_model *model, size_t shard, bool incomplete, const char *text,
               struct ggufs_error *error)
{
    /* There is room for one of each shard, which is all that there can be. */
    if (!model->warnings)
        model->warnings =
            arena_alloc(&model->arena, model->n_shards * sizeof(*model->warnings));
    char *copy = arena_copy(&model->arena, text, strlen(text));
    if (!model->warnings || !copy)
        return error_memory(error);
    model->warnings[model->n_warnings++] = (struct ggufs_warning){
        .text = copy,
        .offset = GGUFS_NO_OFFSET,
        .shard = shard,
        .incomplete = incomplete,
    };
    return 0;
}

size_t ggufs_model_warnings(const struct ggufs_model *model)
{
    size_t count = model->n_warnings;
    for (size_t i = 0; i < model->n_shards; i++)
        count += model->shards[i].head.n_warnings;
    return count;
}

void ggufs_model_warning(const struct ggufs_model *model, size_t i,
                         struct ggufs_warning *warning)
{
    for (size_t shard = 0; shard < model->n_shards; shard++) {
        const struct head *head = &model->shards[shard].head;
        if (i < head->n_warnings) {
            const struct warning *found = &head->warnings[i];
            *warning = (struct ggufs_warning){
                .text = found->text,
                .offset = found->offset,
                .shard = shard,
                .incomplete = found->incomplete,
            };
            return;
        }
        i -= head->n_warnings;
    }
    *warning = model->warnings[i];
}

/* ---- keys ---- */

static const struct head *keys_head(const struct ggufs_model *model)
{
    return &model->shards[model->first].head;
}

size_t ggufs_model_keys(const struct ggufs_model *model)
{
    return keys_head(model)->n_keys;
}

void ggufs_model_key(const struct ggufs_model *model, size_t i, struct ggufs_key *key)
{
    head_key(keys_head(model), i, key);
}

static int found_in(const struct table *table, const char *name, size_t length, size_t *i)
{
    uint32_t found = table_find(table, name, length);
    if (found == TABLE_NONE)
        return -ENOENT;
    *i = found;
    return 0;
}

int ggufs_model_find_key(const struct ggufs_model *model, const char *name, size_t length,
                         size_t *i)
{
    return found_in(&keys_head(model)->keys_by_name, name, length, i);
}

/* ---- tensors ---- */

const struct shard *model_shard_of(const struct ggufs_model *model, size_t i,
                                   size_t *local)
{
    /* The last shard that begins at or before i; those without tensors come before it. */
    size_t low = 0, high = model->n_shards;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (model->shards[middle].first_tensor <= i)
            low = middle;
        else
            high = middle;
    }
    *local = i - model->shards[low].first_tensor;
    return &model->shards[low];
}

struct name model_tensor_name(const struct ggufs_model *model, size_t i)
{
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    return head_tensor_name(&shard->head, local);
}

const struct tensor *model_tensor_record(const struct ggufs_model *model, size_t i)
{
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    return &shard->head.tensors[local];
}

size_t ggufs_model_tensors(const struct ggufs_model *model)
{
    return model->n_tensors;
}

void ggufs_model_tensor(const struct ggufs_model *model, size_t i,
                        struct ggufs_tensor *tensor)
{
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    head_tensor(&shard->head, local, tensor);
    tensor->shard = (size_t)(shard - model->shards);
}

int ggufs_model_find_tensor(const struct ggufs_model *model, const char *name,
                            size_t length, size_t *i)
{
    const struct table *table = model->n_shards == 1
                                    ? &model->shards[0].head.tensors_by_name
                                    : &model->tensors_by_name;
    return found_in(table, name, length, i);
}
