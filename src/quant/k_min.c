/* SPDX-License-Identifier: MIT */
/* K types with minimums: super-blocks of 256 values in groups, each with a scale and a
 * minimum that are small integers: value = (d * scale) * q - (dmin * minimum).
 *
 *     Q2_K  | scales u8[16] | qs u8[64] | d f16 | dmin f16 |              groups of 16
 *     Q4_K  | d f16 | dmin f16 | scales u8[12] | qs u8[128] |             groups of 32
 *     Q5_K  | d f16 | dmin f16 | scales u8[12] | qh u8[32] | qs u8[128] | groups of 32 */

#include "quant/decoders.h"

/* A group's scale in the low nibble, its minimum in the high one. Codes: two halves of
 * 128 values with 32 bytes each; bits 0 and 1 of those are the half's first 32 values,
 * and so on. */
QUANT_INLINE void q2_k_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float d = load_half(b + 80, big_endian);
    float dmin = load_half(b + 82, big_endian);
    float scales[16], minimums[16];
    for (int g = 0; g < 16; g++) {
        scales[g] = d * (float)(b[g] & 15);
        minimums[g] = dmin * (float)(b[g] >> 4);
    }
    for (int g = 0; g < 16; g++) {
        const uint8_t *qs = b + 16 + 32 * (g / 8) + 16 * (g % 2);
        int shift = 2 * (g / 2 % 4);
        for (int i = 0; i < 16; i++)
            out[16 * g + i] = scales[g] * (float)(qs[i] >> shift & 3) - minimums[g];
    }
}

/* Eight scales and eight minimums of six bits in 12 bytes. The first four lie in the
 * low bits of bytes 0..3 and 4..7; the others have their low nibbles in bytes 8..11
 * and their top two bits above those of the first four. */
QUANT_INLINE void six_bit_scales(const uint8_t *restrict b, float *restrict scales,
                                 float *restrict minimums, float d, float dmin)
{
    uint8_t codes[8], minimum_codes[8];
    for (int i = 0; i < 4; i++) {
        codes[i] = b[i] & 63;
        codes[4 + i] = (uint8_t)((b[8 + i] & 15) | (b[i] >> 6) << 4);
        minimum_codes[i] = b[4 + i] & 63;
        minimum_codes[4 + i] = (uint8_t)(b[8 + i] >> 4 | (b[4 + i] >> 6) << 4);
    }
    for (int g = 0; g < 8; g++)
        scales[g] = d * (float)codes[g];
    for (int g = 0; g < 8; g++)
        minimums[g] = dmin * (float)minimum_codes[g];
}

/* 64 values have 32 code bytes: low nibbles the first 32, high nibbles the others. */
QUANT_INLINE void q4_k_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float scales[8], minimums[8];
    six_bit_scales(b + 4, scales, minimums, load_half(b, big_endian),
                   load_half(b + 2, big_endian));
    for (int g = 0; g < 8; g += 2) {
        const uint8_t *qs = b + 16 + 16 * g;
        for (int i = 0; i < 32; i++)
            out[32 * g + i] = scales[g] * (float)(qs[i] & 15) - minimums[g];
        for (int i = 0; i < 32; i++)
            out[32 * g + 32 + i] = scales[g + 1] * (float)(qs[i] >> 4) - minimums[g + 1];
    }
}

/* Q4_K with a fifth bit: bit g of qh[i] for value i of group g. */
QUANT_INLINE void q5_k_block(const uint8_t *restrict b, float *restrict out,
                             bool big_endian)
{
    float scales[8], minimums[8];
    six_bit_scales(b + 4, scales, minimums, load_half(b, big_endian),
                   load_half(b + 2, big_endian));
    const uint8_t *qh = b + 16;
    for (int g = 0; g < 8; g++) {
        const uint8_t *qs = b + 48 + 32 * (g / 2);
        int shift = 4 * (g % 2);
        for (int i = 0; i < 32; i++) {
            int q = (qs[i] >> shift & 15) | (qh[i] >> g & 1) << 4;
            out[32 * g + i] = scales[g] * (float)q - minimums[g];
        }
    }
}

QUANT_BLOCK_DECODER(q2_k, 256, 84)
QUANT_BLOCK_DECODER(q4_k, 256, 144)
QUANT_BLOCK_DECODER(q5_k, 256, 176)
