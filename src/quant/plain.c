/* SPDX-License-Identifier: MIT */
/* Types whose values stand alone: floats and integers. Conversions are those of a C
 * cast, to nearest even; what is a float already keeps its bits. */

#include "quant/decoders.h"

QUANT_INLINE void f32_value(const uint8_t *b, float *out, bool big_endian)
{
    uint32_t bits = load_u32(b, big_endian);
    memcpy(out, &bits, sizeof(bits)); /* as bits: a signalling NaN stays one */
}

QUANT_INLINE void f16_value(const uint8_t *b, float *out, bool big_endian)
{
    uint32_t bits = bits_of_half(load_u16(b, big_endian));
    memcpy(out, &bits, sizeof(bits));
}

QUANT_INLINE void bf16_value(const uint8_t *b, float *out, bool big_endian)
{
    uint32_t bits = (uint32_t)load_u16(b, big_endian) << 16;
    memcpy(out, &bits, sizeof(bits));
}

QUANT_INLINE void f64_value(const uint8_t *b, float *out, bool big_endian)
{
    uint64_t bits = load_u64(b, big_endian);
    double value;
    memcpy(&value, &bits, sizeof(value));
    *out = (float)value;
}

QUANT_INLINE void i8_value(const uint8_t *b, float *out, bool big_endian)
{
    (void)big_endian;
    *out = (int8_t)*b;
}

QUANT_INLINE void i16_value(const uint8_t *b, float *out, bool big_endian)
{
    *out = (int16_t)load_u16(b, big_endian);
}

QUANT_INLINE void i32_value(const uint8_t *b, float *out, bool big_endian)
{
    *out = (float)(int32_t)load_u32(b, big_endian);
}

QUANT_INLINE void i64_value(const uint8_t *b, float *out, bool big_endian)
{
    *out = (float)(int64_t)load_u64(b, big_endian);
}

/* One value a block, so that values are taken in runs of RUN, which vectorise. */
#define RUN 16
#define PLAIN_DECODER(name, size)                                                        \
    QUANT_INLINE void name##_runs(const uint8_t *restrict b, size_t n,                   \
                                  float *restrict out, bool big_endian)                  \
    {                                                                                    \
        for (; n >= RUN; n -= RUN, b += RUN * (size), out += RUN)                        \
            for (int i = 0; i < RUN; i++)                                                \
                name##_value(b + i * (size), out + i, big_endian);                       \
        for (; n > 0; n--, b += (size), out++)                                           \
            name##_value(b, out, big_endian);                                            \
    }                                                                                    \
    QUANT_INLINE void name##_blocks(const uint8_t *restrict bytes, size_t n_blocks,      \
                                    float *restrict out, bool big_endian)                \
    {                                                                                    \
        if (big_endian)                                                                  \
            name##_runs(bytes, n_blocks, out, true);                                     \
        else                                                                             \
            name##_runs(bytes, n_blocks, out, false);                                    \
    }                                                                                    \
    QUANT_DECODER(name)

PLAIN_DECODER(f32, 4)
PLAIN_DECODER(f16, 2)
PLAIN_DECODER(bf16, 2)
PLAIN_DECODER(f64, 8)
PLAIN_DECODER(i8, 1)
PLAIN_DECODER(i16, 2)
PLAIN_DECODER(i32, 4)
PLAIN_DECODER(i64, 8)
