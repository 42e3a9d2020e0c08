/* SPDX-License-Identifier: MIT */
/* Numbers laid out as text. What the digits of a float are is found in shortest.c. */

#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/shortest.h"

size_t decimal_u64(char *out, uint64_t value)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[sizeof(digits) - ++n] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    memcpy(out, digits + sizeof(digits) - n, n);
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

/* digits with a point before the last n_behind; with zeros in front where they are
 * fewer. */
static size_t put_fraction(char *out, const char *digits, size_t n, size_t n_behind)
{
    char *end = out;
    if (n_behind >= n) {
        *end++ = '0';
        *end++ = '.';
        memset(end, '0', n_behind - n);
        end += n_behind - n;
    } else {
        memcpy(end, digits, n - n_behind);
        end += n - n_behind;
        *end++ = '.';
        digits += n - n_behind;
        n = n_behind;
    }
    memcpy(end, digits, n);
    end[n] = '\0';
    return (size_t)(end + n - out);
}

static size_t put_whole(char *out, const char *digits, size_t n, size_t n_zeros)
{
    memcpy(out, digits, n);
    memset(out + n, '0', n_zeros);
    out[n + n_zeros] = '\0';
    return n + n_zeros;
}

static size_t put_scientific(char *out, const char *digits, size_t n, int exponent)
{
    char *end = out + (n > 1 ? put_fraction(out, digits, n, n - 1)
                             : put_whole(out, digits, n, 0));
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    *end++ = 'e';
    *end++ = exponent < 0 ? '-' : '+';
    if (size < 10)
        *end++ = '0';
    end += decimal_u64(end, size);
    return (size_t)(end - out);
}

static size_t put_shortest(char *out, struct shortest s)
{
    char digits[DECIMAL_MAX];
    size_t n = decimal_u64(digits, s.digits);
    int first = (int)n - 1 + s.exponent; /* the power of ten of the first digit */
    if (first < DECIMAL_FIXED_FROM || first >= DECIMAL_FIXED_TO)
        return put_scientific(out, digits, n, first);
    if (s.exponent < 0)
        return put_fraction(out, digits, n, (size_t)-s.exponent);
    return put_whole(out, digits, n, (size_t)s.exponent);
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
