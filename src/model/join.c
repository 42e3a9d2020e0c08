/* SPDX-License-Identifier: MIT */
/* Shards become one model where they agree: each is the one that its name says, of the
 * same set, byte order and family of versions; no tensor is in two of them; all that
 * are announced are there. How files are found and opened is files.c's. */

#include "model/join.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/split.h"

typedef unsigned long long llu;

/* Says which shard an error is about; the one that the caller named goes without
 * saying. */
static int in_shard(const struct ggufs_model *model, size_t i, int rc,
                    struct ggufs_error *error)
{
    if (i != model->named)
        error_in_file(error, model->shards[i].name);
    return rc;
}

/* ---- keys ---- */

static int check_place(const struct ggufs_model *model, size_t i,
                       const struct split *split, struct ggufs_error *error)
{
    if (split->count != model->n_shards)
        return error_set(error, GGUFS_FORMAT, split->count_offset,
                         "split.count is %llu, the set is of %zu", (llu)split->count,
                         model->n_shards);
    if (!split->has_no)
        return error_set(error, GGUFS_FORMAT, split->count_offset,
                         "split.no is missing, so nothing says which shard this is");
    if (split->no != i)
        return error_set(error, GGUFS_FORMAT, split->no_offset,
                         "split.no is %llu, the file's name says %zu (counted from 0)",
                         (llu)split->no, i);
    return 0;
}

static const char *order_name(bool big_endian)
{
    return big_endian ? "big" : "little";
}

/* Versions 2 and 3 have the same layout; lengths of version 1 are shorter. */
static int check_layout(const struct ggufs_model *model, size_t i,
                        struct ggufs_error *error)
{
    const struct head *head = &model->shards[i].head;
    const struct head *first = &model->shards[model->first].head;
    if (head->big_endian != first->big_endian)
        return error_set(error, GGUFS_FORMAT, 4,
                         "this shard is %s-endian, the first is %s-endian",
                         order_name(head->big_endian), order_name(first->big_endian));
    if (head->v1 != first->v1)
        return error_set(error, GGUFS_FORMAT, 4,
                         "this shard is of version %u, the first is of version %u",
                         head->version, first->version);
    return 0;
}

/* All shards that say how many tensors the set has say the same. */
static int check_total(const struct split *split, struct split *seen,
                       struct ggufs_error *error)
{
    if (!split->has_tensors)
        return 0;
    if (!seen->has_tensors)
        *seen = *split;
    if (split->tensors == seen->tensors)
        return 0;
    return error_set(error, GGUFS_FORMAT, split->tensors_offset,
                     "split.tensors.count is %llu, another shard says %llu",
                     (llu)split->tensors, (llu)seen->tensors);
}

static int check_keys(const struct ggufs_model *model, struct split *seen,
                      struct ggufs_error *error)
{
    for (size_t i = 0; i < model->n_shards; i++) {
        if (!model->shards[i].source)
            continue;
        struct split split;
        int rc = split_read(&model->shards[i].head, &split, error);
        if (rc == 0)
            rc = check_place(model, i, &split, error);
        if (rc == 0)
            rc = check_layout(model, i, error);
        if (rc == 0)
            rc = check_total(&split, seen, error);
        if (rc < 0)
            return in_shard(model, i, rc, error);
    }
    return 0;
}

/* ---- tensors ---- */

static int number_tensors(struct ggufs_model *model, struct ggufs_error *error)
{
    for (size_t i = 0; i < model->n_shards; i++) {
        model->shards[i].first_tensor = model->n_tensors;
        model->n_tensors += model->shards[i].head.n_tensors;
        if (model->n_tensors >= TABLE_NONE)
            return error_set(error, GGUFS_FORMAT, GGUFS_NO_OFFSET,
                             "the set holds too many tensors");
    }
    return 0;
}

static struct name name_of_tensor(const void *model, uint32_t number)
{
    return model_tensor_name(model, number);
}

static int refuse_twin(const struct ggufs_model *model, size_t shard, size_t local,
                       uint32_t twin, struct ggufs_error *error)
{
    size_t unused;
    const struct shard *other = model_shard_of(model, twin, &unused);
    const struct head *head = &model->shards[shard].head;
    struct name name = head_tensor_name(head, local);
    int rc = error_set(error, GGUFS_FORMAT, head->tensors[local].name_offset,
                       "tensor %s is in this shard and in %s",
                       quoted(name.bytes, name.length).text,
                       quoted(other->name, strlen(other->name)).text);
    error_in_file(error, model->shards[shard].name);
    return rc;
}

/* Twins within one shard were warned of when its head was parsed. */
static int add_names(struct ggufs_model *model, size_t shard, struct ggufs_error *error)
{
    size_t first = model->shards[shard].first_tensor;
    for (size_t i = 0; i < model->shards[shard].head.n_tensors; i++) {
        uint32_t found = table_add(&model->tensors_by_name, (uint32_t)(first + i));
        if (found < first)
            return refuse_twin(model, shard, i, found, error);
    }
    return 0;
}

static int add_all_names(struct ggufs_model *model, struct ggufs_error *error)
{
    if (table_init(&model->tensors_by_name, model->n_tensors, name_of_tensor, model) < 0)
        return error_memory(error);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < model->n_shards; i++)
        rc = add_names(model, i, error);
    return rc;
}

/* ---- the set ---- */

static int warn_missing(struct ggufs_model *model, size_t *missing,
                        struct ggufs_error *error)
{
    for (size_t i = 0; i < model->n_shards; i++) {
        if (model->shards[i].source)
            continue;
        char text[96];
        snprintf(text, sizeof(text), "shard %zu of %zu is missing", i + 1,
                 model->n_shards);
        if (model_warn(model, i, true, text, error) < 0)
            return error_memory(error);
        ++*missing;
    }
    return 0;
}

static int check_sum(const struct ggufs_model *model, const struct split *seen,
                     size_t missing, struct ggufs_error *error)
{
    uint64_t there = model->n_tensors;
    if (!seen->has_tensors || seen->tensors == there ||
        (missing > 0 && seen->tensors > there))
        return 0;
    return error_set(error, GGUFS_FORMAT, GGUFS_NO_OFFSET,
                     "split.tensors.count is %llu, the shards hold %llu",
                     (llu)seen->tensors, (llu)there);
}

int join_shards(struct ggufs_model *model, struct ggufs_error *error)
{
    struct split seen = {0};
    size_t missing = 0;
    int rc = number_tensors(model, error);
    if (rc < 0 || model->n_shards == 1)
        return rc;
    rc = check_keys(model, &seen, error);
    if (rc == 0)
        rc = add_all_names(model, error);
    if (rc == 0)
        rc = warn_missing(model, &missing, error);
    if (rc == 0)
        rc = check_sum(model, &seen, missing, error);
    return rc;
}
