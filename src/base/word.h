/* SPDX-License-Identifier: MIT */
/* Up to eight bytes of text looked at at once, as a set: which bytes there are, not
 * where. */

#ifndef GGUFS_BASE_WORD_H
#define GGUFS_BASE_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WORD_OF_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The bytes of a run of 1 to 8 of them; some may be there twice. */
static inline uint64_t word_load(const char *bytes, size_t n)
{
    uint64_t word = 0;
    uint32_t low = 0, high = 0;
    if (n == 8) {
        memcpy(&word, bytes, 8);
        return word;
    }
    if (n >= 4) {
        memcpy(&low, bytes, 4);
        memcpy(&high, bytes + n - 4, 4);
        return low | (uint64_t)high << 32;
    }
    word = WORD_OF_EACH((uint64_t)(unsigned char)bytes[0]) & ~UINT64_C(0xffff);
    return word | (uint64_t)(unsigned char)bytes[n / 2] << 8 |
           (uint64_t)(unsigned char)bytes[n - 1];
}

/* Of a text of any length, the word that begins at n. Each byte of it is in some word; the last
 * word reaches back where the text does not end with a whole one. */
static inline uint64_t word_at(const char *bytes, size_t length, size_t n)
{
    if (length < 8)
        return word_load(bytes, length);
    return word_load(bytes + (length - n < 8 ? length - 8 : n), 8);
}

/* Not zero where some byte is below limit, which is at most 0x80. */
static inline uint64_t word_has_below(uint64_t word, uint64_t limit)
{
    return (word - WORD_OF_EACH(limit)) & ~word & WORD_OF_EACH(0x80);
}

/* Not zero where some byte is that one. */
static inline uint64_t word_has(uint64_t word, unsigned char byte)
{
    return word_has_below(word ^ WORD_OF_EACH(byte), 1);
}

/* Not zero where some byte is not ASCII. */
static inline uint64_t word_has_high(uint64_t word)
{
    return word & WORD_OF_EACH(0x80);
}

#endif
