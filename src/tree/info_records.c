/* SPDX-License-Identifier: MIT */
/* The records of info.json but for the keys: files, tensors, totals, warnings. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "content/json.h"
#include "content/text.h"
#include "tree/info.h"
#include "tree/layout.h"
#include "tree/names.h"
#include "tree/views.h"
#include "tree/words.h"

/* A member: name holds its quotes and colon, and a comma where one goes before. */
static void put_string(struct sink *sink, const char *name, const char *string)
{
    sink_string(sink, name);
    json_write_string(sink, string, strlen(string));
}

static void put_number(struct sink *sink, const char *name, uint64_t number)
{
    sink_string(sink, name);
    sink_u64(sink, number);
}

void info_put_true_name(const char *shown, const char *bytes, size_t length,
                        struct pen *pen)
{
    if (strlen(shown) == length && memcmp(shown, bytes, length) == 0)
        return;
    pen_text(pen, "\"name_base64\": ");
    pen_base64(pen, bytes, length);
    pen_text(pen, ", ");
}

/* A file's name on disk, which is text or is escaped like a name in the tree. */
static void put_file_name(const char *name, struct pen *pen)
{
    char escaped[NAME_MAX_BYTES + 1];
    size_t length = strlen(name);
    const char *shown = name;

    if (!utf8_valid(name, length)) {
        name_escape(name, length, escaped, NAME_MAX_BYTES);
        shown = escaped;
    }
    if (pen_turn(pen)) {
        put_string(pen->sink, "\"name\": ", shown);
        sink_string(pen->sink, ", ");
    }
    info_put_true_name(shown, name, length, pen);
}

static void put_counts(struct sink *sink, uint64_t tensors, uint64_t keys)
{
    put_number(sink, ", \"n_tensors\": ", tensors);
    put_number(sink, ", \"n_keys\": ", keys);
}

static void put_header(struct sink *sink, uint64_t size, const struct ggufs_shard *shard)
{
    put_number(sink, "\"size\": ", size);
    put_number(sink, ", \"version\": ", shard->version);
    put_string(sink, ", \"byte_order\": ", word_byte_order(shard->big_endian));
    put_number(sink, ", \"alignment\": ", shard->alignment);
}

static void put_shard_members(const struct ggufs_shard *shard, struct pen *pen)
{
    put_file_name(shard->name, pen);
    if (!pen_turn(pen))
        return;
    if (shard->missing) {
        sink_string(pen->sink, "\"missing\": true");
        return;
    }
    put_header(pen->sink, shard->file_size, shard);
    put_number(pen->sink, ", \"data_offset\": ", shard->data_offset);
    put_counts(pen->sink, shard->n_tensors, shard->n_keys);
}

/* A set has the model's name, the sums of its files, and what is common to them. */
void info_put_file(const struct info *info, size_t i, struct pen *pen)
{
    const struct ggufs_model *model = info->model;
    struct ggufs_shard shard;

    (void)i;
    ggufs_model_shard(model, model->first, &shard);
    if (model->n_shards == 1) {
        put_shard_members(&shard, pen);
        return;
    }
    put_file_name(model->name, pen);
    if (!pen_turn(pen))
        return;
    put_header(pen->sink, model_size(model), &shard);
    put_counts(pen->sink, model->n_tensors, ggufs_model_keys(model));
}

void info_put_shard(const struct info *info, size_t i, struct pen *pen)
{
    struct ggufs_shard shard;

    ggufs_model_shard(info->model, i, &shard);
    pen_text(pen, "{");
    put_shard_members(&shard, pen);
    pen_text(pen, "}");
}

static void put_type(struct sink *sink, const struct ggufs_tensor *tensor)
{
    if (tensor->type)
        put_string(sink, "\"type\": ", tensor->type->name);
    else
        put_number(sink, "\"type\": ", tensor->type_id);
}

static void put_dimensions(struct sink *sink, const struct ggufs_tensor *tensor)
{
    uint32_t n = tensor->n_dims;

    sink_string(sink, ", \"dimensions\": [");
    for (uint32_t d = 0; d < n; d++)
        put_number(sink, d > 0 ? ", " : "", tensor->dims[d]);
    sink_string(sink, "], \"shape\": [");
    for (uint32_t d = 0; d < n; d++)
        put_number(sink, d > 0 ? ", " : "", tensor->dims[n - 1 - d]);
    sink_char(sink, ']');
}

static void put_path(struct sink *sink, const char *shown)
{
    sink_string(sink, ", \"path\": \"");
    sink_string(sink, layout_name(NODE_TENSORS));
    sink_char(sink, '/');
    json_write_characters(sink, shown, strlen(shown));
    sink_string(sink, "\"}");
}

void info_put_tensor(const struct info *info, size_t i, struct pen *pen)
{
    struct ggufs_tensor tensor;
    char buffer[256];

    ggufs_model_tensor(info->model, i, &tensor);
    const char *shown = tree_tensor_name(info->tree, i, buffer);
    if (pen_turn(pen)) {
        put_string(pen->sink, "{\"name\": ", shown);
        sink_string(pen->sink, ", ");
    }
    info_put_true_name(shown, tensor.name, tensor.name_length, pen);
    if (!pen_turn(pen))
        return;
    put_type(pen->sink, &tensor);
    put_dimensions(pen->sink, &tensor);
    put_number(pen->sink, ", \"n_elements\": ", tensor.n_elements);
    put_number(pen->sink, ", \"offset\": ", tensor.offset);
    put_number(pen->sink, ", \"size\": ", tensor.size);
    if (info->model->n_shards > 1)
        put_number(pen->sink, ", \"shard\": ", tensor.shard);
    put_path(pen->sink, shown);
}

static void put_sums(struct sink *sink, const struct type_total *total)
{
    put_number(sink, "\"tensors\": ", total->tensors);
    put_number(sink, ", \"parameters\": ", total->parameters);
    put_number(sink, ", \"bytes\": ", total->bytes);
}

void info_put_totals(const struct info *info, size_t i, struct pen *pen)
{
    (void)i;
    if (pen_turn(pen))
        put_sums(pen->sink, &info->totals.all);
}

void info_put_type(const struct info *info, size_t i, struct pen *pen)
{
    const struct type_total *total = &info->totals.types[i];
    struct ggufs_tensor tensor = {.type_id = total->type_id,
                                  .type = ggufs_type_by_id(total->type_id)};

    if (!pen_turn(pen))
        return;
    sink_char(pen->sink, '"');
    word_tensor_type(pen->sink, &tensor);
    sink_string(pen->sink, "\": {");
    put_sums(pen->sink, total);
    sink_char(pen->sink, '}');
}

void info_put_warning(const struct info *info, size_t i, struct pen *pen)
{
    struct ggufs_warning warning;
    char text[1600], name[512] = "", at[48] = "";

    if (!pen_turn(pen))
        return;
    ggufs_model_warning(info->model, i, &warning);
    if (info->model->n_shards > 1) {
        const char *shard = info->model->shards[warning.shard].name;
        ggufs_quote(name, sizeof(name) - 2, shard, strlen(shard));
        strcat(name, ": ");
    }
    if (warning.offset != GGUFS_NO_OFFSET)
        snprintf(at, sizeof(at), " (at byte %" PRIu64 ")", warning.offset);
    snprintf(text, sizeof(text), "%s%.1000s%s", name, warning.text, at);
    json_write_string(pen->sink, text, strlen(text));
}
