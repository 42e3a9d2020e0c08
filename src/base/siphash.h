/* SPDX-License-Identifier: MIT */
/* SipHash-2-4 (Aumasson and Bernstein): a hash that nobody who does not know the key
 * can make collide on purpose. */

#ifndef GGUFS_BASE_SIPHASH_H
#define GGUFS_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
    uint64_t k0, k1;
};

uint64_t siphash(struct siphash_key key, const void *bytes, size_t length);
/* A key that was drawn by the kernel (getrandom; clock and address where it has none). */
struct siphash_key siphash_random_key(void);

#endif
