/* SPDX-License-Identifier: MIT */
/* Arithmetic on numbers that come out of a file. Each function is true where the
 * result fits and false where it does not; *result is then left alone. Nothing here
 * divides by zero. */

#ifndef GGUFS_BASE_CHECKED_H
#define GGUFS_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add(uint64_t a, uint64_t b, uint64_t *result)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *result = sum;
    return true;
}

static inline bool checked_mul(uint64_t a, uint64_t b, uint64_t *result)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *result = product;
    return true;
}

/* value rounded up to a multiple of alignment (any number but 0, not only powers of
 * two). */
static inline bool checked_align(uint64_t value, uint64_t alignment, uint64_t *result)
{
    uint64_t rest = value % alignment;
    if (rest == 0) {
        *result = value;
        return true;
    }
    return checked_add(value, alignment - rest, result);
}

#endif
