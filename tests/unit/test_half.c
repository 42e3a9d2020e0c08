/* SPDX-License-Identifier: MIT */
/* Half floats: all 65536 of them against what their bits mean, and the rounding of
 * floats. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/half.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* What the format says: sign, (1 or 0).mantissa, 2^(exponent - 15). */
static float meaning(uint32_t half)
{
    int exponent = (int)(half >> 10 & 31);
    int mantissa = (int)(half & 1023);
    float size = exponent == 31  ? INFINITY
                 : exponent == 0 ? ldexpf((float)mantissa, -24)
                                 : ldexpf((float)(1024 + mantissa), exponent - 25);
    return half & 0x8000 ? -size : size;
}

static void test_every_half(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 65536; half++) {
        uint32_t bits = bits_of(half_to_float((uint16_t)half));
        uint32_t payload = half & 1023;
        if ((half >> 10 & 31) == 31 && payload != 0) {
            uint32_t sign = (half & 0x8000) << 16;
            assert_int_equal(bits, sign | 0x7fc00000 | payload << 13);
            assert_int_equal(float_to_half(float_of(bits)), half | 0x200);
        } else {
            assert_int_equal(bits, bits_of(meaning(half)));
            assert_int_equal(float_to_half(float_of(bits)), half);
        }
    }
}

/* Between each two neighbours: the middle goes to the even one, what is beside it to the
 * nearer. The neighbour of the largest half, 2^16, is infinity. */
static void test_every_middle(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 0x7c00; half++) {
        float low = half_to_float((uint16_t)half);
        float high = half == 0x7bff ? 65536.0f : half_to_float((uint16_t)(half + 1));
        float middle = low + (high - low) / 2; /* exact */
        for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000) {
            float s = sign ? -1.0f : 1.0f;
            uint32_t even = half + (half & 1);
            assert_int_equal(float_to_half(s * middle), sign | even);
            float below = float_of(bits_of(middle) - 1);
            float above = float_of(bits_of(middle) + 1);
            assert_int_equal(float_to_half(s * below), sign | half);
            assert_int_equal(float_to_half(s * above), sign | (half + 1));
        }
    }
}

static void test_half_ends(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        uint16_t half;
    } rows[] = {
        {0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x00000001, 0x0000},
        {0x33000000, 0x0000}, /* 2^-25, half of the smallest: to even */
        {0x33000001, 0x0001}, {0x477fe000, 0x7bff}, /* 65504, the largest */
        {0x477fefff, 0x7bff}, {0x477ff000, 0x7c00}, /* 65520 */
        {0x7f7fffff, 0x7c00}, {0x7f800000, 0x7c00}, {0xff800000, 0xfc00},
        {0x7fc00000, 0x7e00}, {0x7f800001, 0x7e00}, {0xff800001, 0xfe00},
        {0x7fffffff, 0x7fff},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(float_to_half(float_of(rows[i].bits)), rows[i].half);
}

static void test_bfloat(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        uint16_t bfloat;
    } rows[] = {
        {0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x3f800000, 0x3f80},
        {0x3f807fff, 0x3f80}, {0x3f808000, 0x3f80}, /* middle, even below */
        {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82}, /* middle, even above */
        {0x3f817fff, 0x3f81}, {0xbf818000, 0xbf82}, {0x00008000, 0x0000},
        {0x00018000, 0x0002}, {0x7f7fffff, 0x7f80}, {0x7f7f7fff, 0x7f7f},
        {0x7f800000, 0x7f80}, {0xff800000, 0xff80}, {0x7fc00000, 0x7fc0},
        {0x7f800001, 0x7fc0}, {0xff80ffff, 0xffc0}, {0x7fffffff, 0x7fff},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(float_to_bfloat(float_of(rows[i].bits)), rows[i].bfloat);
}

/* Every bfloat16 is a float, and comes back as it was. */
static void test_every_bfloat(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < 65536; b++) {
        float value = float_of(b << 16);
        assert_int_equal(float_to_bfloat(value), isnan(value) ? b | 0x40 : b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_half),   cmocka_unit_test(test_every_middle),
        cmocka_unit_test(test_half_ends),    cmocka_unit_test(test_bfloat),
        cmocka_unit_test(test_every_bfloat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
