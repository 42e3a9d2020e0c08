/* SPDX-License-Identifier: MIT */
/* The parser's insides: its state between records, and the functions that read one record.
 *
 * Each takes a cursor at the record's start. Where the bytes at hand end within the record it
 * returns 0 with the cursor's state CURSOR_MORE and has changed nothing but the mark, so that
 * it can be called again; otherwise 0 with the record taken in, or -errno with error filled. */

#ifndef GGUFS_GGUF_RECORDS_H
#define GGUFS_GGUF_RECORDS_H

#include "gguf/cursor.h"
#include "gguf/head.h"
#include "gguf/warnings.h"

enum stage {
    STAGE_HEADER = 0,
    STAGE_KEYS,
    STAGE_TENSORS,
    STAGE_DONE,
};

/* How far the elements of a key's array were looked at when the bytes at hand ended: a
 * vocabulary is megabytes, and is not begun again for each piece of it. */
struct mark {
    uint64_t elements; /* whole ones; 0: begin at the first */
    uint64_t position; /* behind them */
    uint64_t odd_bool; /* as in struct walk */
};

struct parser {
    struct head head; /* what is parsed so far */
    enum stage stage;
    uint64_t position; /* where the next record starts */
    uint64_t claimed_keys;
    uint64_t claimed_tensors;
    size_t room_keys; /* allocated */
    size_t room_tensors;
    bool aligned;     /* general.alignment was seen */
    struct mark mark; /* in the key that is at position */
    struct warnings warnings;
};

int record_header(struct parser *parser, struct cursor *cursor,
                  struct ggufs_error *error);
int record_key(struct parser *parser, struct cursor *cursor, struct ggufs_error *error);
int record_tensor(struct parser *parser, struct cursor *cursor,
                  struct ggufs_error *error);

/* How a record is called before its name is known: "key 3 of 25". */
struct record_title {
    const char *kind;
    uint64_t number;
    uint64_t of;
};

/* Reads the name that a record begins with. name stays empty where the bytes end. */
int record_name(struct cursor *cursor, const struct record_title *title,
                struct name *name, struct ggufs_error *error);

/* The record does not fit in the file: says so of subject ("key 'a'"). -EBADMSG; 0 where the
 * cursor is not past the end. */
int record_past_end(const struct cursor *cursor, const char *subject,
                    struct ggufs_error *error);

/* Room for one more of size bytes in array. Grows with what was really parsed: a claimed count
 * allocates nothing. False where memory is out. */
bool records_reserve(void *array, size_t *room, size_t count, size_t size);

#endif
