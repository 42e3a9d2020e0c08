/* SPDX-License-Identifier: MIT */
/* The shortest decimal digits that read back to the same float. Knows nothing of how
 * they are laid out as text (decimal.c). */

#ifndef GGUFS_BASE_SHORTEST_H
#define GGUFS_BASE_SHORTEST_H

#include <stdint.h>

/* digits * 10^exponent; no zero at the end of digits, which are below 10^17. */
struct shortest {
    uint64_t digits;
    int exponent;
};

/* bits: of a finite float above zero. Of several shortest the nearest to it. */
struct shortest shortest_f32(uint32_t bits);
/* value: finite and above zero. */
struct shortest shortest_f64(double value);

#endif
