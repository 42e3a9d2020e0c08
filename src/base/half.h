/* SPDX-License-Identifier: MIT */
/* Half-precision floats as ggml reads and writes them. */

#ifndef GGUFS_BASE_HALF_H
#define GGUFS_BASE_HALF_H

#include <stdint.h>

/* Exact. Signalling NaNs become quiet and keep their payload (as F16C does). */
float half_to_float(uint16_t half);
/* To nearest even; beyond the range infinity; NaN stays a quiet NaN. */
uint16_t float_to_half(float value);
/* bfloat16: to nearest even; NaN stays a quiet NaN. */
uint16_t float_to_bfloat(float value);

#endif
