/* SPDX-License-Identifier: MIT */
/* The list of warnings: growing it, and counting what it leaves out. */

#include "gguf/warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "17 more ..." */
static const char *const kind_texts[] = {
    [WARNING_KEY_NAME] = "keys with an empty or overlong name",
    [WARNING_KEY_TWICE] = "keys with a name that was there before",
    [WARNING_KEY_TYPE] = "keys with a value of an odd type",
    [WARNING_BOOL] = "keys with a bool other than 0 and 1",
    [WARNING_TENSOR_NAME] = "tensors with an empty or overlong name",
    [WARNING_TENSOR_TWICE] = "tensors with a name that was there before",
    [WARNING_DIMS] = "tensors of more dimensions than usual",
    [WARNING_TYPE] = "tensors of an unknown or removed type",
    [WARNING_ROWS] = "tensors whose rows are no multiple of the block",
    [WARNING_UNALIGNED] = "tensors at offsets that are not aligned",
    [WARNING_ORDER] = "tensors in front of the one before",
    [WARNING_GAP] = "gaps between tensors",
    [WARNING_OVERLAP] = "tensors that overlap another",
    [WARNING_CUT] = "tensors whose data is cut off",
};

static bool reserve(struct warnings *warnings)
{
    if (warnings->count < warnings->capacity)
        return true;
    size_t capacity = warnings->capacity == 0 ? 16 : warnings->capacity * 2;
    struct warning *list = realloc(warnings->list, capacity * sizeof(*list));
    if (list == NULL)
        return false;
    warnings->list = list;
    warnings->capacity = capacity;
    return true;
}

static void append(struct warnings *warnings, struct arena *arena, const char *text,
                   uint64_t offset, bool incomplete)
{
    const char *kept = arena_copy(arena, text, strlen(text));
    if (kept == NULL || !reserve(warnings)) {
        warnings->failed = true;
        return;
    }
    warnings->list[warnings->count++] =
        (struct warning){.text = kept, .offset = offset, .incomplete = incomplete};
}

void warnings_add(struct warnings *warnings, struct arena *arena, enum warning_kind kind,
                  uint64_t offset, const char *format, ...)
{
    char text[sizeof(((struct ggufs_error *)NULL)->text)];
    if (!warnings_wants(warnings, kind))
        return;
    warnings->seen[kind]++;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    append(warnings, arena, text, offset, kind == WARNING_CUT);
}

void warnings_finish(struct warnings *warnings, struct arena *arena)
{
    char text[128];
    for (int kind = 0; kind < WARNING_KINDS; kind++) {
        if (warnings->seen[kind] <= WARNINGS_LISTED)
            continue;
        snprintf(text, sizeof(text), "%zu more %s",
                 warnings->seen[kind] - WARNINGS_LISTED, kind_texts[kind]);
        append(warnings, arena, text, GGUFS_NO_OFFSET, kind == WARNING_CUT);
    }
}

void warnings_done(struct warnings *warnings)
{
    free(warnings->list);
    memset(warnings, 0, sizeof(*warnings));
}
