/* SPDX-License-Identifier: MIT */
/* What the families of types share: how a decoder of one block becomes a decoder of
 * many, and the few operations that their formulas have in common.
 *
 * The order of the float operations is part of the formulas: regrouping them changes
 * the sign of a zero. Loops have constant bounds and straight bodies, for the compiler
 * to vectorise. */

#ifndef GGUFS_QUANT_DECODERS_H
#define GGUFS_QUANT_DECODERS_H

#include "base/load.h"
#include "quant/quant.h"

/* All types that have a decoder, by the number that a file gives them. Numbers that
 * are missing were given up by ggml: nothing is known of their blocks. */
#define QUANT_TYPES(ROW)                                                                 \
    ROW(0, f32)                                                                          \
    ROW(1, f16)                                                                          \
    ROW(2, q4_0)                                                                         \
    ROW(3, q4_1)                                                                         \
    ROW(6, q5_0)                                                                         \
    ROW(7, q5_1)                                                                         \
    ROW(8, q8_0)                                                                         \
    ROW(9, q8_1)                                                                         \
    ROW(10, q2_k)                                                                        \
    ROW(11, q3_k)                                                                        \
    ROW(12, q4_k)                                                                        \
    ROW(13, q5_k)                                                                        \
    ROW(14, q6_k)                                                                        \
    ROW(15, q8_k)                                                                        \
    ROW(16, iq2_xxs)                                                                     \
    ROW(17, iq2_xs)                                                                      \
    ROW(18, iq3_xxs)                                                                     \
    ROW(19, iq1_s)                                                                       \
    ROW(20, iq4_nl)                                                                      \
    ROW(21, iq3_s)                                                                       \
    ROW(22, iq2_s)                                                                       \
    ROW(23, iq4_xs)                                                                      \
    ROW(24, i8)                                                                          \
    ROW(25, i16)                                                                         \
    ROW(26, i32)                                                                         \
    ROW(27, i64)                                                                         \
    ROW(28, f64)                                                                         \
    ROW(29, iq1_m)                                                                       \
    ROW(30, bf16)                                                                        \
    ROW(34, tq1_0)                                                                       \
    ROW(35, tq2_0)                                                                       \
    ROW(39, mxfp4)                                                                       \
    ROW(40, nvfp4)                                                                       \
    ROW(41, q1_0)                                                                        \
    ROW(42, q2_0)

/* Where it can be had, there is code for machines with AVX2 beside the code for all. */
#if defined(__x86_64__) && defined(__GNUC__)
#define QUANT_AVX2 __attribute__((target("avx2")))
#endif

/* Inline always, so that each of the two has its own copy, made for its machine. */
#define QUANT_INLINE static inline __attribute__((always_inline))

/* Defines quant_NAME and quant_NAME_avx2, given NAME_blocks, which is inline. */
#define QUANT_DEFINE(target, function, blocks)                                           \
    target void function(const uint8_t *restrict bytes, size_t n_blocks,                 \
                         float *restrict out, bool big_endian)                           \
    {                                                                                    \
        blocks(bytes, n_blocks, out, big_endian);                                        \
    }
#ifdef QUANT_AVX2
#define QUANT_DECODER(name)                                                              \
    QUANT_DEFINE(, quant_##name, name##_blocks)                                          \
    QUANT_DEFINE(QUANT_AVX2, quant_##name##_avx2, name##_blocks)
#else
#define QUANT_DECODER(name) QUANT_DEFINE(, quant_##name, name##_blocks)
#endif

/* The same, given NAME_block, which decodes one block of size bytes to n values. */
#define QUANT_BLOCK_DECODER(name, n, size)                                               \
    QUANT_INLINE void name##_blocks(const uint8_t *restrict bytes, size_t n_blocks,      \
                                    float *restrict out, bool big_endian)                \
    {                                                                                    \
        for (size_t i = 0; i < n_blocks; i++)                                            \
            name##_block(bytes + i * (size), out + i * (n), big_endian);                 \
    }                                                                                    \
    QUANT_DECODER(name)

#define QUANT_DECLARE(id, name) quant_decode_fn quant_##name, quant_##name##_avx2;
QUANT_TYPES(QUANT_DECLARE)

/* The decoder for all machines, or the one for AVX2 (NULL where it was not built). */
quant_decode_fn *quant_decoder_of(uint32_t type_id, bool avx2);

QUANT_INLINE float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

QUANT_INLINE uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The float that a half is, exactly; signalling NaNs become quiet and keep their
 * payload. As base/half.h has it, but with masks for branches, so that loops over
 * halves vectorise. */
QUANT_INLINE uint32_t bits_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t magnitude = half & 0x7fff;
    uint32_t is_subnormal = -(uint32_t)(magnitude < 0x0400);
    uint32_t is_infinite = -(uint32_t)(magnitude >= 0x7c00); /* or NaN */
    uint32_t is_nan = -(uint32_t)(magnitude > 0x7c00);
    uint32_t subnormal = bits_of_float((float)(int32_t)magnitude * 0x1p-24f);
    uint32_t normal = (magnitude << 13) + (112u << 23) + (is_infinite & 112u << 23);
    return sign | (is_subnormal & subnormal) | (~is_subnormal & normal) |
           (is_nan & 1u << 22);
}

/* The same for a single one, such as a scale: nearly all are normal, which is quick to
 * tell. */
QUANT_INLINE float load_half(const uint8_t *p, bool big_endian)
{
    uint16_t half = load_u16(p, big_endian);
    uint32_t magnitude = half & 0x7fff;
    if (magnitude - 0x0400 >= 0x7800)
        return float_of_bits(bits_of_half(half));
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    return float_of_bits(sign | ((magnitude << 13) + (112u << 23)));
}

/* x with its sign flipped where bit (0 or 1) is set, be it zero or NaN. */
QUANT_INLINE float negate_if(float x, uint32_t bit)
{
    return float_of_bits(bits_of_float(x) ^ bit << 31);
}

/* 2n codes of four bits in n bytes: all the low ones, then all the high ones. table
 * has what each of the sixteen codes means. */
QUANT_INLINE void look_up_nibbles(float *restrict out, const uint8_t *restrict codes,
                                  int n, float scale, const int8_t *restrict table)
{
    float value[16];
    for (int i = 0; i < 16; i++)
        value[i] = scale * table[i];
    for (int i = 0; i < n; i++) {
        out[i] = value[codes[i] & 15];
        out[n + i] = value[codes[i] >> 4];
    }
}

#endif
