/* SPDX-License-Identifier: MIT */
/* Which files and directories the tree has, how they are called, and which numbers they have.
 * Nodes of one kind are one run of numbers; nothing is kept for a single node. */

#ifndef GGUFS_TREE_LAYOUT_H
#define GGUFS_TREE_LAYOUT_H

#include "base/table.h"
#include "tree/tree.h"

#define NODE_KINDS (NODE_SUMS + 1)

struct layout {
    uint32_t first[NODE_KINDS]; /* number of the first node of that kind */
    uint32_t count[NODE_KINDS];
    uint32_t total;
};

/* Gives out the numbers. templates: how many keys are chat templates; merged, safetensors:
 * whether there is to be a model.gguf, a model.safetensors. -EOVERFLOW where there are more
 * nodes than numbers. */
int layout_build(struct layout *layout, const struct ggufs_model *model, size_t templates,
                 bool merged, bool safetensors);

/* The kind of a node that is below total, and which one of that kind it is. */
enum node_kind layout_kind(const struct layout *layout, uint32_t node, uint32_t *item);

/* The name of the one node of its kind; for kinds with a node a key or a tensor, what is
 * appended to its name ("" or as ".npy"). */
const char *layout_name(enum node_kind kind);
/* Whether the name is made of a key's or tensor's name. */
bool layout_is_named(enum node_kind kind);

bool layout_is_directory(enum node_kind kind);
enum node_kind layout_parent(enum node_kind kind);
/* The run of a directory's children: [*first, *first + count). */
uint32_t layout_children(const struct layout *layout, enum node_kind kind,
                         uint32_t *first);
/* How many of them are directories. */
uint32_t layout_subdirectories(const struct layout *layout, enum node_kind kind);
/* The directory that holds the nodes of keys, tensors (what it holds: layout_held). */
enum node_kind layout_held(enum node_kind directory);
/* The node of that fixed name in the root, or 0. */
uint32_t layout_find(const struct layout *layout, const char *name);

/* Whether a key of that name is a chat template; *raw is then the part of it that the file is
 * called by. */
bool layout_is_template(struct name key, struct name *raw);

#endif
