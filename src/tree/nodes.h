/* SPDX-License-Identifier: MIT */
/* The inside of a tree, for the files of this directory that answer for it. */

#ifndef GGUFS_TREE_NODES_H
#define GGUFS_TREE_NODES_H

#include <stdatomic.h>

#include "tree/layout.h"
#include "tree/naming.h"
#include "tree/tree.h"

struct tree {
    const struct ggufs_model *model;
    struct layout layout;
    uint32_t *template_keys; /* number of the key, by template */
    size_t n_templates;
    struct naming templates;
    struct naming keys;
    struct naming tensors;
    struct naming npy; /* only with npy_apart */
    bool npy_apart;    /* a name in tensors/ is too long for .npy: npy/ has its own */
    _Atomic(struct content *) *contents; /* by node: made when somebody asks, then kept */
};

/* The kind of a node, which one it is, and that it is there at all. */
static inline bool tree_node(const struct tree *tree, uint32_t node, enum node_kind *kind,
                             uint32_t *item)
{
    if (node >= tree->layout.total)
        return false;
    *kind = layout_kind(&tree->layout, node, item);
    return true;
}

/* The key that a NODE_KEY or NODE_TEMPLATE shows. */
static inline uint32_t tree_key_of(const struct tree *tree, enum node_kind kind,
                                   uint32_t item)
{
    return kind == NODE_TEMPLATE ? tree->template_keys[item] : item;
}

/* The size of a file, as content_size. Keeps a content only where it cost work to know. */
int tree_size(struct tree *tree, uint32_t node, bool measure, uint64_t *size);

#endif
