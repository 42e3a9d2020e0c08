/* SPDX-License-Identifier: MIT */
/* The formulas of the tensor types, one function a type. d, dmin, m are a block's
 * scales, q is a code, g a group. Divisions are those of integers. */

#include "reference.h"

#include <math.h>
#include <string.h>

#include "quant/tables.h"

static int bits(uint32_t x, int p, int k)
{
    return (int)(x >> p & ((1u << k) - 1));
}

static uint64_t load(const uint8_t *p, int width)
{
    uint64_t x = 0;
    for (int i = width - 1; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
}

static uint32_t u16(const uint8_t *p)
{
    return (uint32_t)load(p, 2);
}

static uint32_t u32(const uint8_t *p)
{
    return (uint32_t)load(p, 4);
}

static float of_bits(uint32_t x)
{
    float value;
    memcpy(&value, &x, sizeof(value));
    return value;
}

static float half_of_bits(uint32_t h)
{
    int e = bits(h, 10, 5), m = bits(h, 0, 10);
    if (e == 31)
        return of_bits((h >> 15) << 31 | 0x7f800000 |
                       (m ? 0x00400000 | (uint32_t)m << 13 : 0));
    float magnitude = e == 0 ? ldexpf((float)m, -24) : ldexpf((float)(1024 + m), e - 25);
    return h >> 15 ? -magnitude : magnitude;
}

static float half(const uint8_t *p)
{
    return half_of_bits(u16(p));
}

static float neg(float x, int b)
{
    uint32_t y;
    memcpy(&y, &x, sizeof(y));
    return of_bits(y ^ (uint32_t)b << 31);
}

static float f32(const uint8_t *b, int j)
{
    (void)j;
    return of_bits(u32(b));
}

static float f16(const uint8_t *b, int j)
{
    (void)j;
    return half(b);
}

static float bf16(const uint8_t *b, int j)
{
    (void)j;
    return of_bits(u16(b) << 16);
}

static float f64(const uint8_t *b, int j)
{
    (void)j;
    uint64_t x = load(b, 8);
    double value;
    memcpy(&value, &x, sizeof(value));
    return (float)value;
}

static float i8(const uint8_t *b, int j)
{
    return (int8_t)b[j];
}

static float i16(const uint8_t *b, int j)
{
    (void)j;
    return (int16_t)u16(b);
}

static float i32(const uint8_t *b, int j)
{
    (void)j;
    return (float)(int32_t)u32(b);
}

static float i64(const uint8_t *b, int j)
{
    (void)j;
    return (float)(int64_t)load(b, 8);
}

/* The code of the types whose 16 bytes have values 0..15 in the low nibbles. */
static int nibble(const uint8_t *qs, int j)
{
    return bits(qs[j % 16], 4 * (j / 16), 4);
}

static float q4_0(const uint8_t *b, int j)
{
    return half(b) * (float)(nibble(b + 2, j) - 8);
}

/* The sum is a step of its own, whatever the compiler thinks of fused ones. */
static float sum(volatile float a, volatile float b)
{
    return a + b;
}

static float q4_1(const uint8_t *b, int j)
{
    return sum(half(b) * (float)nibble(b + 4, j), half(b + 2));
}

static float q5_0(const uint8_t *b, int j)
{
    int q = nibble(b + 6, j) + 16 * bits(b[2 + j / 8], j % 8, 1);
    return half(b) * (float)(q - 16);
}

static float q5_1(const uint8_t *b, int j)
{
    int q = nibble(b + 8, j) + 16 * bits(b[4 + j / 8], j % 8, 1);
    return sum(half(b) * (float)q, half(b + 2));
}

static float q8_0(const uint8_t *b, int j)
{
    return half(b) * (float)(int8_t)b[2 + j];
}

static float q8_1(const uint8_t *b, int j)
{
    return half(b) * (float)(int8_t)b[4 + j];
}

static float q1_0(const uint8_t *b, int j)
{
    return neg(half(b), 1 - bits(b[2 + j / 8], j % 8, 1));
}

static float q2_0(const uint8_t *b, int j)
{
    return half(b) * (float)(bits(b[2 + j / 4], 2 * (j % 4), 2) - 1);
}

static float iq4_nl(const uint8_t *b, int j)
{
    return half(b) * (float)quant_values_iq4_nl[nibble(b + 2, j)];
}

static float mxfp4(const uint8_t *b, int j)
{
    float scale = ldexpf(1, b[0] - 128);
    return scale * (float)quant_values_e2m1_x2[nibble(b + 1, j)];
}

static float nvfp4(const uint8_t *b, int j)
{
    int x = b[j / 16], e = bits(x, 3, 4), m = bits(x, 0, 3);
    float scale = e == 0 ? ldexpf((float)m, -10) : ldexpf((float)(8 + m), e - 11);
    if (x == 0 || x == 127)
        scale = 0;
    int q = bits(b[4 + 8 * (j / 16) + j % 8], 4 * (j / 8 % 2), 4);
    return scale * (float)quant_values_e2m1_x2[q];
}

/* The two low bits of Q2_K, Q3_K, TQ2_0. */
static int two_bits(const uint8_t *qs, int j)
{
    return bits(qs[32 * (j / 128) + j % 32], 2 * (j / 32 % 4), 2);
}

static float q2_k(const uint8_t *b, int j)
{
    int g = j / 16;
    return sum(half(b + 80) * (float)bits(b[g], 0, 4) * (float)two_bits(b + 16, j),
               -(half(b + 82) * (float)bits(b[g], 4, 4)));
}

static float q3_k(const uint8_t *b, int j)
{
    int g = j / 16;
    const uint8_t *scales = b + 96;
    int s = bits(scales[g % 8], 4 * (g / 8), 4) +
            16 * bits(scales[8 + g % 4], 2 * (g / 4), 2) - 32;
    int q = two_bits(b + 32, j) + 4 * bits(b[j % 32], j / 32, 1) - 4;
    return half(b + 108) * (float)s * (float)q;
}

static int six_bit_scale(const uint8_t *s, int g)
{
    return g < 4 ? bits(s[g], 0, 6) : bits(s[g + 4], 0, 4) + 16 * bits(s[g - 4], 6, 2);
}

static int six_bit_minimum(const uint8_t *s, int g)
{
    return g < 4 ? bits(s[g + 4], 0, 6) : bits(s[g + 4], 4, 4) + 16 * bits(s[g], 6, 2);
}

static float with_minimum(const uint8_t *b, int g, int q)
{
    return sum(half(b) * (float)six_bit_scale(b + 4, g) * (float)q,
               -(half(b + 2) * (float)six_bit_minimum(b + 4, g)));
}

static float q4_k(const uint8_t *b, int j)
{
    int g = j / 32;
    return with_minimum(b, g, bits(b[16 + 32 * (j / 64) + j % 32], 4 * (g % 2), 4));
}

static float q5_k(const uint8_t *b, int j)
{
    int g = j / 32;
    int low = bits(b[48 + 32 * (j / 64) + j % 32], 4 * (g % 2), 4);
    return with_minimum(b, g, low + 16 * bits(b[16 + j % 32], g, 1));
}

static float q6_k(const uint8_t *b, int j)
{
    int low = bits(b[64 * (j / 128) + j % 64], 4 * (j / 64 % 2), 4);
    int high = bits(b[128 + 32 * (j / 128) + j % 32], 2 * (j / 32 % 4), 2);
    float scale = half(b + 208) * (float)(int8_t)b[192 + j / 16];
    return scale * (float)(low + 16 * high - 32);
}

static float q8_k(const uint8_t *b, int j)
{
    return of_bits(u32(b)) * (float)(int8_t)b[4 + j];
}

static float iq2_scale(const uint8_t *b, int nibble)
{
    return half(b) * (0.5f + (float)nibble) * 0.25f;
}

static float iq2_xxs(const uint8_t *b, int j)
{
    const uint8_t *qs = b + 2 + 8 * (j / 32);
    uint32_t w = u32(qs + 4);
    int r = j / 8 % 4;
    int sign = bits(quant_signs_even[bits(w, 7 * r, 7)], j % 8, 1);
    return neg(iq2_scale(b, bits(w, 28, 4)) * quant_grid_iq2_xxs[qs[r]][j % 8], sign);
}

static float iq2_xs(const uint8_t *b, int j)
{
    uint32_t h = u16(b + 2 + 2 * (j / 8));
    int sign = bits(quant_signs_even[bits(h, 9, 7)], j % 8, 1);
    float scale = iq2_scale(b, bits(b[66 + j / 32], 4 * (j / 16 % 2), 4));
    return neg(scale * quant_grid_iq2_xs[bits(h, 0, 9)][j % 8], sign);
}

static float iq2_s(const uint8_t *b, int j)
{
    int i = b[2 + j / 8] + 256 * bits(b[66 + j / 32], 2 * (j / 8 % 4), 2);
    float scale = iq2_scale(b, bits(b[74 + j / 32], 4 * (j / 16 % 2), 4));
    return neg(scale * quant_grid_iq2_s[i][j % 8], bits(b[34 + j / 8], j % 8, 1));
}

static float iq3_xxs(const uint8_t *b, int j)
{
    uint32_t w = u32(b + 66 + 4 * (j / 32));
    int sign = bits(quant_signs_even[bits(w, 7 * (j / 8 % 4), 7)], j % 8, 1);
    float scale = half(b) * (0.5f + (float)bits(w, 28, 4)) * 0.5f;
    return neg(scale * quant_grid_iq3_xxs[b[2 + j / 4]][j % 4], sign);
}

static float iq3_s(const uint8_t *b, int j)
{
    int i = b[2 + j / 4] + 256 * bits(b[66 + j / 32], j / 4 % 8, 1);
    float scale = half(b) * (float)(1 + 2 * bits(b[106 + j / 64], 4 * (j / 32 % 2), 4));
    return neg(scale * quant_grid_iq3_s[i][j % 4], bits(b[74 + j / 8], j % 8, 1));
}

static float iq1_s(const uint8_t *b, int j)
{
    uint32_t h = u16(b + 34 + 2 * (j / 32));
    int i = b[2 + j / 8] + 256 * bits(h, 3 * (j / 8 % 4), 3);
    float scale = half(b) * (float)(2 * bits(h, 12, 3) + 1);
    return scale * ((float)quant_grid_iq1[i][j % 8] + neg(0.125f, bits(h, 15, 1)));
}

static float iq1_m(const uint8_t *b, int j)
{
    uint32_t d = 0;
    for (int i = 0; i < 4; i++)
        d |= (u16(b + 48 + 2 * i) >> 12) << (4 * i);
    int x = bits(b[32 + j / 16], 4 * (j / 8 % 2), 4);
    int s = bits(u16(b + 48 + 2 * (j / 64)), 3 * (j / 16 % 4), 3);
    float shift = neg(0.125f, bits(x, 3, 1));
    float scale = half_of_bits(d) * (float)(2 * s + 1);
    return scale * ((float)quant_grid_iq1[b[j / 8] + 256 * bits(x, 0, 3)][j % 8] + shift);
}

static float iq4_xs(const uint8_t *b, int j)
{
    int g = j / 32;
    int s = bits(b[4 + g / 2], 4 * (g % 2), 4) + 16 * bits(u16(b + 2), 2 * g, 2) - 32;
    int q = bits(b[8 + 16 * g + j % 16], 4 * (j / 16 % 2), 4);
    return half(b) * (float)s * (float)quant_values_iq4_nl[q];
}

static float tq1_0(const uint8_t *b, int j)
{
    static const int powers[] = {1, 3, 9, 27, 81};
    int byte = j < 160 ? b[j % 32] : j < 240 ? b[32 + j % 16] : b[48 + j % 4];
    int k = j < 160 ? j / 32 : j < 240 ? (j - 160) / 16 : (j - 240) / 4;
    int t = 3 * (byte * powers[k] % 256) / 256;
    return half(b + 52) * (float)(t - 1);
}

static float tq2_0(const uint8_t *b, int j)
{
    return half(b + 64) * (float)(two_bits(b, j) - 1);
}

static const struct reference_type types[] = {
    {0, "F32", 1, 4, f32, {{0, 4, 1}}},
    {1, "F16", 1, 2, f16, {{0, 2, 1}}},
    {2, "Q4_0", 32, 18, q4_0, {{0, 2, 1}}},
    {3, "Q4_1", 32, 20, q4_1, {{0, 2, 2}}},
    {6, "Q5_0", 32, 22, q5_0, {{0, 2, 1}}},
    {7, "Q5_1", 32, 24, q5_1, {{0, 2, 2}}},
    {8, "Q8_0", 32, 34, q8_0, {{0, 2, 1}}},
    {9, "Q8_1", 32, 36, q8_1, {{0, 2, 2}}},
    {10, "Q2_K", 256, 84, q2_k, {{80, 2, 2}}},
    {11, "Q3_K", 256, 110, q3_k, {{108, 2, 1}}},
    {12, "Q4_K", 256, 144, q4_k, {{0, 2, 2}}},
    {13, "Q5_K", 256, 176, q5_k, {{0, 2, 2}}},
    {14, "Q6_K", 256, 210, q6_k, {{208, 2, 1}}},
    {15, "Q8_K", 256, 292, q8_k, {{0, 4, 1}, {260, 2, 16}}},
    {16, "IQ2_XXS", 256, 66, iq2_xxs, {{0, 2, 1}}},
    {17, "IQ2_XS", 256, 74, iq2_xs, {{0, 2, 33}}},
    {18, "IQ3_XXS", 256, 98, iq3_xxs, {{0, 2, 1}, {66, 4, 8}}},
    {19, "IQ1_S", 256, 50, iq1_s, {{0, 2, 1}, {34, 2, 8}}},
    {20, "IQ4_NL", 32, 18, iq4_nl, {{0, 2, 1}}},
    {21, "IQ3_S", 256, 110, iq3_s, {{0, 2, 1}}},
    {22, "IQ2_S", 256, 82, iq2_s, {{0, 2, 1}}},
    {23, "IQ4_XS", 256, 136, iq4_xs, {{0, 2, 2}}},
    {24, "I8", 1, 1, i8, {{0}}},
    {25, "I16", 1, 2, i16, {{0, 2, 1}}},
    {26, "I32", 1, 4, i32, {{0, 4, 1}}},
    {27, "I64", 1, 8, i64, {{0, 8, 1}}},
    {28, "F64", 1, 8, f64, {{0, 8, 1}}},
    {29, "IQ1_M", 256, 56, iq1_m, {{48, 2, 4}}},
    {30, "BF16", 1, 2, bf16, {{0, 2, 1}}},
    {34, "TQ1_0", 256, 54, tq1_0, {{52, 2, 1}}},
    {35, "TQ2_0", 256, 66, tq2_0, {{64, 2, 1}}},
    {39, "MXFP4", 32, 17, mxfp4, {{0}}},
    {40, "NVFP4", 64, 36, nvfp4, {{0}}},
    {41, "Q1_0", 128, 18, q1_0, {{0, 2, 1}}},
    {42, "Q2_0", 64, 18, q2_0, {{0, 2, 1}}},
};

const struct reference_type *reference_type_at(size_t i)
{
    return i < sizeof(types) / sizeof(*types) ? &types[i] : NULL;
}

const struct reference_type *reference_type(uint32_t id)
{
    const struct reference_type *type;
    for (size_t i = 0; (type = reference_type_at(i)) && type->id != id; i++)
        ;
    return type;
}

void reference_decode(const struct reference_type *type, const uint8_t *bytes,
                      size_t n_blocks, float *out)
{
    for (size_t i = 0; i < n_blocks; i++)
        for (int j = 0; j < type->n; j++) {
            float value = type->value(bytes + i * (size_t)type->size, j);
            memcpy(out++, &value, sizeof(value));
        }
}

static void swap_number(uint8_t *p, int width)
{
    for (int i = 0; i < width / 2; i++) {
        uint8_t byte = p[i];
        p[i] = p[width - 1 - i];
        p[width - 1 - i] = byte;
    }
}

void reference_swap(const struct reference_type *type, uint8_t *bytes, size_t n_blocks)
{
    for (size_t i = 0; i < n_blocks; i++, bytes += type->size)
        for (const struct reference_field *f = type->fields; f->width; f++)
            for (int k = 0; k < f->count; k++)
                swap_number(bytes + f->offset + k * f->width, f->width);
}

bool reference_equal(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool both_nan = isnan(a[i]) && isnan(b[i]);
        if (!both_nan && memcmp(a + i, b + i, sizeof(*a)) != 0)
            return false;
    }
    return true;
}
