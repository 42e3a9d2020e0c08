/* SPDX-License-Identifier: MIT */
/* From bytes to a struct head. No I/O: the caller hands in as much of the file as it has, and
 * is told when more is needed. Records are parsed one at a time; one that is cut off by the
 * bytes at hand (not by the end of the file) is parsed again when more is there: a key's array
 * from the element that was cut off, all else from its start, so a caller that adds a part of
 * what it has does work linear in the head's size.
 *
 * Rules: what is refused and what is warned of is design: everything that can be addressed is
 * shown. Counts are bounded by the bytes of the file that are left before anything is
 * allocated. A file may be embedded nowhere: offset 0 is its first byte. */

#ifndef GGUFS_GGUF_PARSE_H
#define GGUFS_GGUF_PARSE_H

#include "gguf/head.h"

struct parser;

/* file_size: bytes of the whole file. NULL where memory is out. */
struct parser *parser_new(uint64_t file_size);
void parser_free(struct parser *parser);

/* Parses on, with the first size bytes of the file at bytes (all of them, from offset 0, at
 * each call; the address may differ from call to call). Returns
 *   0        the head is parsed: take it with parser_take;
 *   1        more is needed: call again with at least *wanted bytes (never above file_size);
 *   -errno   it is no GGUF file, or a malformed one: error is filled. */
int parser_feed(struct parser *parser, const uint8_t *bytes, uint64_t size,
                uint64_t *wanted, struct ggufs_error *error);

/* Moves the parsed head out: lays out tensors (sizes, extents), checks order, gaps, overlaps
 * and ends against the file's size, builds the tables by name, collects the warnings. bytes
 * are the head's final bytes, which the caller keeps as long as the head. 0 or -errno. */
int parser_take(struct parser *parser, const uint8_t *bytes, struct head *head,
                struct ggufs_error *error);

#endif
