/* SPDX-License-Identifier: MIT */
/* The parser's life: header, then records one by one until the counts are met. What a key or a
 * tensor info must be like is in keys.c and infos.c; how tensors lie in the file in layout.c. */

#include "gguf/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gguf/layout.h"
#include "gguf/mistaken.h"
#include "gguf/records.h"

struct parser *parser_new(uint64_t file_size)
{
    struct parser *parser = calloc(1, sizeof(*parser));
    if (parser == NULL)
        return NULL;
    parser->head.file_size = file_size;
    parser->head.alignment = ALIGNMENT_DEFAULT;
    return parser;
}

void parser_free(struct parser *parser)
{
    if (parser == NULL)
        return;
    warnings_done(&parser->warnings);
    head_done(&parser->head);
    free(parser);
}

int record_past_end(const struct cursor *cursor, const char *subject,
                    struct ggufs_error *error)
{
    if (cursor->state != CURSOR_PAST_END)
        return 0;
    return error_set(error, GGUFS_FORMAT, cursor->position,
                     "%s: %s of %" PRIu64 " %s does not fit in the %" PRIu64
                     " bytes that are left of the file",
                     subject, cursor->what, cursor->count, cursor->unit,
                     cursor_left(cursor));
}

int record_name(struct cursor *cursor, const struct record_title *title,
                struct name *name, struct ggufs_error *error)
{
    char subject[64];
    uint64_t offset = cursor->position;
    uint64_t length = cursor_length(cursor, "a name's length");
    bool holds = cursor_may_hold(cursor, length, 1, "a name", "bytes");
    if (!holds || length > UINT32_MAX)
        snprintf(subject, sizeof(subject), "%s %" PRIu64 " of %" PRIu64, title->kind,
                 title->number, title->of);
    if (!holds)
        return record_past_end(cursor, subject, error);
    if (length > UINT32_MAX)
        return error_set(error, GGUFS_FORMAT, offset,
                         "%s: a name of %" PRIu64 " bytes; at most %" PRIu32
                         " are read here",
                         subject, length, UINT32_MAX);
    const uint8_t *bytes = cursor_take(cursor, length, 1, "a name", "bytes");
    if (bytes != NULL)
        *name = (struct name){(const char *)bytes, length};
    return 0;
}

bool records_reserve(void *array, size_t *room, size_t count, size_t size)
{
    void **items = array;
    if (count < *room)
        return true;
    size_t more = *room == 0 ? 64 : *room * 2;
    void *grown = realloc(*items, more * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *room = more;
    return true;
}

/* ---- The header -------------------------------------------------------------------------- */

static int not_gguf(const uint8_t *bytes, uint64_t size, struct ggufs_error *error)
{
    const char *what = mistaken_for(bytes, size);
    char hex[3 * MAGIC_SIZE + 1] = "";
    for (uint64_t i = 0; i < size && i < MAGIC_SIZE; i++)
        snprintf(hex + 3 * i, 4, " %02x", bytes[i]);
    return error_set(error, GGUFS_FORMAT, 0,
                     "not a GGUF file: it starts with%s, GGUF with 47 47 55 46%s%s", hex,
                     what == NULL ? "" : "; it looks like ", what == NULL ? "" : what);
}

/* Wants enough to recognise other kinds of file before it says what this is not. */
static int check_magic(struct cursor *cursor, struct ggufs_error *error)
{
    uint64_t size = cursor->end < MISTAKEN_SIZE ? cursor->end : MISTAKEN_SIZE;
    uint64_t magic = size < MAGIC_SIZE ? size : MAGIC_SIZE;
    if (size == 0)
        return error_set(error, GGUFS_FORMAT, 0, "not a GGUF file: it is empty");
    if (!cursor_has(cursor, size, 1, "a header", "bytes"))
        return 0;
    if (memcmp(cursor->bytes, MAGIC, magic) != 0)
        return not_gguf(cursor->bytes, size, error);
    cursor_take(cursor, MAGIC_SIZE, 1, "a magic", "bytes");
    return 0;
}

/* Nothing in the file says its byte order: a version that makes no sense in one order and does
 * in the other tells. */
static int read_version(struct cursor *cursor, uint32_t *version,
                        struct ggufs_error *error)
{
    uint64_t offset = cursor->position;
    uint32_t little = cursor_u32(cursor, "a version");
    uint32_t big = __builtin_bswap32(little);
    if (cursor->state != CURSOR_GOOD)
        return 0;
    cursor->encoding.big_endian = big >= VERSION_BIG_ENDIAN_MIN && big <= VERSION_MAX;
    *version = cursor->encoding.big_endian ? big : little;
    cursor->encoding.v1 = *version == 1;
    if (*version >= VERSION_MIN && *version <= VERSION_MAX)
        return 0;
    bool swapped = little != 0 && (little & 0xffff) == 0;
    return error_set(error, GGUFS_VERSION, offset,
                     "version %" PRIu32 "%s of GGUF; 1, 2 and 3 are read here",
                     swapped ? big : little, swapped ? " (big-endian)" : "");
}

static int check_count(const struct cursor *cursor, uint64_t count, const char *what,
                       uint64_t left, uint32_t least, uint64_t offset,
                       struct ggufs_error *error)
{
    if (count > left / least)
        return error_set(error, GGUFS_FORMAT, offset,
                         "%" PRIu64 " %s, but the %" PRIu64
                         " bytes left of the file hold at most %" PRIu64,
                         count, what, cursor_left(cursor), left / least);
    if (count > RECORDS_MAX)
        return error_set(error, GGUFS_FORMAT, offset,
                         "%" PRIu64 " %s; at most %" PRIu64 " are read here", count, what,
                         RECORDS_MAX);
    return 0;
}

static int check_counts(const struct cursor *cursor, uint64_t tensors, uint64_t keys,
                        struct ggufs_error *error)
{
    bool v1 = cursor->encoding.v1;
    uint64_t left = cursor_left(cursor);
    uint64_t keys_at = cursor->position - length_size(v1);
    int rc = check_count(cursor, tensors, "tensors", left, tensor_size_min(v1),
                         keys_at - length_size(v1), error);
    if (rc == 0)
        rc = check_count(cursor, keys, "keys", left - tensors * tensor_size_min(v1),
                         key_size_min(v1), keys_at, error);
    return rc;
}

int record_header(struct parser *parser, struct cursor *cursor, struct ggufs_error *error)
{
    struct head *head = &parser->head;
    uint32_t version = 0;
    int rc = check_magic(cursor, error);
    if (rc == 0 && cursor->state == CURSOR_GOOD)
        rc = read_version(cursor, &version, error);
    if (rc < 0)
        return rc;
    uint64_t tensors = cursor_length(cursor, "a count of tensors");
    uint64_t keys = cursor_length(cursor, "a count of keys");
    if (cursor->state != CURSOR_GOOD)
        return record_past_end(cursor, "the header is cut off", error);
    rc = check_counts(cursor, tensors, keys, error);
    if (rc < 0)
        return rc;
    head->version = version;
    head->big_endian = cursor->encoding.big_endian;
    head->v1 = cursor->encoding.v1;
    parser->claimed_tensors = tensors;
    parser->claimed_keys = keys;
    return 0;
}

/* ---- The whole --------------------------------------------------------------------------- */

/* Parses the record that the cursor is at. */
static int parse_record(struct parser *parser, struct cursor *cursor,
                        struct ggufs_error *error)
{
    switch (parser->stage) {
    case STAGE_HEADER: return record_header(parser, cursor, error);
    case STAGE_KEYS: return record_key(parser, cursor, error);
    default: return record_tensor(parser, cursor, error);
    }
}

static void next_stage(struct parser *parser)
{
    if (parser->stage == STAGE_HEADER)
        parser->stage = STAGE_KEYS;
    if (parser->stage == STAGE_KEYS && parser->head.n_keys == parser->claimed_keys)
        parser->stage = STAGE_TENSORS;
    if (parser->stage == STAGE_TENSORS &&
        parser->head.n_tensors == parser->claimed_tensors)
        parser->stage = STAGE_DONE;
}

int parser_feed(struct parser *parser, const uint8_t *bytes, uint64_t size,
                uint64_t *wanted, struct ggufs_error *error)
{
    struct head *head = &parser->head;
    while (parser->stage != STAGE_DONE) {
        struct cursor cursor = {
            .bytes = bytes,
            .at_hand = size < head->file_size ? size : head->file_size,
            .end = head->file_size,
            .position = parser->position,
            .encoding = {.big_endian = head->big_endian, .v1 = head->v1},
        };
        int rc = parse_record(parser, &cursor, error);
        if (rc < 0)
            return rc;
        if (cursor.state == CURSOR_MORE) {
            *wanted = cursor.wanted;
            return 1;
        }
        parser->position = cursor.position;
        next_stage(parser);
    }
    head->size = parser->position;
    return 0;
}

int parser_take(struct parser *parser, const uint8_t *bytes, struct head *head,
                struct ggufs_error *error)
{
    struct warnings *warnings = &parser->warnings;
    parser->head.bytes = bytes;
    *head = parser->head;
    memset(&parser->head, 0, sizeof(parser->head));
    int rc = head_index(head, warnings, error);
    if (rc == 0)
        rc = layout_tensors(head, warnings, error);
    if (rc < 0)
        goto fail;
    warnings_finish(warnings, &head->arena);
    if (warnings->failed) {
        rc = error_memory(error);
        goto fail;
    }
    head->warnings = warnings->list;
    head->n_warnings = warnings->count;
    memset(warnings, 0, sizeof(*warnings));
    return 0;
fail:
    head_done(head);
    return rc;
}
