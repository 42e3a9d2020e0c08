/* SPDX-License-Identifier: MIT */
/* Which content is behind which file. A content is made when somebody first asks and then kept
 * with the tree; of two threads that make the same one, the second takes the first's. What the
 * contents say is known where they are made: src/content, and the views beside this file. */

#include <errno.h>

#include "content/text.h"
#include "tree/nodes.h"
#include "tree/views.h"

static struct content *tensor_content(const struct ggufs_model *model, uint32_t i)
{
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    const struct tensor *tensor = model_tensor_record(model, i);

    return content_range(shard->source, tensor->offset, tensor->size);
}

static struct content *key_content(const struct tree *tree, enum node_kind kind,
                                   uint32_t item)
{
    struct ggufs_key key;

    ggufs_model_key(tree->model, tree_key_of(tree, kind, item), &key);
    if (kind == NODE_TEMPLATE)
        return content_bytes(key.value.str.bytes, key.value.str.length, NULL);
    return content_value(&key.value);
}

static int or_memory(struct content *made, struct content **content)
{
    *content = made;
    return made ? 0 : -ENOMEM;
}

static int make(const struct tree *tree, uint32_t node, struct content **content)
{
    const struct ggufs_model *model = tree->model;
    enum node_kind kind;
    uint32_t item;

    *content = NULL;
    if (!tree_node(tree, node, &kind, &item))
        return -ENOENT;
    switch (kind) {
    case NODE_INFO: return info_content(tree, model, content);
    case NODE_TENSORS_TSV: return tensors_tsv_content(tree, model, content);
    case NODE_TEMPLATE:
    case NODE_KEY: return or_memory(key_content(tree, kind, item), content);
    case NODE_TENSOR: return or_memory(tensor_content(model, item), content);
    case NODE_NPY: return npy_content(model, item, content);
    case NODE_MODEL: return merged_content(model, content);
    case NODE_SAFETENSORS: return safetensors_content(tree, model, content);
    case NODE_SUMS: return sums_content(tree, model, content);
    default: return -EISDIR;
    }
}

/* Puts the content in, or frees it where another thread was faster; returns the one to use. */
static struct content *publish(struct tree *tree, uint32_t node, struct content *content)
{
    struct content *there = NULL;

    if (atomic_compare_exchange_strong(&tree->contents[node], &there, content))
        return content;
    content_free(content);
    return there;
}

int tree_content(struct tree *tree, uint32_t node, struct content **content)
{
    if (node >= tree->layout.total)
        return -ENOENT;
    *content = atomic_load(&tree->contents[node]);
    if (*content)
        return 0;
    int rc = make(tree, node, content);
    if (rc == 0)
        *content = publish(tree, node, *content);
    return rc;
}

/* Contents of a key or a tensor: cheap to make, and there may be a million of them. */
static bool is_many(enum node_kind kind)
{
    return kind == NODE_KEY || kind == NODE_NPY || kind == NODE_TEMPLATE;
}

/* The size by a content of its own, which is kept only if it has to be measured. */
static int size_of_many(struct tree *tree, uint32_t node, bool measure, uint64_t *size)
{
    struct content *content;
    int rc = make(tree, node, &content);

    if (rc < 0)
        return rc;
    rc = content_size_known(content, size);
    if (rc != -EAGAIN || !measure) {
        content_free(content);
        return rc;
    }
    return content_size(publish(tree, node, content), size);
}

int tree_size(struct tree *tree, uint32_t node, bool measure, uint64_t *size)
{
    enum node_kind kind;
    uint32_t item;

    if (!tree_node(tree, node, &kind, &item))
        return -ENOENT;
    if (kind == NODE_TENSOR) {
        *size = model_tensor_record(tree->model, item)->size;
        return 0;
    }
    struct content *content = atomic_load(&tree->contents[node]);
    if (!content && is_many(kind))
        return size_of_many(tree, node, measure, size);
    /* The tables of the root: only to begin with them is work. */
    if (!content && !measure)
        return -EAGAIN;
    int rc = content ? 0 : tree_content(tree, node, &content);
    if (rc < 0)
        return rc;
    return measure ? content_size(content, size) : content_size_known(content, size);
}
