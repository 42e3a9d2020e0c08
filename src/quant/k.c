/* SPDX-License-Identifier: MIT */
/* K types without minimums: super-blocks of 256 values: value = (d * scale) * q, with
 * a scale a group of 16 (Q8_K: d * q).
 *
 *     Q3_K  | hmask u8[32] | qs u8[64] | scales u8[12] | d f16 |
 *     Q6_K  | ql u8[128] | qh u8[64] | scales s8[16] | d f16 |
 *     Q8_K  | d f32 | qs s8[256] | bsums s16[16] |  (bsums: sums of codes) */

#include "quant/decoders.h"

/* Sixteen scales of six bits less 32: the low four in the nibbles of bytes 0..7 (low
 * nibbles are 0..7), the top two in bytes 8..11. */
QUANT_INLINE void q3_k_scales(const uint8_t *restrict b, float *restrict scales, float d)
{
    int8_t codes[16];
    for (int i = 0; i < 4; i++) {
        uint8_t low = b[i], next = b[4 + i], high = b[8 + i];
        codes[i] = (int8_t)(((low & 15) | (high & 3) << 4) - 32);
        codes[4 + i] = (int8_t)(((next & 15) | (high >> 2 & 3) << 4) - 32);
        codes[8 + i] = (int8_t)((low >> 4 | (high >> 4 & 3) << 4) - 32);
        codes[12 + i] = (int8_t)((next >> 4 | (high >> 6) << 4) - 32);
    }
    for (int g = 0; g < 16; g++)
        scales[g] = d * (float)codes[g];
}

/* Low two bits as in Q2_K. The third is a bit of hmask, and a clear one subtracts 4. */
QUANT_INLINE void q3_k_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float scales[16];
    q3_k_scales(b + 96, scales, load_half(b + 108, big_endian));
    for (int g = 0; g < 16; g++) {
        const uint8_t *hmask = b + 16 * (g % 2);
        const uint8_t *qs = b + 32 + 32 * (g / 8) + 16 * (g % 2);
        int shift = 2 * (g / 2 % 4);
        uint8_t bit = (uint8_t)(1 << g / 2);
        for (int i = 0; i < 16; i++) {
            int q = (qs[i] >> shift & 3) - (hmask[i] & bit ? 0 : 4);
            out[16 * g + i] = scales[g] * (float)q;
        }
    }
}

/* A half of 128 values has 64 bytes of nibbles (low ones: its first 64 values) and 32
 * bytes of two-bit tops (lowest: its first 32 values). */
QUANT_INLINE void q6_k_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b + 208, big_endian);
    float scales[16];
    for (int g = 0; g < 16; g++)
        scales[g] = d * (float)(int8_t)b[192 + g];
    for (int g = 0; g < 16; g++) {
        const uint8_t *ql = b + 64 * (g / 8) + 16 * (g % 4);
        const uint8_t *qh = b + 128 + 32 * (g / 8) + 16 * (g % 2);
        int shift_low = 4 * (g / 4 % 2);
        int shift_high = 2 * (g / 2 % 4);
        for (int i = 0; i < 16; i++) {
            int q = (ql[i] >> shift_low & 15) | (qh[i] >> shift_high & 3) << 4;
            out[16 * g + i] = scales[g] * (float)(q - 32);
        }
    }
}

QUANT_INLINE void q8_k_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = float_of_bits(load_u32(b, big_endian));
    for (int i = 0; i < 256; i++)
        out[i] = d * (float)(int8_t)b[4 + i];
}

QUANT_BLOCK_DECODER(q3_k, 256, 110)
QUANT_BLOCK_DECODER(q6_k, 256, 210)
QUANT_BLOCK_DECODER(q8_k, 256, 292)
