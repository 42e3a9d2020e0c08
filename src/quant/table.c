/* SPDX-License-Identifier: MIT */
/* The decoder of a type, for the machine that this runs on. */

#include "quant/decoders.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define FOR_ALL(id, name) [id] = quant_##name,
static quant_decode_fn *const for_all[] = {QUANT_TYPES(FOR_ALL)};

#ifdef QUANT_AVX2
#define FOR_AVX2(id, name) [id] = quant_##name##_avx2,
static quant_decode_fn *const for_avx2[] = {QUANT_TYPES(FOR_AVX2)};
#endif

quant_decode_fn *quant_decoder_of(uint32_t type_id, bool avx2)
{
    if (type_id >= COUNT(for_all))
        return NULL;
    if (!avx2)
        return for_all[type_id];
#ifdef QUANT_AVX2
    return for_avx2[type_id];
#else
    return NULL;
#endif
}

quant_decode_fn *quant_decoder(uint32_t type_id)
{
#ifdef QUANT_AVX2
    return quant_decoder_of(type_id, __builtin_cpu_supports("avx2"));
#else
    return quant_decoder_of(type_id, false);
#endif
}
