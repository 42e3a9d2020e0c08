/* SPDX-License-Identifier: MIT */
/* Counting pieces, and strings cut into parts that are pieces. What is written where is the
 * callers'. */

#include "tree/pen.h"

#include <assert.h>

#include "base/utf8.h"
#include "content/json.h"
#include "content/text.h"

#define PART 6144 /* bytes of a string in a piece: a multiple of three, for base64 */

static_assert(PART * 6 + 64 <= PEN_PIECE, "a part is too long for a piece");
static_assert(PEN_STEP + PEN_PIECE <= TEXT_STEP_MAX, "a step is too long");

enum mode { MODE_JSON, MODE_BASE64 };

struct pen pen_new(struct sink *sink, uint64_t mode)
{
    return (struct pen){.sink = sink, .end = sink->position + PEN_STEP, .mode = mode};
}

void pen_record(struct pen *pen, uint64_t behind)
{
    pen->behind = behind;
    pen->piece = 0;
}

bool pen_turn(struct pen *pen)
{
    if (pen->stopped)
        return false;
    if (pen->piece < pen->behind) {
        pen->piece++;
        return false;
    }
    if (pen->sink->position >= pen->end) {
        pen->stopped = true;
        return false;
    }
    pen->piece++;
    return true;
}

void pen_text(struct pen *pen, const char *text)
{
    if (pen_turn(pen))
        sink_string(pen->sink, text);
}

/* The inside of a long string. Parts that are written are passed over at once. */
static void put_parts(struct pen *pen, const char *bytes, size_t length, enum mode mode)
{
    uint64_t parts = length / PART + (length % PART != 0);
    uint64_t behind = pen->behind > pen->piece ? pen->behind - pen->piece : 0;
    uint64_t i = pen->stopped ? 0 : behind < parts ? behind : parts;

    pen->piece += i;
    for (; i < parts && pen_turn(pen); i++) {
        const char *part = bytes + i * PART;
        size_t n = i + 1 < parts ? PART : length - (size_t)i * PART;
        if (mode == MODE_JSON)
            json_write_characters(pen->sink, part, n);
        else
            json_write_base64(pen->sink, part, n);
    }
}

void pen_base64(struct pen *pen, const char *bytes, size_t length)
{
    pen_text(pen, "\"");
    put_parts(pen, bytes, length, MODE_BASE64);
    pen_text(pen, "\"");
}

/* Whether it is UTF-8 is found out once, before its first piece, and kept by the pen. */
static void put_long_string(struct pen *pen, const char *bytes, size_t length)
{
    if (pen_turn(pen)) {
        pen->mode = utf8_valid(bytes, length) ? MODE_JSON : MODE_BASE64;
        sink_string(pen->sink, pen->mode == MODE_JSON ? "\"" : JSON_BASE64_OPEN);
    }
    put_parts(pen, bytes, length, (enum mode)pen->mode);
    pen_text(pen, pen->mode == MODE_JSON ? "\"" : JSON_BASE64_CLOSE);
}

void pen_value(struct pen *pen, const struct ggufs_value *value)
{
    if (value->type == GGUFS_STR && value->str.length > PART)
        put_long_string(pen, value->str.bytes, value->str.length);
    else if (pen_turn(pen))
        json_write_value(pen->sink, value);
}
