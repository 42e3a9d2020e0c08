/* SPDX-License-Identifier: MIT */
/* Contents that show a tensor's values in another form than its bytes; made on read, by pread
 * into a small buffer, never through the map. Each returns NULL where memory is out. */

#ifndef GGUFS_CONTENT_VALUES_H
#define GGUFS_CONTENT_VALUES_H

#include "content/content.h"
#include "ggufs.h"

/* Bytes of one value in that form: 4 or 2. */
size_t decoded_value_size(enum ggufs_dequant form);

/* The values of tensor i, decoded, little-endian, as float32, float16 or bfloat16. The model
 * outlives the content. For tensors that ggufs_tensor_decode takes. */
struct content *content_decoded(const struct ggufs_model *model, size_t i,
                                enum ggufs_dequant form);

/* The bytes of tensor i with each value of width bytes (2, 4 or 8) turned around. */
struct content *content_swapped(const struct ggufs_model *model, size_t i, size_t width);

#endif
