/* SPDX-License-Identifier: MIT */
/* In which form the views show a tensor's data: as it lies in the file, turned to little-endian,
 * or decoded. What numpy and safetensors call that form is in the row. */

#ifndef GGUFS_TREE_FORM_H
#define GGUFS_TREE_FORM_H

#include "content/content.h"
#include "model/model.h"

struct form {
    const char *npy;         /* numpy's type code without byte order: "f4" */
    const char *safetensors; /* "F32" */
    uint32_t width;          /* bytes a value */
    bool raw;                /* the file's own bytes */
    bool flat;               /* bytes of unknown meaning: one dimension */
};

/* The form that tensor i takes in numpy files; in safetensors, which has bfloat16, too. */
struct form form_npy(const struct ggufs_model *model, const struct ggufs_tensor *tensor);
struct form form_safetensors(const struct ggufs_model *model,
                             const struct ggufs_tensor *tensor);

/* Bytes of a tensor in a form; true unless they are more than a file can have. */
bool form_size(const struct form *form, const struct ggufs_tensor *tensor,
               uint64_t *size);

/* The data of tensor i in a form. swap: big-endian values are turned to little-endian. NULL
 * where memory is out. */
struct content *form_content(const struct form *form, const struct ggufs_model *model,
                             size_t i, bool swap);

#endif
