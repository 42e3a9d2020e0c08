/* SPDX-License-Identifier: MIT */
/* Shortest digits of a float in integer arithmetic, after R. Giulietti's "The
 * Schubfach way to render doubles": of the numbers that read back to the float some
 * lie on the grid of 10^k, at most one on that of 10^(k+1), and both are found by
 * scaling the float and the two ends of its rounding interval by 10^-k once. Doubles
 * are rare in models: those ask the C library. */

#include "base/shortest.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_POWER (-31)

/* 10^n scaled to [2^63, 2^64), rounded up. */
static const uint64_t powers[] = {
    0x81ceb32c4b43fcf5, /* 10^-31 */
    0xa2425ff75e14fc32, /* 10^-30 */
    0xcad2f7f5359a3b3f, /* 10^-29 */
    0xfd87b5f28300ca0e, /* 10^-28 */
    0x9e74d1b791e07e49, /* 10^-27 */
    0xc612062576589ddb, /* 10^-26 */
    0xf79687aed3eec552, /* 10^-25 */
    0x9abe14cd44753b53, /* 10^-24 */
    0xc16d9a0095928a28, /* 10^-23 */
    0xf1c90080baf72cb2, /* 10^-22 */
    0x971da05074da7bef, /* 10^-21 */
    0xbce5086492111aeb, /* 10^-20 */
    0xec1e4a7db69561a6, /* 10^-19 */
    0x9392ee8e921d5d08, /* 10^-18 */
    0xb877aa3236a4b44a, /* 10^-17 */
    0xe69594bec44de15c, /* 10^-16 */
    0x901d7cf73ab0acda, /* 10^-15 */
    0xb424dc35095cd810, /* 10^-14 */
    0xe12e13424bb40e14, /* 10^-13 */
    0x8cbccc096f5088cc, /* 10^-12 */
    0xafebff0bcb24aaff, /* 10^-11 */
    0xdbe6fecebdedd5bf, /* 10^-10 */
    0x89705f4136b4a598, /* 10^-9 */
    0xabcc77118461cefd, /* 10^-8 */
    0xd6bf94d5e57a42bd, /* 10^-7 */
    0x8637bd05af6c69b6, /* 10^-6 */
    0xa7c5ac471b478424, /* 10^-5 */
    0xd1b71758e219652c, /* 10^-4 */
    0x83126e978d4fdf3c, /* 10^-3 */
    0xa3d70a3d70a3d70b, /* 10^-2 */
    0xcccccccccccccccd, /* 10^-1 */
    0x8000000000000000, /* 10^0 exact */
    0xa000000000000000, /* 10^1 exact */
    0xc800000000000000, /* 10^2 exact */
    0xfa00000000000000, /* 10^3 exact */
    0x9c40000000000000, /* 10^4 exact */
    0xc350000000000000, /* 10^5 exact */
    0xf424000000000000, /* 10^6 exact */
    0x9896800000000000, /* 10^7 exact */
    0xbebc200000000000, /* 10^8 exact */
    0xee6b280000000000, /* 10^9 exact */
    0x9502f90000000000, /* 10^10 exact */
    0xba43b74000000000, /* 10^11 exact */
    0xe8d4a51000000000, /* 10^12 exact */
    0x9184e72a00000000, /* 10^13 exact */
    0xb5e620f480000000, /* 10^14 exact */
    0xe35fa931a0000000, /* 10^15 exact */
    0x8e1bc9bf04000000, /* 10^16 exact */
    0xb1a2bc2ec5000000, /* 10^17 exact */
    0xde0b6b3a76400000, /* 10^18 exact */
    0x8ac7230489e80000, /* 10^19 exact */
    0xad78ebc5ac620000, /* 10^20 exact */
    0xd8d726b7177a8000, /* 10^21 exact */
    0x878678326eac9000, /* 10^22 exact */
    0xa968163f0a57b400, /* 10^23 exact */
    0xd3c21bcecceda100, /* 10^24 exact */
    0x84595161401484a0, /* 10^25 exact */
    0xa56fa5b99019a5c8, /* 10^26 exact */
    0xcecb8f27f4200f3a, /* 10^27 exact */
    0x813f3978f8940985, /* 10^28 */
    0xa18f07d736b90be6, /* 10^29 */
    0xc9f2c9cd04674edf, /* 10^30 */
    0xfc6f7c4045812297, /* 10^31 */
    0x9dc5ada82b70b59e, /* 10^32 */
    0xc5371912364ce306, /* 10^33 */
    0xf684df56c3e01bc7, /* 10^34 */
    0x9a130b963a6c115d, /* 10^35 */
    0xc097ce7bc90715b4, /* 10^36 */
    0xf0bdc21abb48db21, /* 10^37 */
    0x96769950b50d88f5, /* 10^38 */
    0xbc143fa4e250eb32, /* 10^39 */
    0xeb194f8e1ae525fe, /* 10^40 */
    0x92efd1b8d0cf37bf, /* 10^41 */
    0xb7abc627050305ae, /* 10^42 */
    0xe596b7b0c643c71a, /* 10^43 */
    0x8f7e32ce7bea5c70, /* 10^44 */
    0xb35dbf821ae4f38c, /* 10^45 */
};

/* Exact for the exponents of floats. */
static int floor_log10_pow2(int e)
{
    return (e * 1262611) >> 22;
}

static int floor_log10_three_quarters_pow2(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static int floor_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* power * value / 2^64, with the lowest bit set where the result is not a whole
 * number. The power is up to one too large, which shows in no more than the lowest bit
 * of the part looked at. */
static uint32_t scale(uint64_t power, uint32_t value)
{
    uint64_t low = (power & UINT32_MAX) * value;
    uint64_t high = (power >> 32) * value + (low >> 32);
    return (uint32_t)(high >> 32) | ((uint32_t)high > 1);
}

static struct shortest without_zeros(uint64_t digits, int exponent)
{
    while (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (struct shortest){digits, exponent};
}

/* Four times the float and the ends of what rounds to it, in units of 10^k; ends are
 * such that both still count as inside. */
struct scaled {
    uint32_t lower;
    uint32_t value;
    uint32_t upper;
};

static struct shortest pick(struct scaled v, int k)
{
    uint32_t s = v.value / 4;
    uint32_t tens = s / 10 * 10;
    bool tens_in = tens > 0 && v.lower <= 4 * tens;
    bool next_tens_in = 4 * tens + 40 <= v.upper;
    if (tens_in != next_tens_in)
        return without_zeros(tens + (next_tens_in ? 10 : 0), k);
    bool in = v.lower <= 4 * s;
    bool next_in = 4 * s + 4 <= v.upper;
    if (in != next_in)
        return without_zeros(s + next_in, k);
    uint32_t middle = 4 * s + 2;
    bool up = v.value > middle || (v.value == middle && (s & 1));
    return without_zeros(s + up, k);
}

struct shortest shortest_f32(uint32_t bits)
{
    uint32_t mantissa = bits & 0x7fffff;
    int biased = (int)(bits >> 23 & 0xff);
    uint32_t c = biased ? mantissa | 0x800000 : mantissa;
    int q = (biased ? biased : 1) - 150;
    bool narrow = mantissa == 0 && biased > 1; /* half the room below a power of two */
    int k = narrow ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int shift = q + floor_log2_pow10(-k) + 1; /* 1 to 4 */
    uint64_t power = powers[-k - FIRST_POWER];
    uint32_t odd = c & 1; /* what lies on an end is read as the even neighbour */
    struct scaled scaled = {
        scale(power, (4 * c - 2 + narrow) << shift) + odd,
        scale(power, (4 * c) << shift),
        scale(power, (4 * c + 2) << shift) - odd,
    };
    return pick(scaled, k);
}

/* What "%.*e" printed, without its point (whatever the locale has for one). */
static struct shortest parse_scientific(const char *text)
{
    struct shortest result = {0, 0};
    int behind_point = -1;
    for (; *text != 'e'; text++)
        if (*text >= '0' && *text <= '9') {
            result.digits = result.digits * 10 + (uint64_t)(*text - '0');
            behind_point++;
        }
    result.exponent = atoi(text + 1) - behind_point;
    return result;
}

static bool reads_back(struct shortest s, double value)
{
    char text[48];
    snprintf(text, sizeof(text), "%llue%d", (unsigned long long)s.digits, s.exponent);
    return strtod(text, NULL) == value;
}

/* So many digits, nearest to value; false where they do not read back. At a power of two
 * there is more room above than below: the next digits up may do where the nearest do
 * not. */
static bool try_digits(double value, int n, struct shortest *s)
{
    char text[48];
    snprintf(text, sizeof(text), "%.*e", n - 1, value);
    *s = parse_scientific(text);
    if (strtod(text, NULL) == value)
        return true;
    int exponent;
    if (frexp(value, &exponent) != 0.5)
        return false;
    s->digits++;
    return reads_back(*s, value);
}

/* 15 digits are always kept by a double (but by the smallest, which have fewer bits), 17
 * always tell it from others. */
struct shortest shortest_f64(double value)
{
    struct shortest s;
    int n = value < DBL_MIN ? 1 : 15;
    while (!try_digits(value, n, &s))
        n++;
    return without_zeros(s.digits, s.exponent);
}
