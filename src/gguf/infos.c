/* SPDX-License-Identifier: MIT */
/* One tensor info: bounds, dimensions, the size that they and the type give. Where the tensor
 * lies among the others is looked at in layout.c, when all are known. */

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/error.h"
#include "gguf/records.h"

/* On its way through one info. */
struct info {
    struct tensor tensor;
    struct name name;
    uint64_t dims[GGUFS_DIMS_MAX];
    uint64_t dims_offset;
    uint64_t type_offset;
};

static struct quoted title(const struct info *info)
{
    return quoted(info->name.bytes, info->name.length);
}

static int read_name(const struct parser *parser, struct cursor *cursor,
                     struct info *info, struct ggufs_error *error)
{
    struct record_title record = {"tensor", parser->head.n_tensors + 1,
                                  parser->claimed_tensors};
    int rc = record_name(cursor, &record, &info->name, error);
    info->tensor.name_length = (uint32_t)info->name.length;
    info->tensor.name_offset = cursor->position - info->name.length;
    return rc;
}

static int read_dims(struct cursor *cursor, struct info *info, struct ggufs_error *error)
{
    uint64_t offset = cursor->position;
    uint32_t n_dims = cursor_u32(cursor, "a count of dimensions");
    if (n_dims > GGUFS_DIMS_MAX)
        return error_set(error, GGUFS_FORMAT, offset,
                         "tensor %s: %" PRIu32 " dimensions; at most %d are allowed",
                         title(info).text, n_dims, GGUFS_DIMS_MAX);
    info->dims_offset = cursor->position;
    info->tensor.n_dims = (uint8_t)n_dims;
    for (uint32_t i = 0; i < n_dims; i++)
        info->dims[i] = cursor_length(cursor, "a dimension");
    return 0;
}

/* The product, which is 0 as soon as one factor is. */
static bool count_elements(const struct info *info, uint64_t *count)
{
    uint64_t product = 1;
    bool fits = true;
    for (int i = 0; i < info->tensor.n_dims; i++) {
        if (info->dims[i] > INT64_MAX)
            return false;
        if (info->dims[i] == 0)
            product = 0;
    }
    for (int i = 0; i < info->tensor.n_dims && product != 0; i++)
        fits = fits && checked_mul(product, info->dims[i], &product);
    *count = product;
    return fits && product < INT64_MAX;
}

static int too_big(const struct info *info, const char *what, struct ggufs_error *error)
{
    char shape[GGUFS_DIMS_MAX * 21 + 1] = "";
    size_t length = 0;
    for (int i = 0; i < info->tensor.n_dims; i++)
        length += (size_t)snprintf(shape + length, sizeof(shape) - length, "%s%" PRIu64,
                                   i == 0 ? "" : "x", info->dims[i]);
    return error_set(error, GGUFS_FORMAT, info->dims_offset,
                     "tensor %s: dimensions %s: more %s than 2^63 - 2", title(info).text,
                     shape, what);
}

static bool has_odd_rows(const struct info *info, const struct ggufs_type *type)
{
    uint64_t row = info->tensor.n_dims == 0 ? 1 : info->dims[0];
    return row % type->block_size != 0;
}

/* Size by type, or an extent that layout will measure. */
static int measure(struct info *info, struct ggufs_error *error)
{
    struct tensor *tensor = &info->tensor;
    const struct ggufs_type *type = ggufs_type_by_id(tensor->type_id);
    if (!count_elements(info, &tensor->n_elements))
        return too_big(info, "elements", error);
    tensor->size = 0;
    tensor->extent = false;
    if (tensor->n_elements == 0)
        return 0;
    tensor->extent = type == NULL || type->removed || has_odd_rows(info, type);
    if (tensor->extent)
        return 0;
    if (!checked_mul(tensor->n_elements / type->block_size, type->type_size,
                     &tensor->size) ||
        tensor->size >= INT64_MAX)
        return too_big(info, "bytes", error);
    return 0;
}

static void warn_of_name(struct parser *parser, const struct info *info)
{
    struct warnings *warnings = &parser->warnings;
    struct arena *arena = &parser->head.arena;
    uint64_t offset = info->tensor.name_offset - length_size(parser->head.v1);
    if (info->name.length == 0)
        warnings_add(warnings, arena, WARNING_TENSOR_NAME, offset,
                     "tensor %zu of %" PRIu64 ": its name is empty",
                     parser->head.n_tensors + 1, parser->claimed_tensors);
    if (info->name.length > TENSOR_NAME_USUAL &&
        warnings_wants(warnings, WARNING_TENSOR_NAME))
        warnings_add(warnings, arena, WARNING_TENSOR_NAME, offset,
                     "tensor %s: a name of %zu bytes; at most %d are usual",
                     title(info).text, info->name.length, TENSOR_NAME_USUAL);
}

static void warn_of_type(struct parser *parser, const struct info *info)
{
    struct warnings *warnings = &parser->warnings;
    struct arena *arena = &parser->head.arena;
    const struct ggufs_type *type = ggufs_type_by_id(info->tensor.type_id);
    if (type != NULL && !type->removed)
        return;
    if (!warnings_wants(warnings, WARNING_TYPE))
        return;
    if (type == NULL)
        warnings_add(warnings, arena, WARNING_TYPE, info->type_offset,
                     "tensor %s: unknown type %" PRIu32
                     "; shown up to the next tensor or the end of the file",
                     title(info).text, info->tensor.type_id);
    else
        warnings_add(warnings, arena, WARNING_TYPE, info->type_offset,
                     "tensor %s: type %" PRIu32
                     " (%s) was removed from ggml; shown up to "
                     "the next tensor or the end of the file",
                     title(info).text, type->id, type->name);
}

static void warn_of_dims(struct parser *parser, const struct info *info)
{
    struct warnings *warnings = &parser->warnings;
    struct arena *arena = &parser->head.arena;
    const struct ggufs_type *type = ggufs_type_by_id(info->tensor.type_id);
    if (info->tensor.n_dims > DIMS_USUAL && warnings_wants(warnings, WARNING_DIMS))
        warnings_add(warnings, arena, WARNING_DIMS, info->dims_offset - 4,
                     "tensor %s: %u dimensions; at most %d are usual", title(info).text,
                     info->tensor.n_dims, DIMS_USUAL);
    if (type != NULL && !type->removed && has_odd_rows(info, type) &&
        warnings_wants(warnings, WARNING_ROWS))
        warnings_add(warnings, arena, WARNING_ROWS, info->dims_offset,
                     "tensor %s: %" PRIu64
                     " elements a row, not a multiple of %s's block of %" PRIu32,
                     title(info).text, info->tensor.n_dims == 0 ? 1 : info->dims[0],
                     type->name, type->block_size);
}

static int info_past_end(const struct cursor *cursor, const struct info *info,
                         struct ggufs_error *error)
{
    char subject[sizeof(struct quoted) + 8];
    if (cursor->state != CURSOR_PAST_END)
        return 0;
    snprintf(subject, sizeof(subject), "tensor %s", title(info).text);
    return record_past_end(cursor, subject, error);
}

int record_tensor(struct parser *parser, struct cursor *cursor, struct ggufs_error *error)
{
    struct head *head = &parser->head;
    struct info info = {0};
    int rc = read_name(parser, cursor, &info, error);
    if (rc == 0 && cursor->state == CURSOR_GOOD)
        rc = read_dims(cursor, &info, error);
    if (rc < 0 || cursor->state == CURSOR_MORE)
        return rc;
    info.type_offset = cursor->position;
    info.tensor.type_id = cursor_u32(cursor, "a type");
    info.tensor.offset = cursor_u64(cursor, "an offset");
    if (cursor->state != CURSOR_GOOD)
        return info_past_end(cursor, &info, error);
    rc = measure(&info, error);
    if (rc < 0)
        return rc;
    if (!records_reserve(&head->tensors, &parser->room_tensors, head->n_tensors,
                         sizeof(info.tensor)))
        return error_memory(error);
    warn_of_name(parser, &info);
    warn_of_dims(parser, &info);
    warn_of_type(parser, &info);
    head->tensors[head->n_tensors++] = info.tensor;
    return 0;
}
