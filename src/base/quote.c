/* SPDX-License-Identifier: MIT */
/* What a terminal is shown of bytes that anybody may have written: no more than it can
 * show, nothing that it would obey, and cut so that one sees that it was cut. */

#include "base/quote.h"

#include <string.h>

#include "base/utf8.h"
#include "ggufs.h"

/* What a terminal would obey, or what would make it show other things than there are:
 * C0 and C1 controls, line separators (U+2028, U+2029), marks that turn the direction
 * of writing. */
static bool is_control(const unsigned char *p, size_t n)
{
    if (n == 1)
        return p[0] < 0x20 || p[0] == 0x7f;
    if (n == 2)
        return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
    if (n != 3 || p[0] != 0xe2)
        return false;
    if (p[1] == 0x80)
        return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
    return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

/* Output that ends in "..." where it does not fit: mark is the last place where the
 * dots still have room. */
struct quoting {
    char *buffer;
    size_t room; /* without the NUL */
    size_t used;
    size_t mark;
};

static bool put_unit(struct quoting *q, const char *unit, size_t n)
{
    if (n > q->room - q->used)
        return false;
    memcpy(q->buffer + q->used, unit, n);
    q->used += n;
    if (q->room >= 3 && q->used <= q->room - 3)
        q->mark = q->used;
    return true;
}

static void put_dots(struct quoting *q)
{
    q->used = q->mark;
    while (q->used < q->room && q->used < q->mark + 3)
        q->buffer[q->used++] = '.';
}

static bool put_escaped(struct quoting *q, const char *bytes, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (!put_unit(q, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4))
            return false;
    }
    return true;
}

void quote_bytes(char *buffer, size_t size, const char *bytes, size_t length, bool name)
{
    if (size == 0)
        return;
    struct quoting q = {buffer, size - 1, 0, 0};
    bool fits = true;
    for (size_t i = 0; i < length && fits;) {
        size_t n = utf8_length(bytes + i, length - i);
        if (n == 0 || is_control((const unsigned char *)bytes + i, n))
            fits = put_escaped(&q, bytes + i, n ? n : 1);
        else if (name && bytes[i] == '\\')
            fits = put_unit(&q, "\\\\", 2);
        else
            fits = put_unit(&q, bytes + i, n);
        i += n ? n : 1;
    }
    if (!fits)
        put_dots(&q);
    buffer[q.used] = '\0';
}

char *ggufs_quote(char *buffer, size_t size, const char *bytes, size_t length)
{
    quote_bytes(buffer, size, bytes, length, true);
    return buffer;
}
