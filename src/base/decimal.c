/* SPDX-License-Identifier: MIT */
/* Numbers laid out as text. What the digits of a float are is found in shortest.c. */

#include "base/decimal.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/shortest.h"

static size_t count_digits(uint64_t value)
{
    size_t n = 1;
    for (; value >= 10000; value /= 10000)
        n += 4;
    return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* The last n digits of value, two at a time; returns what is in front of them. */
static uint64_t put_digits(char *out, uint64_t value, size_t n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (; n >= 2; n -= 2, value /= 100)
        memcpy(out + n - 2, pairs + 2 * (value % 100), 2);
    if (n == 0)
        return value;
    out[0] = (char)('0' + value % 10);
    return value / 10;
}

size_t decimal_u64(char *out, uint64_t value)
{
    size_t n = count_digits(value);
    put_digits(out, value, n);
    out[n] = '\0';
    return n;
}

size_t decimal_i64(char *out, int64_t value)
{
    if (value >= 0)
        return decimal_u64(out, (uint64_t)value);
    out[0] = '-';
    return 1 + decimal_u64(out + 1, 0 - (uint64_t)value);
}

static size_t put(char *out, const char *text)
{
    size_t n = strlen(text);
    memcpy(out, text, n + 1);
    return n;
}

/* first is the power of ten of the first digit. */
static size_t put_scientific(char *out, uint64_t digits, size_t n, int first)
{
    unsigned size = (unsigned)(first < 0 ? -first : first);
    uint64_t rest = put_digits(out + 2, digits, n - 1);
    out[0] = (char)('0' + rest);
    out[1] = '.';
    char *end = out + (n > 1 ? n + 1 : 1);
    *end++ = 'e';
    *end++ = first < 0 ? '-' : '+';
    if (size < 10)
        *end++ = '0';
    return (size_t)(end - out) + decimal_u64(end, size);
}

/* With a point among the digits, or "0." and zeros before them. */
static size_t put_fraction(char *out, uint64_t digits, size_t n, int first)
{
    size_t before = first < 0 ? 0 : (size_t)first + 1;
    size_t length = first < 0 ? n + (size_t)(1 - first) : n + 1;
    uint64_t rest = put_digits(out + length - (n - before), digits, n - before);
    static_assert(DECIMAL_FIXED_FROM == -4, "zeros are too few or too many");
    if (before == 0)
        memcpy(out, "0.000", length - n);
    else
        out[before] = '.';
    put_digits(out, rest, before);
    out[length] = '\0';
    return length;
}

static size_t put_whole(char *out, uint64_t digits, size_t n, size_t n_zeros)
{
    put_digits(out, digits, n);
    memset(out + n, '0', n_zeros);
    out[n + n_zeros] = '\0';
    return n + n_zeros;
}

static size_t put_shortest(char *out, struct shortest s)
{
    size_t n = count_digits(s.digits);
    int first = (int)n - 1 + s.exponent;
    if (first < DECIMAL_FIXED_FROM || first >= DECIMAL_FIXED_TO)
        return put_scientific(out, s.digits, n, first);
    if (s.exponent < 0)
        return put_fraction(out, s.digits, n, first);
    return put_whole(out, s.digits, n, (size_t)s.exponent);
}

/* Zero, NaN and the infinities, which have no digits: 0 for all other numbers. */
static size_t put_special(char *out, double value)
{
    if (isnan(value))
        return put(out, "nan");
    if (isinf(value))
        return put(out, value < 0 ? "-inf" : "inf");
    if (value == 0)
        return put(out, signbit(value) ? "-0" : "0");
    return 0;
}

size_t decimal_f32(char *out, float value)
{
    size_t n = put_special(out, (double)value);
    if (n > 0)
        return n;
    if (value < 0)
        out[n++] = '-';
    value = fabsf(value);
    if (value < 0x1p24f && value == (float)(uint32_t)value)
        return n + decimal_u64(out + n, (uint32_t)value);
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return n + put_shortest(out + n, shortest_f32(bits));
}

size_t decimal_f64(char *out, double value)
{
    size_t n = put_special(out, value);
    if (n > 0)
        return n;
    if (value < 0)
        out[n++] = '-';
    value = fabs(value);
    if (value < 0x1p53 && value == (double)(uint64_t)value)
        return n + decimal_u64(out + n, (uint64_t)value);
    return n + put_shortest(out + n, shortest_f64(value));
}
