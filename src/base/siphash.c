/* SPDX-License-Identifier: MIT */
/* SipHash-2-4, from the paper: four words of state, two rounds a word of input, four
 * at the end. The last word holds the bytes that are left and the length's low byte on
 * top. */

#include "base/siphash.h"

#include <sys/random.h>
#include <time.h>

#include "base/load.h"

static inline uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static inline void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
}

uint64_t siphash(struct siphash_key key, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    uint64_t v[4] = {
        key.k0 ^ 0x736f6d6570736575,
        key.k1 ^ 0x646f72616e646f6d,
        key.k0 ^ 0x6c7967656e657261,
        key.k1 ^ 0x7465646279746573,
    };
    size_t left = length;
    for (; left >= 8; left -= 8, p += 8)
        take_word(v, load_u64(p, false));
    uint64_t last = (uint64_t)length << 56;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)p[i] << (8 * i);
    take_word(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct siphash_key siphash_random_key(void)
{
    struct siphash_key key;
    if (getrandom(&key, sizeof(key), GRND_NONBLOCK) == (ssize_t)sizeof(key))
        return key;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    key.k0 = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
    key.k1 = (uint64_t)(uintptr_t)&key;
    return key;
}
