/* SPDX-License-Identifier: MIT */
/* Decoding tensor types: bytes of whole blocks to float32, bit for bit as ggml's
 * reference does. One table; the decoders stand by family in files beside this one.
 * Pure: no I/O. */

#ifndef GGUFS_QUANT_QUANT_H
#define GGUFS_QUANT_QUANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes n_blocks blocks at bytes (any address) to out. Any bytes are legal.
 * Big-endian blocks have each field of more than a byte turned round, and codes where
 * they were; for types other than the plain ones, Q1_0, Q4_0, Q8_0, Q4_K, Q6_K, TQ2_0,
 * MXFP4 and NVFP4 that is a guess by analogy: no program is known to write them. */
typedef void quant_decode_fn(const uint8_t *bytes, size_t n_blocks, float *out,
                             bool big_endian);

/* The decoder of a ggml_type, or NULL where there is none. */
quant_decode_fn *quant_decoder(uint32_t type_id);

#endif
