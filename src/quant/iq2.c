/* SPDX-License-Identifier: MIT */
/* IQ2 types: super-blocks of 256 values in 32 rows of 8. A row is a row number of a
 * grid of magnitudes, and signs, whole (IQ2_S) or as a number of seven bits; scales of
 * four bits.
 *
 *     IQ2_XXS  | d f16 | 8 x (row numbers u8[4], signs and scale u32 as bytes) |
 *     IQ2_XS   | d f16 | qs u16[32] | scales u8[8] |
 *     IQ2_S    | d f16 | qs u8[32] | signs u8[32] | qh u8[8] | scales u8[8] | */

#include "quant/signed_run.h"
#include "quant/tables.h"

QUANT_INLINE float iq2_scale(float d, uint32_t nibble)
{
    return d * (0.5f + (float)(int)nibble) * 0.25f;
}

/* The word of a group: four sign numbers of seven bits, lowest first, on top the
 * scale. It is bytes like the row numbers before it, the same in both byte orders. */
QUANT_INLINE void iq2_xxs_block(const uint8_t *restrict b, float *restrict out,
                                bool big_endian)
{
    float d = load_half(b, big_endian);
    for (int g = 0; g < 8; g++) {
        const uint8_t *rows = b + 2 + 8 * g;
        uint32_t word = load_u32(rows + 4, false), signs = 0;
        uint8_t run[32];
        for (int r = 0; r < 4; r++) {
            memcpy(run + 8 * r, quant_grid_iq2_xxs[rows[r]], 8);
            signs |= (uint32_t)quant_signs_even[word >> (7 * r) & 127] << (8 * r);
        }
        signed_run(out + 32 * g, 32, iq2_scale(d, word >> 28), run, signs);
    }
}

/* A row: nine bits of row number, seven of signs. A scale a pair of rows, low nibble
 * first. */
QUANT_INLINE void iq2_xs_block(const uint8_t *restrict b, float *restrict out,
                               bool big_endian)
{
    float d = load_half(b, big_endian);
    const uint8_t *scales = b + 66;
    for (int g = 0; g < 16; g++) {
        uint32_t signs = 0;
        uint8_t run[16];
        for (int r = 0; r < 2; r++) {
            uint32_t code = load_u16(b + 2 + 4 * g + 2 * r, big_endian);
            memcpy(run + 8 * r, quant_grid_iq2_xs[code & 511], 8);
            signs |= (uint32_t)quant_signs_even[code >> 9] << (8 * r);
        }
        float scale = iq2_scale(d, scales[g / 2] >> (4 * (g % 2)) & 15);
        signed_run(out + 16 * g, 16, scale, run, signs);
    }
}

/* Ten bits of row number: eight in qs, the top two in qh. Scales as in IQ2_XS. */
QUANT_INLINE void iq2_s_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    float d = load_half(b, big_endian);
    const uint8_t *qh = b + 66, *scales = b + 74;
    for (int g = 0; g < 16; g++) {
        const uint8_t *qs = b + 2 + 2 * g, *signs = b + 34 + 2 * g;
        int high = qh[g / 2] >> (4 * (g % 2));
        uint8_t run[16];
        for (int r = 0; r < 2; r++)
            memcpy(run + 8 * r, quant_grid_iq2_s[qs[r] | (high >> (2 * r) & 3) << 8], 8);
        float scale = iq2_scale(d, scales[g / 2] >> (4 * (g % 2)) & 15);
        signed_run(out + 16 * g, 16, scale, run, load_u16(signs, false));
    }
}

QUANT_BLOCK_DECODER(iq2_xxs, 256, 66)
QUANT_BLOCK_DECODER(iq2_xs, 256, 74)
QUANT_BLOCK_DECODER(iq2_s, 256, 82)
