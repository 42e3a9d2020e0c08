/* SPDX-License-Identifier: MIT */
/* Half-precision floats, done on their bits, so that every machine gives the same:
 *
 *     half     s eeeee mmmmmmmmmm                   bias 15
 *     float    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm   bias 127
 *     bfloat   s eeeeeeee mmmmmmm                   a float's upper half */

#include "base/half.h"

#include <string.h>

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t mantissa = half & 0x3ff;
    if (exponent == 0x1f) {
        uint32_t quiet = mantissa ? 0x400000 : 0;
        return bits_float(sign | 0x7f800000 | quiet | mantissa << 13);
    }
    if (exponent == 0) { /* zero or subnormal: so many times 2^-24 */
        float size = (float)mantissa * 0x1p-24f;
        return bits_float(sign | float_bits(size));
    }
    return bits_float(sign | (exponent + 112) << 23 | mantissa << 13);
}

/* value / 2^shift, to nearest, to even in the middle; shift is 1 to 31. */
static uint32_t shift_to_even(uint32_t value, unsigned shift)
{
    uint32_t result = value >> shift;
    uint32_t rest = value & ((1u << shift) - 1);
    uint32_t middle = 1u << (shift - 1);
    return result + (rest > middle || (rest == middle && (result & 1)));
}

uint16_t float_to_half(float value)
{
    uint32_t bits = float_bits(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (rest >> 13 & 0x3ff));
    if (rest >= 0x477ff000) /* 65520 and above round to 2^16 */
        return sign | 0x7c00;
    if (rest >=
        0x38800000) /* 2^-14: a carry out of the mantissa rightly ups the exponent */
        return (uint16_t)(sign | shift_to_even(rest - (112u << 23), 13));
    if (rest < 0x33000000) /* below 2^-25, half of the smallest */
        return sign;
    uint32_t mantissa = (rest & 0x7fffff) | 0x800000;
    return (uint16_t)(sign | shift_to_even(mantissa, 126 - (rest >> 23)));
}

uint16_t float_to_bfloat(float value)
{
    uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)shift_to_even(bits, 16);
}
