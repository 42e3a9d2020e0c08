/* SPDX-License-Identifier: MIT */
/* IQ3 types: super-blocks of 256 values. As IQ2, but a row number stands for four values.
 *
 *     IQ3_XXS  | d f16 | qs u8[64] | signs and scale u32[8] |
 *     IQ3_S    | d f16 | qs u8[64] | qh u8[8] | signs u8[32] | scales u8[4] | */

#include "quant/signed_run.h"
#include "quant/tables.h"

/* A group's word: four sign numbers of seven bits, lowest first, on top the scale. */
QUANT_INLINE void iq3_xxs_block(const uint8_t *restrict b, float *restrict out,
                                bool big_endian)
{
    float d = load_half(b, big_endian);
    for (int g = 0; g < 8; g++) {
        uint32_t word = load_u32(b + 66 + 4 * g, big_endian), signs = 0;
        uint8_t run[32];
        for (int r = 0; r < 8; r++)
            memcpy(run + 4 * r, quant_grid_iq3_xxs[b[2 + 8 * g + r]], 4);
        for (int r = 0; r < 4; r++)
            signs |= (uint32_t)quant_signs_even[word >> (7 * r) & 127] << (8 * r);
        float scale = d * (0.5f + (float)(int)(word >> 28)) * 0.5f;
        signed_run(out + 32 * g, 32, scale, run, signs);
    }
}

/* Nine bits of row number: eight in qs, the top one in qh. A scale nibble s a group of
 * 32, low nibble first, means 1 + 2s. */
QUANT_INLINE void iq3_s_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    float d = load_half(b, big_endian);
    const uint8_t *signs = b + 74, *scales = b + 106;
    for (int g = 0; g < 8; g++) {
        int high = b[66 + g];
        uint8_t run[32];
        for (int r = 0; r < 8; r++)
            memcpy(run + 4 * r, quant_grid_iq3_s[b[2 + 8 * g + r] | (high >> r & 1) << 8],
                   4);
        float scale = d * (float)(1 + 2 * (scales[g / 2] >> (4 * (g % 2)) & 15));
        signed_run(out + 32 * g, 32, scale, run, load_u32(signs + 4 * g, false));
    }
}

QUANT_BLOCK_DECODER(iq3_xxs, 256, 98)
QUANT_BLOCK_DECODER(iq3_s, 256, 110)
