/* SPDX-License-Identifier: MIT */
/* IQ1 types: super-blocks of 256 values in 32 rows of 8. A row number of eleven bits
 * (low eight in qs) gives values of -1, 0, 1, which are shifted by an eighth up or
 * down and scaled.
 *
 *     IQ1_S  | d f16 | qs u8[32] | qh u16[8] |
 *     IQ1_M  | qs u8[32] | qh u8[16] | scales u16[4] | */

#include "quant/decoders.h"
#include "quant/tables.h"

QUANT_INLINE void shifted_row(float *restrict out, float scale, uint32_t number,
                              uint32_t down)
{
    const int8_t *row = quant_grid_iq1[number];
    float shift = negate_if(0.125f, down);
    for (int c = 0; c < 8; c++)
        out[c] = scale * ((float)row[c] + shift);
}

/* qh, one a group of four rows: four times three bits of row number, three bits of
 * scale, and which way the shift goes. */
QUANT_INLINE void iq1_s_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    float d = load_half(b, big_endian);
    for (int g = 0; g < 8; g++) {
        uint32_t qh = load_u16(b + 34 + 2 * g, big_endian);
        float scale = d * (float)(int)(2 * (qh >> 12 & 7) + 1);
        for (int r = 0; r < 4; r++)
            shifted_row(out + 32 * g + 8 * r, scale,
                        b[2 + 4 * g + r] | (qh >> (3 * r) & 7) << 8, qh >> 15);
    }
}

/* qh, a nibble a row: three bits of row number and which way the shift goes. The four
 * scales have a nibble of the block's scale on top, and four times three bits of scale
 * of two rows. */
QUANT_INLINE void iq1_m_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    uint32_t scales[4], d_bits = 0;
    for (int i = 0; i < 4; i++) {
        scales[i] = load_u16(b + 48 + 2 * i, big_endian);
        d_bits |= scales[i] >> 12 << (4 * i);
    }
    float d = float_of_bits(bits_of_half((uint16_t)d_bits));
    for (int r = 0; r < 32; r++) {
        uint32_t qh = b[32 + r / 2] >> (4 * (r % 2)) & 15u;
        uint32_t code = scales[r / 8] >> (3 * (r / 2 % 4)) & 7;
        float scale = d * (float)(int)(2 * code + 1);
        shifted_row(out + 8 * r, scale, b[r] | (qh & 7) << 8, qh >> 3);
    }
}

QUANT_BLOCK_DECODER(iq1_s, 256, 50)
QUANT_BLOCK_DECODER(iq1_m, 256, 56)
