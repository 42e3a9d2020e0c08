/* SPDX-License-Identifier: MIT */
/* A key in info.json, with its value where that is short. Strings may be of any length; an
 * array is written if it has few elements, and each step walks it from its start. */

#include <string.h>

#include "content/text.h"
#include "gguf/value.h"
#include "tree/info.h"
#include "tree/views.h"
#include "tree/words.h"

/* An array that is walked element by element: at is the next one, of `left`. */
struct walk {
    const uint8_t *at;
    uint32_t type;
    uint64_t left;
    struct encoding encoding;
};

static struct walk walk_of(const struct ggufs_array *array, const uint8_t *at)
{
    return (struct walk){at, array->type, array->count, {array->big_endian, array->v1}};
}

/* Steps into the next element, which is an array. */
static struct walk walk_into(const struct walk *walk)
{
    struct ggufs_array inner;
    uint64_t header = value_load_array(walk->at, walk->encoding, &inner);

    return walk_of(&inner, walk->at + header);
}

/* Counts elements down from *room, arrays in arrays included; false where they are more. Leaves
 * walk behind the last. Nesting is bounded where the head was parsed. */
static bool has_few(struct walk *walk, uint64_t *room)
{
    if (walk->left > *room)
        return false;
    *room -= walk->left;
    for (; walk->left > 0; walk->left--) {
        struct ggufs_value element;
        if (walk->type != GGUFS_ARR) {
            walk->at += value_load(walk->at, walk->type, walk->encoding, &element);
            continue;
        }
        struct walk inner = walk_into(walk);
        if (!has_few(&inner, room))
            return false;
        walk->at = inner.at;
    }
    return true;
}

static void put_elements(struct walk *walk, struct pen *pen)
{
    const char *separator = "";

    pen_text(pen, "[");
    for (; walk->left > 0; walk->left--, separator = ", ") {
        struct ggufs_value element;
        pen_text(pen, separator);
        if (walk->type == GGUFS_ARR) {
            struct walk inner = walk_into(walk);
            put_elements(&inner, pen);
            walk->at = inner.at;
        } else {
            walk->at += value_load(walk->at, walk->type, walk->encoding, &element);
            pen_value(pen, &element);
        }
    }
    pen_text(pen, "]");
}

static void put_array(const struct ggufs_array *array, struct pen *pen)
{
    uint64_t room = INFO_ELEMENTS_MAX;
    struct walk counted = walk_of(array, array->bytes);
    struct walk walk = counted;

    if (!has_few(&counted, &room))
        return;
    pen_text(pen, ", \"value\": ");
    put_elements(&walk, pen);
}

static void put_type(const struct info *info, size_t i, struct pen *pen)
{
    struct key_type type = key_type(info->model, i);

    if (!pen_turn(pen))
        return;
    sink_string(pen->sink, "\"type\": \"");
    word_key_type(pen->sink, &type);
    sink_char(pen->sink, '"');
    if (type.type == GGUFS_ARR) {
        sink_string(pen->sink, ", \"count\": ");
        sink_u64(pen->sink, type.count);
    }
}

void info_put_key(const struct info *info, size_t i, struct pen *pen)
{
    struct ggufs_key key;
    char buffer[256];

    ggufs_model_key(info->model, i, &key);
    const char *shown = tree_key_name(info->tree, i, buffer);
    if (pen_turn(pen)) {
        json_write_string(pen->sink, shown, strlen(shown));
        sink_string(pen->sink, ": {");
    }
    info_put_true_name(shown, key.name, key.name_length, pen);
    put_type(info, i, pen);
    if (key.value.type == GGUFS_ARR) {
        put_array(&key.value.arr, pen);
    } else {
        pen_text(pen, ", \"value\": ");
        pen_value(pen, &key.value);
    }
    pen_text(pen, "}");
}
