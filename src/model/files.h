/* SPDX-License-Identifier: MIT */
/* Which files a model is made of: the one that was named and, where it is a shard of a
 * set, the others beside it. */

#ifndef GGUFS_MODEL_FILES_H
#define GGUFS_MODEL_FILES_H

#include "model/model.h"

/* Fills a zeroed model's shards (opened, heads loaded), n_shards, named and first.
 * What is missing is an error, or with options.partial left without a source. On
 * failure the model is half filled, for ggufs_model_close. */
int files_open(struct ggufs_model *model, const char *path, struct ggufs_error *error);

/* The name of the model that the file of that name belongs to: less .gguf, and less
 * the shard's suffix where it is one of a set. Allocated; NULL where memory is out. */
char *files_model_name(const char *name, bool set);

#endif
