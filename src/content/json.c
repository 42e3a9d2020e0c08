/* SPDX-License-Identifier: MIT */
/* JSON, written straight to a sink: strings, and single values of a model's metadata. */

#include "content/json.h"

#include <math.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "base/word.h"
#include "content/text.h"

static bool must_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

/* Not zero where some of a word's bytes must be escaped. */
static uint64_t has_escapes(uint64_t word)
{
    return word_has_below(word, 0x20) | word_has(word, '"') | word_has(word, '\\');
}

/* How many bytes at the start can be written as they are. */
static size_t plain_run(const char *bytes, size_t length)
{
    for (size_t n = 0, step; n < length; n += step) {
        step = length - n < 8 ? length - n : 8;
        if (!has_escapes(word_load(bytes + n, step)))
            continue;
        while (!must_escape((unsigned char)bytes[n]))
            n++;
        return n;
    }
    return length;
}

static void write_escape(struct sink *sink, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorts[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
    };
    if (c >= 0x20)
        sink_write(sink, (char[]){'\\', (char)c}, 2);
    else if (shorts[c])
        sink_write(sink, (char[]){'\\', shorts[c]}, 2);
    else
        sink_write(sink, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

void json_write_characters(struct sink *sink, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t n = plain_run(bytes, length);
        sink_write(sink, bytes, n);
        if (n < length)
            write_escape(sink, (unsigned char)bytes[n++]);
        bytes += n;
        length -= n;
    }
}

void json_write_base64(struct sink *sink, const char *bytes, size_t length)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t n = length - i < 3 ? length - i : 3;
        uint32_t three = (uint32_t)(unsigned char)bytes[i] << 16;
        if (n > 1)
            three |= (uint32_t)(unsigned char)bytes[i + 1] << 8;
        if (n > 2)
            three |= (unsigned char)bytes[i + 2];
        char four[4] = {
            digits[three >> 18],
            digits[three >> 12 & 63],
            n > 1 ? digits[three >> 6 & 63] : '=',
            n > 2 ? digits[three & 63] : '=',
        };
        sink_write(sink, four, sizeof(four));
    }
}

void json_write_string(struct sink *sink, const char *bytes, size_t length)
{
    sink_char(sink, '"');
    json_write_characters(sink, bytes, length);
    sink_char(sink, '"');
}

/* Most strings are short and need no escapes: one look tells, and whether it may be not
 * UTF-8. */
void json_write_bytes(struct sink *sink, const char *bytes, size_t length)
{
    uint64_t escapes = 0, high = 0;
    for (size_t n = 0; n < length; n += 8) {
        uint64_t word = word_at(bytes, length, n);
        escapes |= has_escapes(word);
        high |= word_has_high(word);
    }
    if (high && !utf8_valid(bytes, length)) {
        sink_string(sink, JSON_BASE64_OPEN);
        json_write_base64(sink, bytes, length);
        sink_string(sink, JSON_BASE64_CLOSE);
        return;
    }
    sink_char(sink, '"');
    if (escapes)
        json_write_characters(sink, bytes, length);
    else if (length > 0) /* an empty string need not be anywhere */
        sink_write(sink, bytes, length);
    sink_char(sink, '"');
}

/* JSON has no numbers that are not finite: those are strings. */
static void write_number(struct sink *sink, const char *text, size_t length, bool finite)
{
    if (!finite)
        sink_char(sink, '"');
    sink_write(sink, text, length);
    if (!finite)
        sink_char(sink, '"');
}

void json_write_value(struct sink *sink, const struct ggufs_value *value)
{
    char text[DECIMAL_MAX];
    switch (value->type) {
    case GGUFS_U8:
    case GGUFS_U16:
    case GGUFS_U32:
    case GGUFS_U64: sink_u64(sink, value->u); break;
    case GGUFS_I8:
    case GGUFS_I16:
    case GGUFS_I32:
    case GGUFS_I64: sink_i64(sink, value->i); break;
    case GGUFS_BOOL: sink_string(sink, value->u ? "true" : "false"); break;
    case GGUFS_F32:
        write_number(sink, text, decimal_f32(text, value->f32), isfinite(value->f32));
        break;
    case GGUFS_F64:
        write_number(sink, text, decimal_f64(text, value->f64), isfinite(value->f64));
        break;
    case GGUFS_STR:
        json_write_bytes(sink, value->str.bytes, (size_t)value->str.length);
        break;
    default: break;
    }
}
