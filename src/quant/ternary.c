/* SPDX-License-Identifier: MIT */
/* Ternary types: super-blocks of 256 values of -1, 0, 1 times one scale.
 *
 *     TQ1_0  | qs u8[48] | qh u8[4] | d f16 |   five base-3 digits a byte (qh: four)
 *     TQ2_0  | qs u8[64] | d f16 |              two bits a value; code 3 is 2 */

#include "quant/decoders.h"

/* A byte is a fraction of 256 in base 3: multiplied with power (3 to the k) it has its
 * digit k in front, which is the whole part of three times what is behind the point. */
QUANT_INLINE float digit(uint8_t byte, int power)
{
    return (float)(((uint8_t)(byte * power) * 3 >> 8) - 1);
}

/* All first digits of n bytes, then all second digits, ... */
QUANT_INLINE void digits(float *restrict out, const uint8_t *restrict bytes, int n,
                         int n_digits, float d)
{
    for (int k = 0, power = 1; k < n_digits; k++, power *= 3)
        for (int i = 0; i < n; i++)
            out[n * k + i] = d * digit(bytes[i], power);
}

QUANT_INLINE void tq1_0_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    float d = load_half(b + 52, big_endian);
    digits(out, b, 32, 5, d);
    digits(out + 160, b + 32, 16, 5, d);
    digits(out + 240, b + 48, 4, 4, d);
}

/* Codes as in Q2_K: 32 bytes for 128 values, lowest bits first. */
QUANT_INLINE void tq2_0_block(const uint8_t *restrict b, float *restrict out,
                              bool big_endian)
{
    float d = load_half(b + 64, big_endian);
    for (int g = 0; g < 8; g++) {
        const uint8_t *qs = b + 32 * (g / 4);
        int shift = 2 * (g % 4);
        for (int i = 0; i < 32; i++)
            out[32 * g + i] = d * (float)((qs[i] >> shift & 3) - 1);
    }
}

QUANT_BLOCK_DECODER(tq1_0, 256, 54)
QUANT_BLOCK_DECODER(tq2_0, 256, 66)
