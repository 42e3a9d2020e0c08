/* SPDX-License-Identifier: MIT */
/* Blocks of four-bit codes that are looked up: floats (E2M1, in the table doubled,
 * with scales that are halved) and IQ4_NL's uneven values. Codes lie in two runs, as
 * in Q4_0.
 *
 *     IQ4_NL  | d f16 | qs u8[16] |       32 values
 *     MXFP4   | e u8  | qs u8[16] |       32 values, scale E8M0
 *     NVFP4   | d u8[4] | qs u8[32] |     4 runs of 16 values, each with a scale UE4M3 */

#include "quant/decoders.h"
#include "quant/tables.h"

QUANT_INLINE void iq4_nl_block(const uint8_t *restrict b, float *restrict out,
                               bool big_endian)
{
    look_up_nibbles(out, b + 2, 16, load_half(b, big_endian), quant_values_iq4_nl);
}

QUANT_INLINE void mxfp4_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    (void)big_endian;
    float scale = float_of_bits(quant_scale_e8m0_half[b[0]]);
    look_up_nibbles(out, b + 1, 16, scale, quant_values_e2m1_x2);
}

QUANT_INLINE void nvfp4_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    (void)big_endian;
    for (int i = 0; i < 4; i++) {
        float scale = float_of_bits(quant_scale_ue4m3_half[b[i]]);
        look_up_nibbles(out + 16 * i, b + 4 + 8 * i, 8, scale, quant_values_e2m1_x2);
    }
}

QUANT_BLOCK_DECODER(iq4_nl, 32, 18)
QUANT_BLOCK_DECODER(mxfp4, 32, 17)
QUANT_BLOCK_DECODER(nvfp4, 64, 36)
