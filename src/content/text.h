/* SPDX-License-Identifier: MIT */
/* Generated text: a file that is made by steps, never kept, and read anywhere.
 *
 * A maker is a function that, from a small state that can be copied, writes a bounded
 * piece of the text (at most TEXT_STEP_MAX bytes) and moves the state on. Measuring
 * runs it to its end with a sink that counts, and keeps a copy of the state each
 * TEXT_CHECKPOINT bytes; a read starts at the nearest checkpoint before it. A megabyte
 * of text costs less than two kilobytes. */

#ifndef GGUFS_CONTENT_TEXT_H
#define GGUFS_CONTENT_TEXT_H

#include "base/sink.h"
#include "content/content.h"
#include "ggufs.h"

#define TEXT_STEP_MAX   65536
#define TEXT_CHECKPOINT 65536

/* Where a maker stands; what the numbers mean is the maker's. All zero is the start. */
struct text_state {
    uint64_t at[12]; /* as many as a walk through arrays in arrays takes */
};

/* Writes the next piece: 1 where there may be more, 0 at the end, -errno. The same
 * state gives the same piece each time. */
typedef int text_step_fn(const void *maker, struct text_state *state, struct sink *sink);

/* maker outlives the content, or is freed with it by free_maker (may be NULL),
 * also where this returns NULL: memory is out. */
struct content *content_text(text_step_fn *step, const void *maker,
                             void (*free_maker)(void *maker));

/* -- what the files of metadata/ say -- */

/* The file of one key: scalar, string with a newline, or an array as JSON Lines.
 * value's bytes outlive the content. */
struct content *content_value(const struct ggufs_value *value);

/* JSON of a string that is valid UTF-8, quotes included; control characters as \u00XX
 * but for \n \t \r \b \f, '"' and '\' escaped, everything else as it is. (json_string
 * is jansson's.) */
void json_write_string(struct sink *sink, const char *bytes, size_t length);
/* A scalar or a string as JSON: NaN and infinities as strings, invalid UTF-8 as
 * {"base64":"..."}. For short values (strings below 16 KiB or so): longer ones and arrays
 * go through content_value's steps. */
void json_write_value(struct sink *sink, const struct ggufs_value *value);

#endif
