/* SPDX-License-Identifier: MIT */
/* The views: files of the tree that show the model in other programs' formats. Each is a
 * content made of pieces that are made when they are read. */

#ifndef GGUFS_TREE_VIEWS_H
#define GGUFS_TREE_VIEWS_H

#include "content/content.h"
#include "model/model.h"
#include "tree/tree.h"

/* npy/<name>.npy: a numpy file of tensor i. -ENOMEM. */
int npy_content(const struct ggufs_model *model, size_t i, struct content **content);

/* model.gguf: the whole model as one GGUF file; for one file that file. No shard of it may be
 * missing. -EFBIG where it would be larger than a file can be, -ENOMEM. */
int merged_content(const struct ggufs_model *model, struct content **content);
/* Whether it is there at all: of a set whose tensors claim more than any file can hold it is
 * not. Never true where merged_content says -EFBIG. */
bool merged_fits(const struct ggufs_model *model);

/* model.safetensors. A tensor is called by its file name in tensors/.
 * -EFBIG where the header would pass 100 MB or the data what a file can be (there is no such
 * file then), -ENOMEM. */
int safetensors_content(const struct tree *tree, const struct ggufs_model *model,
                        struct content **content);
/* Whether it is there at all; asked at each mount, so it must not cost a pass over long names.
 * Never true where safetensors_content says -EFBIG. */
bool safetensors_fits(const struct ggufs_model *model);

/* SHA256SUMS: a line a tensor. -ENOMEM. */
int sums_content(const struct tree *tree, const struct ggufs_model *model,
                 struct content **content);

/* info.json and tensors.tsv. */
int info_content(const struct tree *tree, const struct ggufs_model *model,
                 struct content **content);
int tensors_tsv_content(const struct tree *tree, const struct ggufs_model *model,
                        struct content **content);

/* For the tables: the file name of tensor i in tensors/, and of key i in metadata/. buffer as
 * for tree_name. */
const char *tree_tensor_name(const struct tree *tree, size_t i, char buffer[256]);
const char *tree_key_name(const struct tree *tree, size_t i, char buffer[256]);

#endif
