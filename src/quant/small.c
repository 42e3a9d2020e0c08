/* SPDX-License-Identifier: MIT */
/* Blocks of 32 values with one scale: value = d * q, or d * q + m. Codes of four bits
 * lie in two runs: byte i has values i and i + 16.
 *
 *     Q4_0  | d f16 | qs u8[16] |
 *     Q4_1  | d f16 | m f16 | qs u8[16] |
 *     Q5_0  | d f16 | qh u8[4] | qs u8[16] |
 *     Q5_1  | d f16 | m f16 | qh u8[4] | qs u8[16] |
 *     Q8_0  | d f16 | qs s8[32] |
 *     Q8_1  | d f16 | s f16 | qs s8[32] |  (s: d times the sum of codes) */

#include "quant/decoders.h"

QUANT_INLINE void q4_0_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b, big_endian);
    const uint8_t *qs = b + 2;
    for (int i = 0; i < 16; i++)
        out[i] = d * (float)((qs[i] & 15) - 8);
    for (int i = 0; i < 16; i++)
        out[16 + i] = d * (float)((qs[i] >> 4) - 8);
}

QUANT_INLINE void q4_1_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b, big_endian);
    float m = load_half(b + 2, big_endian);
    const uint8_t *qs = b + 4;
    for (int i = 0; i < 16; i++)
        out[i] = d * (float)(qs[i] & 15) + m;
    for (int i = 0; i < 16; i++)
        out[16 + i] = d * (float)(qs[i] >> 4) + m;
}

/* The fifth bits of 16 values, lowest first, as 16 or 0. */
QUANT_INLINE int fifth_bit(uint32_t bits, int i)
{
    return (int)(bits >> i & 1) << 4;
}

QUANT_INLINE void q5_0_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b, big_endian);
    uint32_t low = load_u16(b + 2, false);
    uint32_t high = load_u16(b + 4, false);
    const uint8_t *qs = b + 6;
    for (int i = 0; i < 16; i++)
        out[i] = d * (float)((qs[i] & 15) + fifth_bit(low, i) - 16);
    for (int i = 0; i < 16; i++)
        out[16 + i] = d * (float)((qs[i] >> 4) + fifth_bit(high, i) - 16);
}

QUANT_INLINE void q5_1_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b, big_endian);
    float m = load_half(b + 2, big_endian);
    uint32_t low = load_u16(b + 4, false);
    uint32_t high = load_u16(b + 6, false);
    const uint8_t *qs = b + 8;
    for (int i = 0; i < 16; i++)
        out[i] = d * (float)((qs[i] & 15) + fifth_bit(low, i)) + m;
    for (int i = 0; i < 16; i++)
        out[16 + i] = d * (float)((qs[i] >> 4) + fifth_bit(high, i)) + m;
}

QUANT_INLINE void scale_bytes(float *restrict out, const uint8_t *restrict qs, float d)
{
    for (int i = 0; i < 32; i++)
        out[i] = d * (float)(int8_t)qs[i];
}

QUANT_INLINE void q8_0_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    scale_bytes(out, b + 2, load_half(b, big_endian));
}

QUANT_INLINE void q8_1_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    scale_bytes(out, b + 4, load_half(b, big_endian));
}

QUANT_BLOCK_DECODER(q4_0, 32, 18)
QUANT_BLOCK_DECODER(q4_1, 32, 20)
QUANT_BLOCK_DECODER(q5_0, 32, 22)
QUANT_BLOCK_DECODER(q5_1, 32, 24)
QUANT_BLOCK_DECODER(q8_0, 32, 34)
QUANT_BLOCK_DECODER(q8_1, 32, 36)
