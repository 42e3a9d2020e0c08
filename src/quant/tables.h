/* SPDX-License-Identifier: MIT */
/* The number tables of the types that look values up. The numbers are in tables/ (one
 * file a table, of the same name) and become C at build time; shapes are checked
 * against these declarations then. */

#ifndef GGUFS_QUANT_TABLES_H
#define GGUFS_QUANT_TABLES_H

#include <stdint.h>

/* Magnitudes of eight values, by row number. */
extern const uint8_t quant_grid_iq2_xxs[256][8];
extern const uint8_t quant_grid_iq2_xs[512][8];
extern const uint8_t quant_grid_iq2_s[1024][8];
/* Magnitudes of four values. */
extern const uint8_t quant_grid_iq3_xxs[256][4];
extern const uint8_t quant_grid_iq3_s[512][4];
/* Eight values of -1, 0, 1. */
extern const int8_t quant_grid_iq1[2048][8];

/* Sign bytes with an even number of ones, by their low seven bits. */
extern const uint8_t quant_signs_even[128];

/* Values of a four-bit code: IQ4's uneven ones, and E2M1's doubled. */
extern const int8_t quant_values_iq4_nl[16];
extern const int8_t quant_values_e2m1_x2[16];

/* Bits of the float that a scale byte means, halved since E2M1's values are doubled. */
extern const uint32_t quant_scale_e8m0_half[256];
extern const uint32_t quant_scale_ue4m3_half[256];

#endif
