/* SPDX-License-Identifier: MIT */
/* The tree of one model: an immutable table of nodes, made once when the model is opened. A
 * node's index is its number, 0 is the root; children of a directory stand in one run. */

#ifndef GGUFS_TREE_TREE_H
#define GGUFS_TREE_TREE_H

#include "content/content.h"
#include "model/model.h"

/* What a node shows; which one of them is the node's `item`. */
enum node_kind {
    NODE_ROOT,
    NODE_INFO,          /* info.json */
    NODE_TENSORS_TSV,   /* tensors.tsv */
    NODE_TEMPLATE,      /* chat_template*.jinja: item is the key */
    NODE_METADATA,      /* metadata/ */
    NODE_KEY,           /* metadata/<key>: item is the key */
    NODE_TENSORS,       /* tensors/ */
    NODE_TENSOR,        /* tensors/<name>: item is the tensor */
    NODE_NPY_DIRECTORY, /* npy/ */
    NODE_NPY,           /* npy/<name>.npy: item is the tensor */
    NODE_MODEL,         /* model.gguf */
    NODE_SAFETENSORS,   /* model.safetensors */
    NODE_SUMS,          /* SHA256SUMS */
};

struct tree;

/* 0 or -errno. The model outlives the tree. */
int tree_build(const struct ggufs_model *model, struct tree **tree,
               struct ggufs_error *error);
void tree_free(struct tree *tree);

uint32_t tree_count(const struct tree *tree);
enum node_kind tree_kind(const struct tree *tree, uint32_t node, uint32_t *item);
bool tree_is_directory(const struct tree *tree, uint32_t node);
/* The file name that stands for the node in its directory; ends in NUL. buffer (256 bytes) is
 * used where the name is made on the spot. */
const char *tree_name(const struct tree *tree, uint32_t node, char buffer[256]);
uint32_t tree_parent(const struct tree *tree, uint32_t node);
/* The run of a directory's children: [*first, *first + count). */
uint32_t tree_children(const struct tree *tree, uint32_t node, uint32_t *first);
/* 0 or -ENOENT, -ENOTDIR. By hash. */
int tree_lookup(const struct tree *tree, uint32_t dir, const char *name, uint32_t *node);

/* The bytes of a file: the content stays the tree's, and lives as long. Made at the first call.
 * NULL where memory is out. Any thread. */
int tree_content(struct tree *tree, uint32_t node, struct content **content);

/* As ggufs_tree_stat; ino is what st_ino is to be. measure false: -EAGAIN where the size is
 * not known yet. */
int tree_stat(struct tree *tree, uint32_t node, uint64_t ino, bool measure,
              struct stat *st);
ssize_t tree_getxattr(struct tree *tree, uint32_t node, const char *name, void *buffer,
                      size_t size);
ssize_t tree_listxattr(struct tree *tree, uint32_t node, char *buffer, size_t size);

#endif
