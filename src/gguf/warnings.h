/* SPDX-License-Identifier: MIT */
/* Collecting what is odd about a file. Of each kind so many are listed and the others counted,
 * so that a million odd tensors make a short list. */

#ifndef GGUFS_GGUF_WARNINGS_H
#define GGUFS_GGUF_WARNINGS_H

#include "gguf/head.h"

enum warning_kind {
    WARNING_KEY_NAME,
    WARNING_KEY_TWICE,
    WARNING_KEY_TYPE,
    WARNING_BOOL,
    WARNING_TENSOR_NAME,
    WARNING_TENSOR_TWICE,
    WARNING_DIMS,
    WARNING_TYPE,
    WARNING_ROWS,
    WARNING_UNALIGNED,
    WARNING_ORDER,
    WARNING_GAP,
    WARNING_OVERLAP,
    WARNING_CUT, /* data is not all there: these are the incomplete ones */
    WARNING_KINDS,
};

#define WARNINGS_LISTED 32 /* of each kind */

struct warnings {
    struct warning *list;
    size_t count;
    size_t capacity;
    size_t seen[WARNING_KINDS];
    bool failed; /* memory ran out: something is missing from the list */
};

/* One line is only made where it will be listed. */
void warnings_add(struct warnings *warnings, struct arena *arena, enum warning_kind kind,
                  uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Adds a line for each kind of which not all are listed. */
void warnings_finish(struct warnings *warnings, struct arena *arena);
void warnings_done(struct warnings *warnings);

/* For those who would work to make a line's parts: it will be listed. Counts it if not. */
static inline bool warnings_wants(struct warnings *warnings, enum warning_kind kind)
{
    if (warnings->seen[kind] < WARNINGS_LISTED)
        return true;
    warnings->seen[kind]++;
    return false;
}

#endif
