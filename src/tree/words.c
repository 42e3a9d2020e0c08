/* SPDX-License-Identifier: MIT */
/* The spelling of types and shapes. What is said where is the callers'. */

#include "tree/words.h"

#include "gguf/value.h"

void word_tensor_type(struct sink *sink, const struct ggufs_tensor *tensor)
{
    if (tensor->type)
        sink_string(sink, tensor->type->name);
    else
        sink_u64(sink, tensor->type_id);
}

void word_shape(struct sink *sink, const struct ggufs_tensor *tensor)
{
    if (tensor->n_dims == 0)
        sink_string(sink, "scalar");
    for (uint32_t i = tensor->n_dims; i-- > 0;) {
        sink_u64(sink, tensor->dims[i]);
        if (i > 0)
            sink_char(sink, 'x');
    }
}

void word_dimensions(struct sink *sink, const struct ggufs_tensor *tensor)
{
    if (tensor->n_dims == 0)
        sink_string(sink, "scalar");
    for (uint32_t i = 0; i < tensor->n_dims; i++) {
        if (i > 0)
            sink_char(sink, 'x');
        sink_u64(sink, tensor->dims[i]);
    }
}

const char *word_byte_order(bool big_endian)
{
    return big_endian ? "big" : "little";
}

struct key_type key_type(const struct ggufs_model *model, size_t i)
{
    const struct head *head = first_head(model);
    const struct key *key = &head->keys[i];
    struct encoding encoding = {head->big_endian, head->v1};
    struct ggufs_array array = {0};

    if (key->type == GGUFS_ARR)
        value_load_array(head->bytes + key->value_offset, encoding, &array);
    return (struct key_type){key->type, array.type, array.count};
}

void word_key_type(struct sink *sink, const struct key_type *type)
{
    sink_string(sink, ggufs_value_type_name(type->type));
    if (type->type != GGUFS_ARR)
        return;
    sink_char(sink, '[');
    sink_string(sink, ggufs_value_type_name(type->element));
    sink_char(sink, ']');
}
