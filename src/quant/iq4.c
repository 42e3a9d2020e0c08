/* SPDX-License-Identifier: MIT */
/* IQ4_XS: super-blocks of 256 values, eight groups of 32 laid out as IQ4_NL's codes
 * (fp4.c), each with a scale of six bits less 32: low nibbles in scales_l, top two
 * bits in scales_h.
 *
 *     | d f16 | scales_h u16 | scales_l u8[4] | qs u8[128] | */

#include "quant/decoders.h"
#include "quant/tables.h"

QUANT_INLINE void iq4_xs_block(const uint8_t *restrict b, float *restrict out,
                               bool big_endian)
{
    float d = load_half(b, big_endian);
    int scales_h = load_u16(b + 2, big_endian);
    for (int g = 0; g < 8; g++) {
        int low = b[4 + g / 2] >> (4 * (g % 2)) & 15;
        int high = scales_h >> (2 * g) & 3;
        float scale = d * (float)((low | high << 4) - 32);
        look_up_nibbles(out + 32 * g, b + 8 + 16 * g, 16, scale, quant_values_iq4_nl);
    }
}

QUANT_BLOCK_DECODER(iq4_xs, 256, 136)
