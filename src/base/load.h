/* SPDX-License-Identifier: MIT */
/* Numbers out of bytes at any address, in either byte order. Knows nothing of bounds: the
 * caller has checked them. */

#ifndef GGUFS_BASE_LOAD_H
#define GGUFS_BASE_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const uint8_t *p, bool big_endian)
{
    uint16_t v;
    memcpy(&v, p, sizeof(v));
    return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v
                                                                  : __builtin_bswap16(v);
}

static inline uint32_t load_u32(const uint8_t *p, bool big_endian)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v
                                                                  : __builtin_bswap32(v);
}

static inline uint64_t load_u64(const uint8_t *p, bool big_endian)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v
                                                                  : __builtin_bswap64(v);
}

static inline void store_u16(uint8_t *p, uint16_t v, bool big_endian)
{
    v = load_u16((const uint8_t *)&v, big_endian);
    memcpy(p, &v, sizeof(v));
}

static inline void store_u32(uint8_t *p, uint32_t v, bool big_endian)
{
    v = load_u32((const uint8_t *)&v, big_endian);
    memcpy(p, &v, sizeof(v));
}

static inline void store_u64(uint8_t *p, uint64_t v, bool big_endian)
{
    v = load_u64((const uint8_t *)&v, big_endian);
    memcpy(p, &v, sizeof(v));
}

#endif
