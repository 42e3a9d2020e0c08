/* SPDX-License-Identifier: MIT */
/* Which bytes are valid UTF-8. Plain ASCII, most of what there is, goes eight bytes at
 * a time. */

#include "base/utf8.h"

#include <stdint.h>

#include "base/word.h"

/* The second byte of some lead bytes is held in a narrower range than 80..BF: that is
 * what keeps out overlong forms (E0, F0), surrogates (ED) and what is beyond U+10FFFF
 * (F4). */
static size_t lead_length(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

size_t utf8_length(const char *bytes, size_t length)
{
    if (length == 0)
        return 0;
    uint8_t low, high;
    size_t n = lead_length((uint8_t)bytes[0], &low, &high);
    if (n <= 1)
        return n;
    if (n > length || (uint8_t)bytes[1] < low || (uint8_t)bytes[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (((uint8_t)bytes[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

bool utf8_valid(const char *bytes, size_t length)
{
    while (length > 0) {
        size_t n = length < 8 ? length : 8;
        if (word_has_high(word_load(bytes, n)))
            n = utf8_length(bytes, length);
        if (n == 0)
            return false;
        bytes += n;
        length -= n;
    }
    return true;
}
