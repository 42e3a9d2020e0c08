/* SPDX-License-Identifier: MIT */
/* The table of nodes: numbers (by layout.c), names (by naming.c), and the ways between them.
 * Nothing changes after tree_build but the contents that contents.c puts in. A tensor costs a
 * pointer in each of its two directories, which is memory only once it was read. */

#include "tree/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tree/names.h"
#include "tree/views.h"
#include "tree/words.h"

static struct name key_name(const void *model, uint32_t i)
{
    return head_key_name(first_head(model), i);
}

static struct name tensor_name(const void *model, uint32_t i)
{
    return model_tensor_name(model, i);
}

static struct name template_name(const void *owner, uint32_t i)
{
    const struct tree *tree = owner;
    struct name raw = {"", 0};

    layout_is_template(key_name(tree->model, tree->template_keys[i]), &raw);
    return raw;
}

/* Chat templates are the keys of such a name that hold a string. */
static bool is_template(const struct ggufs_model *model, uint32_t i)
{
    struct name raw;

    return first_head(model)->keys[i].type == GGUFS_STR &&
           layout_is_template(key_name(model, i), &raw);
}

static int find_templates(struct tree *tree)
{
    size_t n_keys = ggufs_model_keys(tree->model), n = 0;

    for (size_t i = 0; i < n_keys; i++)
        n += is_template(tree->model, (uint32_t)i);
    if (n == 0)
        return 0;
    tree->template_keys = malloc(n * sizeof(*tree->template_keys));
    if (!tree->template_keys)
        return -ENOMEM;
    for (size_t i = 0; i < n_keys; i++)
        if (is_template(tree->model, (uint32_t)i))
            tree->template_keys[tree->n_templates++] = (uint32_t)i;
    return 0;
}

static size_t room_for(enum node_kind kind)
{
    return NAME_MAX_BYTES - strlen(layout_name(kind));
}

/* Names of npy/ are those of tensors/ with the suffix, as long as all of them have room for
 * it. */
static bool has_room_for_npy(const struct naming *tensors)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (naming_name(tensors, (uint32_t)i).length > room_for(NODE_NPY))
            return false;
    return true;
}

static int name_tensors(struct tree *tree)
{
    const struct ggufs_model *model = tree->model;
    size_t n = ggufs_model_tensors(model);
    const struct table *known = model->n_shards == 1
                                    ? &model->shards[0].head.tensors_by_name
                                    : &model->tensors_by_name;
    int rc =
        naming_init(&tree->tensors, n, room_for(NODE_TENSOR), tensor_name, model, known);

    if (rc < 0 || tree->layout.count[NODE_NPY] == 0 || has_room_for_npy(&tree->tensors))
        return rc;
    tree->npy_apart = true;
    return naming_init(&tree->npy, n, room_for(NODE_NPY), tensor_name, model, NULL);
}

static int name_nodes(struct tree *tree)
{
    const struct ggufs_model *model = tree->model;
    int rc = naming_init(&tree->templates, tree->n_templates, room_for(NODE_TEMPLATE),
                         template_name, tree, NULL);

    if (rc == 0)
        rc = naming_init(&tree->keys, ggufs_model_keys(model), room_for(NODE_KEY),
                         key_name, model, &first_head(model)->keys_by_name);
    return rc == 0 ? name_tensors(tree) : rc;
}

int tree_build(const struct ggufs_model *model, struct tree **result,
               struct ggufs_error *error)
{
    struct tree *tree = calloc(1, sizeof(*tree));
    int rc = tree ? 0 : -ENOMEM;
    bool whole;

    if (rc < 0)
        goto fail;
    tree->model = model;
    rc = find_templates(tree);
    if (rc < 0)
        goto fail;
    /* A file that says it is the model, and is not all of it, would be taken for all of it. */
    whole = model_is_whole(model);
    rc =
        layout_build(&tree->layout, model, tree->n_templates, whole && merged_fits(model),
                     whole && !model->options.no_views && safetensors_fits(model));
    if (rc < 0)
        goto fail;
    rc = name_nodes(tree);
    if (rc < 0)
        goto fail;
    tree->contents = calloc(tree->layout.total, sizeof(*tree->contents));
    rc = tree->contents ? 0 : -ENOMEM;
    if (rc < 0)
        goto fail;
    *result = tree;
    return 0;
fail:
    tree_free(tree);
    if (rc == -EOVERFLOW)
        error_system(error, EOVERFLOW, "too many keys and tensors for a tree");
    else
        error_memory(error);
    return rc;
}

void tree_free(struct tree *tree)
{
    if (!tree)
        return;
    for (uint32_t i = 0; tree->contents && i < tree->layout.total; i++)
        content_free(atomic_load(&tree->contents[i]));
    free(tree->contents);
    naming_done(&tree->templates);
    naming_done(&tree->keys);
    naming_done(&tree->tensors);
    naming_done(&tree->npy);
    free(tree->template_keys);
    free(tree);
}

uint32_t tree_count(const struct tree *tree)
{
    return tree->layout.total;
}

enum node_kind tree_kind(const struct tree *tree, uint32_t node, uint32_t *item)
{
    enum node_kind kind = layout_kind(&tree->layout, node, item);

    *item = tree_key_of(tree, kind, *item);
    return kind;
}

bool tree_is_directory(const struct tree *tree, uint32_t node)
{
    uint32_t item;

    return layout_is_directory(layout_kind(&tree->layout, node, &item));
}

/* The names that nodes of that kind are called by; NULL where the name is fixed. */
static const struct naming *naming_of(const struct tree *tree, enum node_kind kind)
{
    switch (kind) {
    case NODE_TEMPLATE: return &tree->templates;
    case NODE_KEY: return &tree->keys;
    case NODE_TENSOR: return &tree->tensors;
    case NODE_NPY: return tree->npy_apart ? &tree->npy : &tree->tensors;
    default: return NULL;
    }
}

static const char *put_name(const struct naming *naming, uint32_t item,
                            const char *suffix, char buffer[256])
{
    struct name name = naming_name(naming, item);

    memcpy(buffer, name.bytes, name.length);
    memcpy(buffer + name.length, suffix, strlen(suffix) + 1);
    return buffer;
}

const char *tree_name(const struct tree *tree, uint32_t node, char buffer[256])
{
    uint32_t item;
    enum node_kind kind = layout_kind(&tree->layout, node, &item);
    const struct naming *naming = naming_of(tree, kind);

    return naming ? put_name(naming, item, layout_name(kind), buffer) : layout_name(kind);
}

const char *tree_tensor_name(const struct tree *tree, size_t i, char buffer[256])
{
    return put_name(&tree->tensors, (uint32_t)i, "", buffer);
}

const char *tree_key_name(const struct tree *tree, size_t i, char buffer[256])
{
    return put_name(&tree->keys, (uint32_t)i, "", buffer);
}

uint32_t tree_parent(const struct tree *tree, uint32_t node)
{
    uint32_t item;

    return tree->layout.first[layout_parent(layout_kind(&tree->layout, node, &item))];
}

uint32_t tree_children(const struct tree *tree, uint32_t node, uint32_t *first)
{
    uint32_t item;
    enum node_kind kind = layout_kind(&tree->layout, node, &item);

    *first = 0;
    return layout_is_directory(kind) ? layout_children(&tree->layout, kind, first) : 0;
}

/* The node of that kind whose name is a key's or tensor's, with the kind's suffix. */
static int find_named(const struct tree *tree, enum node_kind kind, const char *name,
                      uint32_t *node)
{
    const char *suffix = layout_name(kind);
    size_t length = strlen(name), n_suffix = strlen(suffix);
    uint32_t item = TABLE_NONE;

    if (tree->layout.count[kind] == 0 || length < n_suffix || length > NAME_MAX_BYTES)
        return -ENOENT;
    length -= n_suffix;
    if (strcmp(name + length, suffix) == 0)
        item = naming_find(naming_of(tree, kind), name, length);
    if (item == TABLE_NONE)
        return -ENOENT;
    *node = tree->layout.first[kind] + item;
    return 0;
}

int tree_lookup(const struct tree *tree, uint32_t dir, const char *name, uint32_t *node)
{
    enum node_kind kind;
    uint32_t item;

    if (!tree_node(tree, dir, &kind, &item))
        return -ENOENT;
    if (!layout_is_directory(kind))
        return -ENOTDIR;
    if (kind != NODE_ROOT)
        return find_named(tree, layout_held(kind), name, node);
    uint32_t found = layout_find(&tree->layout, name);
    if (found == 0)
        return find_named(tree, NODE_TEMPLATE, name, node);
    *node = found;
    return 0;
}
