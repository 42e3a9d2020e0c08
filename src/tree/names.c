/* SPDX-License-Identifier: MIT */
/* The escaping rule: any bytes to a legal file name and back. It knows single names only; that
 * no two files of a directory share one is naming.c's care. */

#include "tree/names.h"

#include <assert.h>
#include <string.h>

#include "base/siphash.h"
#include "base/utf8.h"
#include "base/word.h"

#define CUT_BYTES 18 /* "%~" and 16 hex digits */

/* The key of the test vectors in SipHash's paper: cut names are the same everywhere, and
 * anybody can compute them. */
static const struct siphash_key cut_key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

static bool is_dots(const char *bytes, uint64_t length)
{
    return length > 0 && length <= 2 && bytes[0] == '.' && bytes[length - 1] == '.';
}

/* An ASCII byte that a file name may not hold, or that the rule needs for itself. */
static bool is_special(unsigned char c)
{
    return c < 0x20 || c == '/' || c == '%' || c == 0x7f;
}

/* Bytes of the character at bytes that stands for itself, or 0 where its first byte has to be
 * escaped. */
static size_t plain_length(const char *bytes, uint64_t length)
{
    unsigned char c = (unsigned char)bytes[0];

    if (c < 0x80)
        return is_special(c) ? 0 : 1;
    return utf8_length(bytes, length);
}

/* The same of a word's bytes at once: not zero where one is special. */
static uint64_t has_special(uint64_t word)
{
    return word_has_below(word, 0x20) | word_has(word, '/') | word_has(word, '%') |
           word_has(word, 0x7f);
}

/* Most names are plain ASCII, and there may be a million of them. */
bool name_is_plain(const char *bytes, uint64_t length, size_t room)
{
    uint64_t special = 0, high = 0;

    if (length == 0 || length > room || is_dots(bytes, length))
        return false;
    for (size_t n = 0; n < length; n += 8) {
        uint64_t word = word_at(bytes, (size_t)length, n);
        special |= has_special(word);
        high |= word_has_high(word);
    }
    return !special && (!high || utf8_valid(bytes, (size_t)length));
}

static void put_escape(char *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";

    out[0] = '%';
    out[1] = digits[c >> 4];
    out[2] = digits[c & 15];
}

static size_t put_cut(char *out, size_t kept, const char *bytes, uint64_t length)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = siphash(cut_key, bytes, length);

    out[kept++] = '%';
    out[kept++] = '~';
    for (int shift = 60; shift >= 0; shift -= 4)
        out[kept++] = digits[hash >> shift & 15];
    out[kept] = '\0';
    return kept;
}

size_t name_escape(const char *bytes, uint64_t length, char *out, size_t room)
{
    bool escape_dot = is_dots(bytes, length);
    size_t used = 0, kept = 0;

    assert(room > CUT_BYTES && room <= NAME_MAX_BYTES);
    if (length == 0)
        out[used++] = '%';
    for (uint64_t i = 0; i < length;) {
        size_t n = escape_dot && i == 0 ? 0 : plain_length(bytes + i, length - i);
        size_t written = n > 0 ? n : 3;

        if (written > room - used)
            return put_cut(out, kept, bytes, length);
        if (n > 0)
            memcpy(out + used, bytes + i, n);
        else
            put_escape(out + used, (unsigned char)bytes[i]);
        i += n > 0 ? n : 1;
        used += written;
        if (used <= room - CUT_BYTES)
            kept = used;
    }
    out[used] = '\0';
    return used;
}

/* The value of an upper case hex digit, or -1. */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Takes the escapes out without asking whether each had to be there. */
static bool decode(const char *name, size_t length, char *out, size_t *out_length)
{
    size_t n = 0;

    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (c == '%') {
            if (length - i < 3)
                return false;
            int high = hex_digit(name[i + 1]), low = hex_digit(name[i + 2]);
            if (high < 0 || low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        out[n++] = c;
    }
    *out_length = n;
    return true;
}

bool name_unescape(const char *name, size_t length, char *out, size_t *out_length)
{
    char again[NAME_MAX_BYTES + 1];
    size_t n = 0;

    if (length == 0 || length > NAME_MAX_BYTES)
        return false;
    if (!(length == 1 && name[0] == '%') && !decode(name, length, out, &n))
        return false;
    /* Only what the rule itself writes is its name: "%41" is nobody's. */
    if (name_escape(out, n, again, NAME_MAX_BYTES) != length ||
        memcmp(again, name, length) != 0)
        return false;
    *out_length = n;
    return true;
}
