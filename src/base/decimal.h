/* SPDX-License-Identifier: MIT */
/* Numbers as text, whatever the locale. */

#ifndef GGUFS_BASE_DECIMAL_H
#define GGUFS_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define DECIMAL_MAX 32 /* room for any of these, with a NUL */

/* Floats are laid out as Python's repr does it, but without ".0": plain digits where
 * the power of ten of the first digit lies in [FROM, TO), else with an exponent of at
 * least two digits. */
#define DECIMAL_FIXED_FROM (-4)
#define DECIMAL_FIXED_TO   16

/* Each writes to out (DECIMAL_MAX bytes), ends it in NUL and returns the length.
 * Floats: the shortest digits that read back to the same value of that width (of
 * several the nearest), as "1", "-0", "0.1", "1e-05", "100000", "1.5e+20"; "nan" (no
 * sign), "inf", "-inf". */
size_t decimal_u64(char *out, uint64_t value);
size_t decimal_i64(char *out, int64_t value);
size_t decimal_f32(char *out, float value);
size_t decimal_f64(char *out, double value);

#endif
