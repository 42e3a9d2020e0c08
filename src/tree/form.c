/* SPDX-License-Identifier: MIT */
/* Which tensor types the views take as they are, and what becomes of the others. */

#include "tree/form.h"

#include "base/checked.h"
#include "content/values.h"
#include "quant/quant.h"

struct plain {
    const char *type;
    struct form form;
};

/* Types that numpy has, by ggml's names. */
static const struct plain plain_types[] = {
    {"F64", {"f8", "F64", 8, true, false}}, {"F32", {"f4", "F32", 4, true, false}},
    {"F16", {"f2", "F16", 2, true, false}}, {"I8", {"i1", "I8", 1, true, false}},
    {"I16", {"i2", "I16", 2, true, false}}, {"I32", {"i4", "I32", 4, true, false}},
    {"I64", {"i8", "I64", 8, true, false}},
};
static const struct form bfloat = {"u2", "BF16", 2, true, false};
static const struct form bytes = {"u1", "U8", 1, true, true};

/* What decoded values become, by enum ggufs_dequant. */
static const struct form decoded[] = {
    [GGUFS_DEQUANT_F32] = {"f4", "F32", 4, false, false},
    [GGUFS_DEQUANT_F16] = {"f2", "F16", 2, false, false},
    [GGUFS_DEQUANT_BF16_AS_U16] = {"u2", "BF16", 2, false, false},
};

static bool is_named(const struct ggufs_type *type, const char *name)
{
    return __builtin_strcmp(type->name, name) == 0;
}

static struct form form_of(const struct ggufs_model *model,
                           const struct ggufs_tensor *tensor, bool has_bfloat)
{
    if (tensor->extent || tensor->type == NULL)
        return bytes;
    for (size_t i = 0; i < sizeof(plain_types) / sizeof(*plain_types); i++) {
        if (is_named(tensor->type, plain_types[i].type))
            return plain_types[i].form;
    }
    if (is_named(tensor->type, "BF16") &&
        (has_bfloat || model->options.dequant == GGUFS_DEQUANT_BF16_AS_U16))
        return bfloat;
    uint64_t size;
    const struct form *form = &decoded[model->options.dequant];
    if (quant_decoder(tensor->type_id) == NULL || !form_size(form, tensor, &size))
        return bytes;
    return *form;
}

struct form form_npy(const struct ggufs_model *model, const struct ggufs_tensor *tensor)
{
    return form_of(model, tensor, false);
}

struct form form_safetensors(const struct ggufs_model *model,
                             const struct ggufs_tensor *tensor)
{
    return form_of(model, tensor, true);
}

bool form_size(const struct form *form, const struct ggufs_tensor *tensor, uint64_t *size)
{
    if (form->raw) {
        *size = tensor->size;
        return true;
    }
    return checked_mul(tensor->n_elements, form->width, size) && *size <= INT64_MAX / 2;
}

struct content *form_content(const struct form *form, const struct ggufs_model *model,
                             size_t i, bool swap)
{
    if (!form->raw)
        return content_decoded(model, i, model->options.dequant);
    size_t local;
    const struct shard *shard = model_shard_of(model, i, &local);
    if (swap && shard->head.big_endian && form->width > 1)
        return content_swapped(model, i, form->width);
    const struct tensor *tensor = &shard->head.tensors[local];
    return content_range(shard->source, tensor->offset, tensor->size);
}
