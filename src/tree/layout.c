/* SPDX-License-Identifier: MIT */
/* The tree's plan, and the only file that spells a path. Names of keys and tensors come from
 * naming.c; what is in the files is contents.c's. */

#include "tree/layout.h"

#include <errno.h>
#include <string.h>

#define TEMPLATE_KEY   "tokenizer.chat_template"
#define TEMPLATE_START 10 /* bytes of "tokenizer.", which the file's name goes without */

struct place {
    enum node_kind parent;
    enum node_kind held; /* of a directory: what is in it; NODE_ROOT for a file */
    bool view;           /* left out with no_views */
    bool named;          /* after a key or tensor; name is the suffix then */
    const char *name;
};

static const struct place places[NODE_KINDS] = {
    [NODE_ROOT] = {NODE_ROOT, NODE_INFO, false, false, ""},
    [NODE_INFO] = {NODE_ROOT, NODE_ROOT, false, false, "info.json"},
    [NODE_TENSORS_TSV] = {NODE_ROOT, NODE_ROOT, false, false, "tensors.tsv"},
    [NODE_TEMPLATE] = {NODE_ROOT, NODE_ROOT, false, true, ".jinja"},
    [NODE_METADATA] = {NODE_ROOT, NODE_KEY, false, false, "metadata"},
    [NODE_KEY] = {NODE_METADATA, NODE_ROOT, false, true, ""},
    [NODE_TENSORS] = {NODE_ROOT, NODE_TENSOR, false, false, "tensors"},
    [NODE_TENSOR] = {NODE_TENSORS, NODE_ROOT, false, true, ""},
    [NODE_NPY_DIRECTORY] = {NODE_ROOT, NODE_NPY, true, false, "npy"},
    [NODE_NPY] = {NODE_NPY_DIRECTORY, NODE_ROOT, true, true, ".npy"},
    [NODE_MODEL] = {NODE_ROOT, NODE_ROOT, false, false, "model.gguf"},
    [NODE_SAFETENSORS] = {NODE_ROOT, NODE_ROOT, true, false, "model.safetensors"},
    [NODE_SUMS] = {NODE_ROOT, NODE_ROOT, true, false, "SHA256SUMS"},
};

/* The order of the numbers: the root, what is in it, and then what is in each directory. */
static const enum node_kind order[NODE_KINDS] = {
    NODE_ROOT,    NODE_INFO,          NODE_TENSORS_TSV, NODE_TEMPLATE,    NODE_METADATA,
    NODE_TENSORS, NODE_NPY_DIRECTORY, NODE_MODEL,       NODE_SAFETENSORS, NODE_SUMS,
    NODE_KEY,     NODE_TENSOR,        NODE_NPY,
};

static uint64_t count_of(enum node_kind kind, const struct ggufs_model *model,
                         size_t templates, bool merged, bool safetensors)
{
    if (places[kind].view && model->options.no_views)
        return 0;
    switch (kind) {
    case NODE_TEMPLATE: return templates;
    case NODE_KEY: return ggufs_model_keys(model);
    case NODE_TENSOR:
    case NODE_NPY: return ggufs_model_tensors(model);
    case NODE_MODEL: return merged;
    case NODE_SAFETENSORS: return safetensors;
    default: return 1;
    }
}

int layout_build(struct layout *layout, const struct ggufs_model *model, size_t templates,
                 bool merged, bool safetensors)
{
    uint64_t total = 0;

    for (int i = 0; i < NODE_KINDS; i++) {
        enum node_kind kind = order[i];
        uint64_t count = count_of(kind, model, templates, merged, safetensors);

        /* TABLE_NONE is no node's number, and a forest adds its own to ours. */
        if (count >= UINT32_MAX / 2 - total)
            return -EOVERFLOW;
        layout->first[kind] = (uint32_t)total;
        layout->count[kind] = (uint32_t)count;
        total += count;
    }
    layout->total = (uint32_t)total;
    return 0;
}

enum node_kind layout_kind(const struct layout *layout, uint32_t node, uint32_t *item)
{
    int i = NODE_KINDS - 1;

    /* From the end, where most nodes are. Kinds without a node share their first number with
     * the kind behind them. */
    while (i > 0 && (layout->first[order[i]] > node || layout->count[order[i]] == 0))
        i--;
    *item = node - layout->first[order[i]];
    return order[i];
}

const char *layout_name(enum node_kind kind)
{
    return places[kind].name;
}

bool layout_is_named(enum node_kind kind)
{
    return places[kind].named;
}

bool layout_is_directory(enum node_kind kind)
{
    return places[kind].held != NODE_ROOT;
}

enum node_kind layout_parent(enum node_kind kind)
{
    return places[kind].parent;
}

enum node_kind layout_held(enum node_kind directory)
{
    return places[directory].held;
}

uint32_t layout_children(const struct layout *layout, enum node_kind kind,
                         uint32_t *first)
{
    enum node_kind held = places[kind].held;

    *first = layout->first[held];
    if (kind == NODE_ROOT)
        return layout->first[NODE_KEY] - *first;
    return layout->count[held];
}

uint32_t layout_subdirectories(const struct layout *layout, enum node_kind kind)
{
    uint32_t n = 0;

    for (int i = 1; i < NODE_KINDS; i++)
        if (places[i].parent == kind && layout_is_directory((enum node_kind)i))
            n += layout->count[i];
    return n;
}

uint32_t layout_find(const struct layout *layout, const char *name)
{
    for (int i = 1; i < NODE_KINDS; i++)
        if (places[i].parent == NODE_ROOT && !places[i].named && layout->count[i] > 0 &&
            strcmp(places[i].name, name) == 0)
            return layout->first[i];
    return 0;
}

bool layout_is_template(struct name key, struct name *raw)
{
    const size_t length = sizeof(TEMPLATE_KEY) - 1;

    if (key.length < length || memcmp(key.bytes, TEMPLATE_KEY, length) != 0)
        return false;
    if (key.length > length && key.bytes[length] != '.')
        return false;
    *raw = (struct name){key.bytes + TEMPLATE_START, key.length - TEMPLATE_START};
    return true;
}
