/* SPDX-License-Identifier: MIT */
/* Blocks of codes of one or two bits in sequence, the lowest bits first, with one scale.
 *
 *     Q1_0  | d f16 | qs u8[16] |   128 values: d, or -d where the bit is clear
 *     Q2_0  | d f16 | qs u8[16] |    64 values: d * (q - 1) */

#include "quant/decoders.h"

QUANT_INLINE void q1_0_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b, big_endian);
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 8; c++)
            out[8 * i + c] = negate_if(d, ~((uint32_t)b[2 + i] >> c) & 1);
}

QUANT_INLINE void q2_0_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b, big_endian);
    for (int i = 0; i < 8; i++) {
        uint32_t codes = load_u16(b + 2 + 2 * i, false);
        for (int c = 0; c < 8; c++)
            out[8 * i + c] = d * (float)((int)(codes >> (2 * c) & 3) - 1);
    }
}

QUANT_BLOCK_DECODER(q1_0, 128, 18)
QUANT_BLOCK_DECODER(q2_0, 64, 18)
