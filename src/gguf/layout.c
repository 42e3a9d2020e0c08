/* SPDX-License-Identifier: MIT */
/* The data section: offsets from the start of the file, extents, and the checks that look at
 * one tensor beside its neighbours. Work is n log n in the number of tensors, and linear where
 * they lie in order, as all but edited files have them.
 *
 * A tensor's offset is any number that fits, so its end may not: ends are only looked at through
 * end_of, which stays at the largest number then. */

#include "gguf/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "gguf/format.h"

struct layout {
    struct head *head;
    struct warnings *warnings;
    uint32_t *order; /* tensors by offset, then as in the file; NULL: they are in order */
};

static struct tensor *nth(const struct layout *layout, size_t i)
{
    return &layout->head->tensors[layout->order == NULL ? i : layout->order[i]];
}

static struct quoted title(const struct layout *layout, const struct tensor *tensor)
{
    struct name name =
        head_tensor_name(layout->head, (size_t)(tensor - layout->head->tensors));
    return quoted(name.bytes, name.length);
}

/* Where the offset is written in the head. */
static uint64_t offset_field(const struct head *head, const struct tensor *tensor)
{
    uint64_t dims = (uint64_t)tensor->n_dims * length_size(head->v1);
    return tensor->name_offset + tensor->name_length + 4 + dims + 4;
}

static uint64_t end_of(const struct tensor *tensor)
{
    uint64_t end = UINT64_MAX;
    checked_add(tensor->offset, tensor->size, &end);
    return end;
}

/* ---- Offsets and order ------------------------------------------------------------------- */

static int place(const struct layout *layout, struct tensor *tensor,
                 struct ggufs_error *error)
{
    struct head *head = layout->head;
    uint64_t offset = tensor->offset;
    if (!checked_add(head->data_offset, offset, &tensor->offset))
        return error_set(error, GGUFS_FORMAT, offset_field(head, tensor),
                         "tensor %s: offset %" PRIu64 " from the data at byte %" PRIu64
                         " is past all numbers",
                         title(layout, tensor).text, offset, head->data_offset);
    if (offset % head->alignment != 0 &&
        warnings_wants(layout->warnings, WARNING_UNALIGNED))
        warnings_add(layout->warnings, &head->arena, WARNING_UNALIGNED,
                     offset_field(head, tensor),
                     "tensor %s: offset %" PRIu64
                     " is not a multiple of the alignment of %" PRIu64,
                     title(layout, tensor).text, offset, head->alignment);
    return 0;
}

/* Empty tensors lie anywhere: they are no part of the order. */
static void check_order(const struct layout *layout)
{
    struct head *head = layout->head;
    const struct tensor *before = NULL;
    for (size_t i = 0; i < head->n_tensors; i++) {
        const struct tensor *tensor = &head->tensors[i];
        if (tensor->n_elements == 0)
            continue;
        if (before != NULL && tensor->offset < before->offset &&
            warnings_wants(layout->warnings, WARNING_ORDER))
            warnings_add(
                layout->warnings, &head->arena, WARNING_ORDER, offset_field(head, tensor),
                "tensor %s: its data lies in front of that of %s, listed before it",
                title(layout, tensor).text, title(layout, before).text);
        before = tensor;
    }
}

static bool is_sorted(const struct head *head)
{
    for (size_t i = 1; i < head->n_tensors; i++)
        if (head->tensors[i].offset < head->tensors[i - 1].offset)
            return false;
    return true;
}

/* Merges the sorted runs [0, half) and [half, count) of from into to. */
static void merge(const struct tensor *tensors, const uint32_t *from, size_t half,
                  size_t count, uint32_t *to)
{
    size_t left = 0, right = half;
    for (size_t i = 0; i < count; i++) {
        bool take_right =
            left == half ||
            (right < count && tensors[from[right]].offset < tensors[from[left]].offset);
        to[i] = from[take_right ? right++ : left++];
    }
}

/* Tensors sorted by offset, stably, in memory of its own: no input makes it slow. NULL where
 * memory is out. */
static uint32_t *sort_by_offset(const struct tensor *tensors, size_t count)
{
    uint32_t *from = calloc(count, sizeof(*from));
    uint32_t *to = calloc(count, sizeof(*to));
    for (size_t i = 0; i < count && from != NULL; i++)
        from[i] = (uint32_t)i;
    for (size_t run = 1; run < count && from != NULL && to != NULL; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t rest = count - at;
            merge(tensors, from + at, run < rest ? run : rest,
                  2 * run < rest ? 2 * run : rest, to + at);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (to == NULL) {
        free(from);
        from = NULL;
    }
    free(to);
    return from;
}

/* ---- Extents and neighbours -------------------------------------------------------------- */

/* An extent goes to the next larger offset, the last one to the end of the file. Empty tensors
 * bound nothing. */
static void measure_extents(const struct layout *layout)
{
    uint64_t file_size = layout->head->file_size;
    uint64_t next = file_size, at = UINT64_MAX;
    for (size_t i = layout->head->n_tensors; i-- > 0;) {
        struct tensor *tensor = nth(layout, i);
        if (tensor->n_elements == 0)
            continue;
        if (tensor->offset < at && at != UINT64_MAX)
            next = at;
        at = tensor->offset;
        if (!tensor->extent)
            continue;
        tensor->size = next > at ? next - at : 0;
        if (tensor->size >= INT64_MAX) /* no size of a file: the next offset is absurd */
            tensor->size = file_size > at ? file_size - at : 0;
    }
}

static void warn_overlap(const struct layout *layout, const struct tensor *tensor,
                         const struct tensor *other)
{
    struct head *head = layout->head;
    if (!warnings_wants(layout->warnings, WARNING_OVERLAP))
        return;
    warnings_add(
        layout->warnings, &head->arena, WARNING_OVERLAP, offset_field(head, tensor),
        "tensor %s: starts at byte %" PRIu64 ", within %s, which ends at %" PRIu64,
        title(layout, tensor).text, tensor->offset, title(layout, other).text,
        end_of(other));
}

static void warn_gap(const struct layout *layout, const struct tensor *tensor,
                     const struct tensor *other, uint64_t expected)
{
    struct head *head = layout->head;
    if (!warnings_wants(layout->warnings, WARNING_GAP))
        return;
    warnings_add(layout->warnings, &head->arena, WARNING_GAP, offset_field(head, tensor),
                 "tensor %s: a gap of %" PRIu64 " bytes behind %s",
                 title(layout, tensor).text, tensor->offset - expected,
                 other == NULL ? "the head" : title(layout, other).text);
}

/* Looks at each tensor beside the one, of those that start before it, that reaches furthest. */
static void check_neighbours(const struct layout *layout)
{
    struct head *head = layout->head;
    const struct tensor *furthest = NULL;
    for (size_t i = 0; i < head->n_tensors; i++) {
        const struct tensor *tensor = nth(layout, i);
        if (tensor->n_elements == 0)
            continue;
        uint64_t end = furthest == NULL ? head->data_offset : end_of(furthest);
        uint64_t expected = UINT64_MAX;
        checked_align(end, head->alignment, &expected);
        if (furthest != NULL && tensor->offset < end)
            warn_overlap(layout, tensor, furthest);
        else if (tensor->offset > expected)
            warn_gap(layout, tensor, furthest, expected);
        if (furthest == NULL || end_of(tensor) >= end)
            furthest = tensor;
    }
}

static void check_end(const struct layout *layout, const struct tensor *tensor)
{
    struct head *head = layout->head;
    bool nothing_there = tensor->extent && tensor->size == 0;
    if (tensor->n_elements == 0 || (end_of(tensor) <= head->file_size && !nothing_there))
        return;
    if (!warnings_wants(layout->warnings, WARNING_CUT))
        return;
    warnings_add(layout->warnings, &head->arena, WARNING_CUT, offset_field(head, tensor),
                 "tensor %s: data cut off: it starts at byte %" PRIu64 " and has %" PRIu64
                 " bytes, the file ends at byte %" PRIu64,
                 title(layout, tensor).text, tensor->offset, tensor->size,
                 head->file_size);
}

/* With tensors that are all empty nothing is missing, but no writer ends a file so. */
static void check_data_start(const struct layout *layout)
{
    struct head *head = layout->head;
    if (head->n_tensors == 0 || head->data_offset <= head->file_size ||
        layout->warnings->seen[WARNING_CUT] > 0)
        return;
    warnings_add(layout->warnings, &head->arena, WARNING_GAP, head->size,
                 "the file ends at byte %" PRIu64
                 ", before its (empty) data section at byte %" PRIu64,
                 head->file_size, head->data_offset);
}

int layout_tensors(struct head *head, struct warnings *warnings,
                   struct ggufs_error *error)
{
    struct layout layout = {.head = head, .warnings = warnings};
    int rc = 0;
    if (!checked_align(head->size, head->alignment, &head->data_offset))
        return error_set(error, GGUFS_FORMAT, head->size,
                         "the data section's start is past all numbers");
    for (size_t i = 0; i < head->n_tensors && rc == 0; i++)
        rc = place(&layout, &head->tensors[i], error);
    if (rc < 0)
        return rc;
    if (!is_sorted(head)) {
        layout.order = sort_by_offset(head->tensors, head->n_tensors);
        if (layout.order == NULL)
            return error_memory(error);
    }
    measure_extents(&layout);
    check_order(&layout);
    check_neighbours(&layout);
    for (size_t i = 0; i < head->n_tensors; i++)
        check_end(&layout, &head->tensors[i]);
    check_data_start(&layout);
    free(layout.order);
    return 0;
}
