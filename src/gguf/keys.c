/* SPDX-License-Identifier: MIT */
/* One key with its value: bounds, types, nesting, and what the two keys that a reader itself
 * needs (general.alignment, general.architecture) must be like. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "gguf/records.h"

/* On its way through the value of one key. */
struct walk {
    struct cursor *cursor;
    struct name name;
    struct ggufs_error *error;
    struct mark *mark; /* in the outermost array */
    uint64_t odd_bool; /* where the first bool is that is neither 0 nor 1; 0: none */
};

static bool is_named(struct name name, const char *string)
{
    return name.length == strlen(string) && memcmp(name.bytes, string, name.length) == 0;
}

static void walk_bools(struct walk *walk, const uint8_t *bools, uint64_t count)
{
    for (uint64_t i = 0; i < count && walk->odd_bool == 0; i++)
        if (bools[i] > 1)
            walk->odd_bool = (uint64_t)(bools - walk->cursor->bytes) + i;
}

static void walk_string(struct cursor *cursor)
{
    uint64_t length = cursor_length(cursor, "a string's length");
    cursor_take(cursor, length, 1, "a string", "bytes");
}

/* Moves over strings as long as they are at hand: how many. What becomes of the next one is
 * for walk_string to say. */
static uint64_t skip_strings(struct cursor *cursor, uint64_t count)
{
    struct encoding encoding = cursor->encoding;
    uint64_t prefix = length_size(encoding.v1);
    uint64_t position = cursor->position, i = 0;
    for (; i < count && cursor->at_hand - position >= prefix; i++) {
        uint64_t length = value_load_length(cursor->bytes + position, encoding);
        if (length > cursor->at_hand - position - prefix)
            break;
        position += prefix + length;
    }
    cursor->position = position;
    return i;
}

static void walk_scalar(struct walk *walk, uint32_t type)
{
    uint32_t size = value_scalar_size(type);
    const uint8_t *bytes = cursor_take(walk->cursor, size, 1, "a value", "bytes");
    if (type == GGUFS_BOOL && bytes != NULL)
        walk_bools(walk, bytes, 1);
}

static void walk_scalars(struct walk *walk, uint32_t type, uint64_t count)
{
    const uint8_t *bytes = cursor_take(walk->cursor, count, value_scalar_size(type),
                                       "an array", ggufs_value_type_name(type));
    if (type == GGUFS_BOOL && bytes != NULL)
        walk_bools(walk, bytes, count);
}

static int check_type(struct walk *walk, uint32_t type, uint64_t offset, const char *what)
{
    if (ggufs_value_type_name(type) != NULL)
        return 0;
    return error_set(walk->error, GGUFS_FORMAT, offset,
                     "key %s: %s of type %" PRIu32 "; types are 0 to 12",
                     quoted(walk->name.bytes, walk->name.length).text, what, type);
}

static int walk_array(struct walk *walk, int depth);

/* Where to go on in an array: the number of the element that is at the cursor. */
static uint64_t resume(struct walk *walk)
{
    if (walk->mark->elements == 0)
        return 0;
    walk->cursor->position = walk->mark->position;
    walk->odd_bool = walk->mark->odd_bool;
    return walk->mark->elements;
}

/* Elements that have each their own size. */
static int walk_elements(struct walk *walk, uint32_t type, uint64_t count, int depth)
{
    struct cursor *cursor = walk->cursor;
    uint32_t least = length_size(cursor->encoding.v1) + (type == GGUFS_ARR ? 4 : 0);
    int rc = 0;
    /* A count that is too big for the bytes wanted is told before they are read. */
    if (!cursor_has(cursor, count, least, "an array", ggufs_value_type_name(type)))
        return 0;
    uint64_t i = depth == 1 ? resume(walk) : 0;
    if (type == GGUFS_STR)
        i += skip_strings(cursor, count - i);
    for (; i < count && rc == 0; i++) {
        uint64_t start = cursor->position;
        if (type == GGUFS_STR)
            walk_string(cursor);
        else
            rc = walk_array(walk, depth + 1);
        if (cursor->state == CURSOR_GOOD)
            continue;
        if (depth == 1)
            *walk->mark = (struct mark){i, start, walk->odd_bool};
        break;
    }
    return rc;
}

/* depth counts this array too; it is bounded, so recursion is. */
static int walk_array(struct walk *walk, int depth)
{
    struct cursor *cursor = walk->cursor;
    uint64_t offset = cursor->position;
    if (depth > GGUFS_NESTING_MAX)
        return error_set(
            walk->error, GGUFS_FORMAT, offset, "key %s: arrays nested deeper than %d",
            quoted(walk->name.bytes, walk->name.length).text, GGUFS_NESTING_MAX);
    uint32_t type = cursor_u32(cursor, "an element type");
    uint64_t count = cursor_length(cursor, "a count of elements");
    if (cursor->state != CURSOR_GOOD)
        return 0;
    int rc = check_type(walk, type, offset, "an array with elements");
    if (rc < 0)
        return rc;
    if (value_scalar_size(type) == 0)
        return walk_elements(walk, type, count, depth);
    walk_scalars(walk, type, count);
    return 0;
}

static int walk_value(struct walk *walk, uint32_t type, uint64_t type_offset)
{
    int rc = check_type(walk, type, type_offset, "a value");
    if (rc < 0)
        return rc;
    if (type == GGUFS_ARR)
        return walk_array(walk, 1);
    if (type == GGUFS_STR)
        walk_string(walk->cursor);
    else
        walk_scalar(walk, type);
    return 0;
}

/* A power of two or a multiple of 8. The first one counts: a later key of that name is told as
 * any key that is there twice. */
static int take_alignment(struct parser *parser, const struct cursor *cursor,
                          const struct key *key, struct ggufs_error *error)
{
    if (parser->aligned)
        return 0;
    if (key->type != GGUFS_U32)
        return error_set(error, GGUFS_FORMAT, key->value_offset - 4,
                         "key 'general.alignment': of type %s; u32 is allowed",
                         ggufs_value_type_name(key->type));
    uint32_t alignment =
        load_u32(cursor->bytes + key->value_offset, cursor->encoding.big_endian);
    bool power_of_two = (alignment & (alignment - 1)) == 0;
    if (alignment == 0 || (!power_of_two && alignment % 8 != 0))
        return error_set(error, GGUFS_FORMAT, key->value_offset,
                         "key 'general.alignment': %" PRIu32
                         "; a power of two or a multiple of 8 is allowed",
                         alignment);
    parser->head.alignment = alignment;
    parser->aligned = true;
    return 0;
}

static void warn_of(struct parser *parser, const struct walk *walk, const struct key *key)
{
    struct warnings *warnings = &parser->warnings;
    struct arena *arena = &parser->head.arena;
    struct name name = walk->name;
    if (name.length == 0)
        warnings_add(warnings, arena, WARNING_KEY_NAME, key->offset,
                     "key %zu of %" PRIu64 ": its name is empty", parser->head.n_keys + 1,
                     parser->claimed_keys);
    if (name.length > KEY_NAME_USUAL)
        warnings_add(warnings, arena, WARNING_KEY_NAME, key->offset,
                     "key %s: a name of %zu bytes; at most %d are usual",
                     quoted(name.bytes, name.length).text, name.length, KEY_NAME_USUAL);
    if (walk->odd_bool != 0)
        warnings_add(warnings, arena, WARNING_BOOL, walk->odd_bool,
                     "key %s: a bool of %u; 0 and 1 are allowed",
                     quoted(name.bytes, name.length).text,
                     walk->cursor->bytes[walk->odd_bool]);
    if (key->type != GGUFS_STR && is_named(name, "general.architecture"))
        warnings_add(warnings, arena, WARNING_KEY_TYPE, key->value_offset - 4,
                     "key 'general.architecture': of type %s; str is usual",
                     ggufs_value_type_name(key->type));
}

static int read_name(const struct parser *parser, struct cursor *cursor, struct key *key,
                     struct name *name, struct ggufs_error *error)
{
    struct record_title record = {"key", parser->head.n_keys + 1, parser->claimed_keys};
    key->offset = cursor->position;
    int rc = record_name(cursor, &record, name, error);
    key->name_length = (uint32_t)name->length;
    key->name_offset = cursor->position - name->length;
    return rc;
}

static int value_past_end(const struct walk *walk)
{
    char subject[sizeof(struct quoted) + 8];
    if (walk->cursor->state != CURSOR_PAST_END)
        return 0;
    snprintf(subject, sizeof(subject), "key %s",
             quoted(walk->name.bytes, walk->name.length).text);
    return record_past_end(walk->cursor, subject, walk->error);
}

int record_key(struct parser *parser, struct cursor *cursor, struct ggufs_error *error)
{
    struct head *head = &parser->head;
    struct walk walk = {.cursor = cursor, .error = error, .mark = &parser->mark};
    struct key key = {0};
    int rc = read_name(parser, cursor, &key, &walk.name, error);
    if (rc < 0 || cursor->state != CURSOR_GOOD)
        return rc;
    uint64_t type_offset = cursor->position;
    key.type = cursor_u32(cursor, "a value's type");
    key.value_offset = cursor->position;
    if (cursor->state == CURSOR_GOOD)
        rc = walk_value(&walk, key.type, type_offset);
    if (rc < 0)
        return rc;
    if (cursor->state != CURSOR_GOOD)
        return value_past_end(&walk);
    if (is_named(walk.name, "general.alignment"))
        rc = take_alignment(parser, cursor, &key, error);
    if (rc < 0)
        return rc;
    if (!records_reserve(&head->keys, &parser->room_keys, head->n_keys, sizeof(key)))
        return error_memory(error);
    warn_of(parser, &walk, &key);
    head->keys[head->n_keys++] = key;
    parser->mark = (struct mark){0};
    return 0;
}
