/* SPDX-License-Identifier: MIT */
/* One model: the shards that it is stored in, joined. Everything that is not const after
 * model_open is in source.c (what was noticed of a file) and guarded there. */

#ifndef GGUFS_MODEL_MODEL_H
#define GGUFS_MODEL_MODEL_H

#include "gguf/head.h"
#include "model/source.h"

struct shard {
    char *name;            /* of the file, no directory */
    struct source *source; /* NULL where missing */
    struct head head;      /* zeroed where missing */
    uint8_t *head_bytes;   /* what head refers to, in private memory */
    size_t first_tensor;   /* number, in the model, of its first tensor */
};

struct ggufs_model {
    char *name; /* of the file less .gguf and, for a set, the shard suffix */
    struct shard *shards;
    size_t n_shards;
    size_t n_tensors;
    size_t named;                 /* the shard whose path was given */
    size_t first;                 /* the first that is there: keys are its */
    struct table tensors_by_name; /* only of a set; one shard has its head's */
    struct ggufs_warning
        *warnings; /* of the files' names and what is missing, in arena */
    size_t n_warnings;
    struct ggufs_options options;
    struct stat stat; /* of the first file that is there, with the mode that all have */
    struct arena arena;
};

/* The shard that holds tensor i of the model, and its number there. */
const struct shard *model_shard_of(const struct ggufs_model *model, size_t i,
                                   size_t *local);
struct name model_tensor_name(const struct ggufs_model *model, size_t i);
/* The record itself, in the shard's head. */
const struct tensor *model_tensor_record(const struct ggufs_model *model, size_t i);

/* No shard of it is missing. */
bool model_is_whole(const struct ggufs_model *model);

/* Bytes of all shards that are there, together. */
uint64_t model_size(const struct ggufs_model *model);

/* Nothing of the model changed on disk since it was opened: 0, or -ESTALE, -EIO
 * (logged once for each file). Cheap: one fstat a shard that is asked about. */
int model_check(const struct ggufs_model *model, size_t shard);

/* -- while it is being opened -- */

/* Adds a warning of the model itself, one a shard at most. text is copied. 0 or
 * -ENOMEM. */
int model_warn(struct ggufs_model *model, size_t shard, bool incomplete, const char *text,
               struct ggufs_error *error);
/* Back to a model without shards. */
void model_close_shards(struct ggufs_model *model);

#endif
