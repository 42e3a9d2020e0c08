/* SPDX-License-Identifier: MIT */
/* What IQ2 and IQ3 share: values are magnitudes out of a grid, of which some are
 * negative. Rows are short; several are put together in a run that is worth a vector
 * or more. */

#ifndef GGUFS_QUANT_SIGNED_RUN_H
#define GGUFS_QUANT_SIGNED_RUN_H

#include "quant/decoders.h"

/* n values, at most 32. Bit i of signs (1 is negative) goes with value i. */
QUANT_INLINE void signed_run(float *restrict out, int n, float scale,
                             const uint8_t *restrict magnitudes, uint32_t signs)
{
    for (int i = 0; i < n; i++)
        out[i] = negate_if(scale * (float)magnitudes[i], signs >> i & 1);
}

#endif
