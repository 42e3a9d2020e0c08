/* SPDX-License-Identifier: MIT */
/* The records that info.json is made of, each written by a pen. */

#ifndef GGUFS_TREE_INFO_H
#define GGUFS_TREE_INFO_H

#include "tree/pen.h"
#include "tree/totals.h"
#include "tree/tree.h"

/* Arrays with more elements, those of the arrays in them counted, are only counted. */
#define INFO_ELEMENTS_MAX 64

struct info {
    const struct tree *tree;
    const struct ggufs_model *model;
    struct totals totals;
};

/* Members of the object "file", of an entry of "shards", and so on: without what separates
 * one from the next. */
void info_put_file(const struct info *info, size_t i, struct pen *pen);
void info_put_shard(const struct info *info, size_t i, struct pen *pen);
void info_put_key(const struct info *info, size_t i, struct pen *pen);
void info_put_tensor(const struct info *info, size_t i, struct pen *pen);
void info_put_totals(const struct info *info, size_t i, struct pen *pen);
void info_put_type(const struct info *info, size_t i, struct pen *pen);
void info_put_warning(const struct info *info, size_t i, struct pen *pen);

/* The member "name_base64" and a comma, where the name that is shown is not the true one. */
void info_put_true_name(const char *shown, const char *bytes, size_t length,
                        struct pen *pen);

#endif
