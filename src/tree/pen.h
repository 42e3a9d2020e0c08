/* SPDX-License-Identifier: MIT */
/* Writing a record of generated text in steps, by a function that is written as if it wrote the
 * record in one go. The pen counts the pieces: those that an earlier step wrote are passed over,
 * and once a step has written enough the rest waits. A step therefore runs the function from
 * its start, but a string costs nothing for the parts of it that are not written. */

#ifndef GGUFS_TREE_PEN_H
#define GGUFS_TREE_PEN_H

#include "base/sink.h"
#include "ggufs.h"

/* A piece starts before this many bytes of a step are written; it has at most PEN_PIECE. */
#define PEN_STEP  16384
#define PEN_PIECE 40960

struct pen {
    struct sink *sink;
    uint64_t end;    /* no piece starts at or behind this position */
    uint64_t behind; /* pieces of this record that were written by earlier steps */
    uint64_t piece;  /* the next one's number */
    bool stopped;    /* pieces from piece on are the next step's */
    uint64_t mode;   /* of the long string at hand; kept from step to step */
};

struct pen pen_new(struct sink *sink, uint64_t mode);
/* Turns to a record of which so many pieces are written. */
void pen_record(struct pen *pen, uint64_t behind);

/* Whether the next piece is to be written now (to pen->sink). */
bool pen_turn(struct pen *pen);
void pen_text(struct pen *pen, const char *text);
/* A scalar or a string of any length, as json_write_value has it. */
void pen_value(struct pen *pen, const struct ggufs_value *value);
/* Bytes of any number as a JSON string of base64. */
void pen_base64(struct pen *pen, const char *bytes, size_t length);

#endif
