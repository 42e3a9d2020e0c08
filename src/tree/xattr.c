/* SPDX-License-Identifier: MIT */
/* Extended attributes: one table of names, each with a function that writes its value. Tools
 * read every attribute they see, so each is made of what is in the head at hand. */

#include <errno.h>
#include <string.h>

#include "tree/nodes.h"
#include "tree/words.h"

/* Longer values are more than the kernel passes on: such an attribute is left out. */
#define VALUE_MAX 65536

/* What is asked about: the model, or the key or tensor of that number. */
struct subject {
    const struct ggufs_model *model;
    uint32_t item;
};

struct attribute {
    enum node_kind kind; /* NODE_ROOT, NODE_KEY, NODE_TENSOR */
    const char *name;
    /* Writes the value: true, or false where the subject has no such attribute. */
    bool (*write)(const struct subject *subject, struct sink *sink);
};

static bool root_version(const struct subject *subject, struct sink *sink)
{
    sink_u64(sink, first_head(subject->model)->version);
    return true;
}

static bool root_byte_order(const struct subject *subject, struct sink *sink)
{
    sink_string(sink, word_byte_order(first_head(subject->model)->big_endian));
    return true;
}

static bool root_alignment(const struct subject *subject, struct sink *sink)
{
    sink_u64(sink, first_head(subject->model)->alignment);
    return true;
}

static bool root_architecture(const struct subject *subject, struct sink *sink)
{
    static const char name[] = "general.architecture";
    struct ggufs_key key;
    size_t i;

    if (ggufs_model_find_key(subject->model, name, sizeof(name) - 1, &i) < 0)
        return false;
    if (key_type(subject->model, i).type != GGUFS_STR)
        return false;
    ggufs_model_key(subject->model, i, &key);
    sink_write(sink, key.value.str.bytes, key.value.str.length);
    return true;
}

static bool key_name(const struct subject *subject, struct sink *sink)
{
    struct name name = head_key_name(first_head(subject->model), subject->item);

    sink_write(sink, name.bytes, name.length);
    return true;
}

static bool key_type_word(const struct subject *subject, struct sink *sink)
{
    struct key_type type = key_type(subject->model, subject->item);

    word_key_type(sink, &type);
    return true;
}

static bool key_count(const struct subject *subject, struct sink *sink)
{
    struct key_type type = key_type(subject->model, subject->item);

    sink_u64(sink, type.count);
    return type.type == GGUFS_ARR;
}

static struct ggufs_tensor tensor_of(const struct subject *subject)
{
    struct ggufs_tensor tensor;

    ggufs_model_tensor(subject->model, subject->item, &tensor);
    return tensor;
}

static bool tensor_name(const struct subject *subject, struct sink *sink)
{
    struct name name = model_tensor_name(subject->model, subject->item);

    sink_write(sink, name.bytes, name.length);
    return true;
}

static bool tensor_type(const struct subject *subject, struct sink *sink)
{
    struct ggufs_tensor tensor = tensor_of(subject);

    word_tensor_type(sink, &tensor);
    return true;
}

static bool tensor_dimensions(const struct subject *subject, struct sink *sink)
{
    struct ggufs_tensor tensor = tensor_of(subject);

    word_dimensions(sink, &tensor);
    return true;
}

static bool tensor_shape(const struct subject *subject, struct sink *sink)
{
    struct ggufs_tensor tensor = tensor_of(subject);

    word_shape(sink, &tensor);
    return true;
}

static bool tensor_offset(const struct subject *subject, struct sink *sink)
{
    sink_u64(sink, model_tensor_record(subject->model, subject->item)->offset);
    return true;
}

static bool tensor_size(const struct subject *subject, struct sink *sink)
{
    sink_u64(sink, model_tensor_record(subject->model, subject->item)->size);
    return true;
}

static bool tensor_shard(const struct subject *subject, struct sink *sink)
{
    sink_u64(sink, tensor_of(subject).shard);
    return subject->model->n_shards > 1;
}

static const struct attribute attributes[] = {
    {NODE_ROOT, "user.gguf.version", root_version},
    {NODE_ROOT, "user.gguf.byte_order", root_byte_order},
    {NODE_ROOT, "user.gguf.alignment", root_alignment},
    {NODE_ROOT, "user.gguf.architecture", root_architecture},
    {NODE_KEY, "user.gguf.name", key_name},
    {NODE_KEY, "user.gguf.type", key_type_word},
    {NODE_KEY, "user.gguf.count", key_count},
    {NODE_TENSOR, "user.gguf.name", tensor_name},
    {NODE_TENSOR, "user.gguf.type", tensor_type},
    {NODE_TENSOR, "user.gguf.dimensions", tensor_dimensions},
    {NODE_TENSOR, "user.gguf.shape", tensor_shape},
    {NODE_TENSOR, "user.gguf.offset", tensor_offset},
    {NODE_TENSOR, "user.gguf.size", tensor_size},
    {NODE_TENSOR, "user.gguf.shard", tensor_shard},
};

#define N_ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

/* The other files that show a key or a tensor have the attributes of the first. */
static enum node_kind kind_of_subject(enum node_kind kind)
{
    switch (kind) {
    case NODE_TEMPLATE: return NODE_KEY;
    case NODE_NPY: return NODE_TENSOR;
    default: return kind;
    }
}

static bool find_subject(const struct tree *tree, uint32_t node, enum node_kind *kind,
                         struct subject *subject)
{
    uint32_t item;

    if (!tree_node(tree, node, kind, &item))
        return false;
    *subject = (struct subject){tree->model, tree_key_of(tree, *kind, item)};
    *kind = kind_of_subject(*kind);
    return true;
}

static bool has(const struct attribute *attribute, const struct subject *subject)
{
    struct sink counter = sink_counter();

    return attribute->write(subject, &counter) && counter.position <= VALUE_MAX;
}

static ssize_t result_of(const struct sink *sink)
{
    if (sink->size > 0 && sink->position > sink->size)
        return -ERANGE;
    return (ssize_t)sink->position;
}

ssize_t tree_getxattr(struct tree *tree, uint32_t node, const char *name, void *buffer,
                      size_t size)
{
    struct sink sink = sink_window(0, 0, buffer, size);
    struct subject subject;
    enum node_kind kind;

    if (!find_subject(tree, node, &kind, &subject))
        return -ENOENT;
    for (size_t i = 0; i < N_ATTRIBUTES; i++) {
        const struct attribute *attribute = &attributes[i];
        if (attribute->kind == kind && strcmp(attribute->name, name) == 0 &&
            has(attribute, &subject)) {
            attribute->write(&subject, &sink);
            return result_of(&sink);
        }
    }
    return -ENODATA;
}

ssize_t tree_listxattr(struct tree *tree, uint32_t node, char *buffer, size_t size)
{
    struct sink sink = sink_window(0, 0, buffer, size);
    struct subject subject;
    enum node_kind kind;

    if (!find_subject(tree, node, &kind, &subject))
        return -ENOENT;
    for (size_t i = 0; i < N_ATTRIBUTES; i++)
        if (attributes[i].kind == kind && has(&attributes[i], &subject))
            sink_write(&sink, attributes[i].name, strlen(attributes[i].name) + 1);
    return result_of(&sink);
}
