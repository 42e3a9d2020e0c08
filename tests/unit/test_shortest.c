/* SPDX-License-Identifier: MIT */
/* Shortest digits: they read back to the same float, and no fewer do. All exponents of
 * a float are tried, with the mantissas at both ends and many between. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return *seed >> 16;
}

static int count_digits(uint64_t digits)
{
    int n = 1;
    while (digits >= 10) {
        digits /= 10;
        n++;
    }
    return n;
}

static void check_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    struct shortest s = shortest_f32(bits);
    char text[64];
    snprintf(text, sizeof(text), "%llue%d", (unsigned long long)s.digits, s.exponent);
    if (strtof(text, NULL) != value || s.digits % 10 == 0)
        fail_msg("%08x: %s", bits, text);
    int n = count_digits(s.digits);
    if (n == 1)
        return;
    /* With one digit less the nearest does not read back. At n digits ours is the
     * nearest, but where a power of two has less room below. */
    snprintf(text, sizeof(text), "%.*e", n - 2, (double)value);
    if (strtof(text, NULL) == value)
        fail_msg("%08x: %s is shorter", bits, text);
    char ours[64];
    snprintf(text, sizeof(text), "%.*e", n - 1, (double)value);
    snprintf(ours, sizeof(ours), "%.*e", n - 1, (double)s.digits * pow(10, s.exponent));
    if ((bits & 0x7fffff) != 0 && strcmp(text, ours) != 0)
        fail_msg("%08x: %s is nearer than %s", bits, text, ours);
}

static void test_f32_all_exponents(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        for (uint32_t i = 0; i < 64; i++) {
            if (exponent + i > 0)
                check_f32(exponent << 23 | i);
            check_f32(exponent << 23 | (0x7fffff - i));
        }
        for (int i = 0; i < 600; i++)
            check_f32(exponent << 23 | ((uint32_t)next_random(&seed) & 0x7fffff) | 1);
    }
}

/* Floats that are a few decimal digits give those digits. */
static void test_f32_short_decimals(void **state)
{
    (void)state;
    for (int exponent = -40; exponent <= 30; exponent++)
        for (uint64_t digits = 1; digits < 1000; digits += 2) {
            if (digits % 10 == 0)
                continue;
            char text[32];
            snprintf(text, sizeof(text), "%llue%d", (unsigned long long)digits, exponent);
            float value = strtof(text, NULL);
            if (!isnormal(value))
                continue;
            uint32_t bits;
            memcpy(&bits, &value, sizeof(bits));
            struct shortest s = shortest_f32(bits);
            assert_int_equal(s.digits, digits);
            assert_int_equal(s.exponent, exponent);
        }
}

static void check_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    struct shortest s = shortest_f64(value);
    char text[64];
    snprintf(text, sizeof(text), "%llue%d", (unsigned long long)s.digits, s.exponent);
    if (strtod(text, NULL) != value || s.digits % 10 == 0)
        fail_msg("%016llx: %s", (unsigned long long)bits, text);
    int n = count_digits(s.digits);
    if (n == 1)
        return;
    snprintf(text, sizeof(text), "%.*e", n - 2, value);
    if (strtod(text, NULL) == value)
        fail_msg("%016llx: %s is shorter", (unsigned long long)bits, text);
}

static void test_f64_all_exponents(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        if (exponent > 0)
            check_f64(exponent << 52);
        check_f64(exponent << 52 | 1);
        check_f64(exponent << 52 | UINT64_C(0xfffffffffffff));
        for (int i = 0; i < 20; i++)
            check_f64(exponent << 52 |
                      (next_random(&seed) << 4 & UINT64_C(0xfffffffffffff)) | 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32_all_exponents),
        cmocka_unit_test(test_f32_short_decimals),
        cmocka_unit_test(test_f64_all_exponents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
