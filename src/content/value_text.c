/* SPDX-License-Identifier: MIT */
/* The files of metadata/: a scalar or a string with a newline, an array as JSON Lines.
 * Numbers and strings look as json.c writes them; here is how one walks through an
 * array in steps that are bounded whatever it holds, strings of a gigabyte and arrays
 * in arrays included. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "content/json.h"
#include "content/text.h"
#include "gguf/format.h"
#include "gguf/value.h"

/* A step ends when it has written STEP bytes; what comes last may be a part of a
 * string (six bytes a byte at most), so that it stays below TEXT_STEP_MAX. PART is a
 * multiple of three, for base64. */
#define STEP 16384
#define PART 6144
static_assert(STEP + 6 * PART + 64 <= TEXT_STEP_MAX, "a step is too long");

enum string_mode { NO_STRING, JSON_STRING, BASE64_STRING };

/* Where the walk stands in an array's bytes; it is what a text_state holds:
 *
 *     at[0]        position   of the next element, or in the string being written
 *     at[1]        left       bytes of that string that are still to be written
 *     at[2]        depth, mode, first (one byte each)
 *     at[3 + d]    of the array at depth d + 1: type << 56 | elements that are left */
struct walk {
    uint64_t position;
    uint64_t left;
    uint8_t depth; /* of the arrays that are open in the outermost; 0 between two lines */
    uint8_t mode;  /* enum string_mode */
    bool first;    /* nothing was written yet behind the last '[' */
    uint64_t frames[GGUFS_NESTING_MAX];
};
static_assert(3 + GGUFS_NESTING_MAX <= sizeof(struct text_state) / sizeof(uint64_t),
              "a walk does not fit into a text_state");

#define FRAME(type, count) ((uint64_t)(type) << 56 | (count))
#define FRAME_TYPE(frame)  ((uint32_t)((frame) >> 56))
#define FRAME_LEFT(frame)  ((frame) & ((UINT64_C(1) << 56) - 1))

static struct walk unpack(const struct text_state *state)
{
    struct walk walk = {
        .position = state->at[0],
        .left = state->at[1],
        .depth = state->at[2] & 0xff,
        .mode = state->at[2] >> 8 & 0xff,
        .first = state->at[2] >> 16 & 1,
    };
    memcpy(walk.frames, &state->at[3], sizeof(walk.frames));
    return walk;
}

static void pack(const struct walk *walk, struct text_state *state)
{
    state->at[0] = walk->position;
    state->at[1] = walk->left;
    state->at[2] = walk->depth | (uint64_t)walk->mode << 8 | (uint64_t)walk->first << 16;
    memcpy(&state->at[3], walk->frames, sizeof(walk->frames));
}

static void end_element(struct walk *walk, struct sink *sink)
{
    walk->first = false;
    if (walk->depth == 0)
        sink_char(sink, '\n');
}

static void open_array(const struct ggufs_array *array, struct walk *walk,
                       struct sink *sink)
{
    struct encoding encoding = {array->big_endian, array->v1};
    struct ggufs_array inner;
    walk->position += value_load_array(array->bytes + walk->position, encoding, &inner);
    assert(walk->depth < GGUFS_NESTING_MAX && inner.count < UINT64_C(1) << 56);
    walk->frames[walk->depth++] = FRAME(inner.type, inner.count);
    walk->first = true;
    sink_char(sink, '[');
}

static void close_array(struct walk *walk, struct sink *sink)
{
    sink_char(sink, ']');
    walk->depth--;
    end_element(walk, sink);
}

/* A string that is written in parts. Whether it is UTF-8 must be known before its
 * first byte: it is looked through once, here. */
static void open_string(const char *bytes, uint64_t length, struct walk *walk,
                        struct sink *sink)
{
    bool valid = utf8_valid(bytes, (size_t)length);
    walk->mode = valid ? JSON_STRING : BASE64_STRING;
    walk->left = length;
    sink_string(sink, valid ? "\"" : JSON_BASE64_OPEN);
}

static void write_part(const struct ggufs_array *array, struct walk *walk,
                       struct sink *sink)
{
    const char *bytes = (const char *)array->bytes + walk->position;
    size_t n = walk->left < PART ? (size_t)walk->left : PART;
    if (walk->mode == JSON_STRING)
        json_write_characters(sink, bytes, n);
    else
        json_write_base64(sink, bytes, n);
    walk->position += n;
    walk->left -= n;
    if (walk->left > 0)
        return;
    sink_string(sink, walk->mode == JSON_STRING ? "\"" : JSON_BASE64_CLOSE);
    walk->mode = NO_STRING;
    end_element(walk, sink);
}

static void write_string(const struct ggufs_array *array, struct walk *walk,
                         struct sink *sink)
{
    struct encoding encoding = {array->big_endian, array->v1};
    uint64_t length = value_load_length(array->bytes + walk->position, encoding);
    walk->position += length_size(encoding.v1);
    const char *bytes = (const char *)array->bytes + walk->position;
    if (length > PART) {
        open_string(bytes, length, walk, sink);
        return;
    }
    json_write_bytes(sink, bytes, (size_t)length);
    walk->position += length;
    end_element(walk, sink);
}

static void write_scalar(const struct ggufs_array *array, uint32_t type,
                         struct walk *walk, struct sink *sink)
{
    struct encoding encoding = {array->big_endian, array->v1};
    struct ggufs_value value;
    walk->position += value_load(array->bytes + walk->position, type, encoding, &value);
    json_write_value(sink, &value);
    end_element(walk, sink);
}

/* The next thing: a part of a string, an array's start or end, an element. False at
 * the end. */
static bool advance(const struct ggufs_array *array, struct walk *walk, struct sink *sink)
{
    uint32_t type = array->type;
    if (walk->mode != NO_STRING) {
        write_part(array, walk, sink);
        return true;
    }
    if (walk->depth == 0 && walk->position == array->size)
        return false;
    if (walk->depth > 0) {
        uint64_t *frame = &walk->frames[walk->depth - 1];
        if (FRAME_LEFT(*frame) == 0) {
            close_array(walk, sink);
            return true;
        }
        --*frame;
        type = FRAME_TYPE(*frame);
        if (!walk->first)
            sink_char(sink, ',');
    }
    if (type == GGUFS_ARR)
        open_array(array, walk, sink);
    else if (type == GGUFS_STR)
        write_string(array, walk, sink);
    else
        write_scalar(array, type, walk, sink);
    return true;
}

static int array_step(const void *maker, struct text_state *state, struct sink *sink)
{
    const struct ggufs_array *array = maker;
    struct walk walk = unpack(state);
    uint64_t end = sink->position + STEP;
    bool more = true;
    while (more && sink->position < end)
        more = advance(array, &walk, sink);
    pack(&walk, state);
    return more;
}

static struct content *array_content(const struct ggufs_array *array)
{
    struct ggufs_array *copy = malloc(sizeof(*copy));
    if (!copy)
        return NULL;
    *copy = *array;
    return content_text(array_step, copy, free);
}

/* -- scalars: made at once -- */

static struct content *scalar_content(const struct ggufs_value *value)
{
    char *text = malloc(DECIMAL_MAX + 1);
    if (!text)
        return NULL;
    size_t n = 0;
    if (value->type == GGUFS_F32) {
        n = decimal_f32(text, value->f32);
    } else if (value->type == GGUFS_F64) {
        n = decimal_f64(text, value->f64);
    } else {
        struct sink sink = sink_window(0, 0, text, DECIMAL_MAX);
        json_write_value(&sink, value);
        n = sink_filled(&sink);
    }
    text[n++] = '\n';
    return content_bytes(text, n, text);
}

/* -- strings: their own bytes, then a newline -- */

struct string {
    const char *bytes;
    size_t length;
};

static struct content *string_part(void *owner, size_t i)
{
    const struct string *string = owner;
    return i == 0 ? content_bytes(string->bytes, string->length, NULL)
                  : content_bytes("\n", 1, NULL);
}

static struct content *string_content(const char *bytes, size_t length)
{
    struct string *string = malloc(sizeof(*string));
    uint64_t *starts = malloc(3 * sizeof(*starts));
    if (!string || !starts) {
        free(string);
        free(starts);
        return NULL;
    }
    *string = (struct string){bytes, length};
    starts[0] = 0;
    starts[1] = length;
    starts[2] = (uint64_t)length + 1;
    return content_concat(2, starts, string_part, free, string, true);
}

struct content *content_value(const struct ggufs_value *value)
{
    switch (value->type) {
    case GGUFS_ARR: return array_content(&value->arr);
    case GGUFS_STR: return string_content(value->str.bytes, (size_t)value->str.length);
    default: return scalar_content(value);
    }
}
