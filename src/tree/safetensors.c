/* SPDX-License-Identifier: MIT */
/* model.safetensors: eight bytes of length, a header of JSON (an object a tensor with dtype,
 * shape and data_offsets, and __metadata__ with the string and scalar keys), and the data of
 * all tensors without holes. The header is generated text, an entry a step (a long string in
 * several). A tensor is called by its file name in tensors/, a key by its in metadata/. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/load.h"
#include "base/utf8.h"
#include "content/json.h"
#include "content/text.h"
#include "tree/form.h"
#include "tree/names.h"
#include "tree/views.h"

/* What the format's own reader allows for a header. */
#define HEADER_MAX 100000000

/* Bytes of a long string that one step writes: escaped they stay below a step's bound. */
#define PIECE 8192

struct safetensors {
    const struct tree *tree;
    const struct ggufs_model *model;
    uint64_t
        *starts; /* where each tensor's data begins in the data section, and its end */
    size_t n_tensors;
    uint8_t length[8];
    struct content *parts[4]; /* by enum part */
};

enum part {
    PART_LENGTH,
    PART_TEXT,
    PART_PADDING,
    PART_DATA,
};

/* -- an entry of the header -- */

/* Names that mean something to the format, and what a key or tensor that is called so is
 * called there: no file name is spelled like that. */
#define METADATA         "__metadata__"
#define METADATA_ESCAPED "%5F_metadata__"
#define FORMAT           "format"
#define FORMAT_ESCAPED   "%66ormat"

static void write_name(struct sink *sink, const char *name, const char *taken,
                       const char *escaped)
{
    if (strcmp(name, taken) == 0)
        name = escaped;
    json_write_string(sink, name, strlen(name));
    sink_char(sink, ':');
}

static void write_shape(struct sink *sink, const struct ggufs_tensor *tensor, bool flat)
{
    if (flat)
        sink_u64(sink, tensor->size);
    for (uint32_t i = flat ? 0 : tensor->n_dims; i-- > 0;) {
        sink_u64(sink, tensor->dims[i]);
        if (i > 0)
            sink_char(sink, ',');
    }
}

static void write_tensor(const struct safetensors *s, size_t i, struct sink *sink)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(s->model, i, &tensor);
    struct form form = form_safetensors(s->model, &tensor);
    char buffer[256];
    sink_char(sink, ',');
    write_name(sink, tree_tensor_name(s->tree, i, buffer), METADATA, METADATA_ESCAPED);
    sink_string(sink, "{\"dtype\":\"");
    sink_string(sink, form.safetensors);
    sink_string(sink, "\",\"shape\":[");
    write_shape(sink, &tensor, form.flat);
    sink_string(sink, "],\"data_offsets\":[");
    sink_u64(sink, s->starts[i]);
    sink_char(sink, ',');
    sink_u64(sink, s->starts[i + 1]);
    sink_string(sink, "]}");
}

/* Whether a key goes into __metadata__, which maps strings to strings. */
static bool is_shown(const struct ggufs_value *value)
{
    if (value->type == GGUFS_STR)
        return utf8_valid(value->str.bytes, value->str.length);
    return value->type != GGUFS_ARR;
}

static void write_scalar(const struct ggufs_value *value, struct sink *sink)
{
    char text[64];
    struct sink plain = sink_window(0, 0, text, sizeof(text));
    json_write_value(&plain, value);
    size_t quoted = text[0] == '"';
    json_write_string(sink, text + quoted, sink_filled(&plain) - 2 * quoted);
}

/* The piece of a string from *position on, cut between two characters; true at its end. */
static bool write_piece(const struct ggufs_value *value, uint64_t *position,
                        struct sink *sink)
{
    const char *bytes = value->str.bytes + *position;
    uint64_t left = value->str.length - *position;
    uint64_t length = left < PIECE ? left : PIECE;
    while (length < left && ((unsigned char)bytes[length] & 0xC0) == 0x80)
        length--;
    json_write_characters(sink, bytes, length);
    *position += length;
    return length == left;
}

/* A key, or the next piece of it: true when all of it is written. */
static bool write_key(const struct safetensors *s, size_t i, uint64_t *position,
                      struct sink *sink)
{
    struct ggufs_key key;
    ggufs_model_key(s->model, i, &key);
    if (*position == 0) {
        if (!is_shown(&key.value))
            return true;
        char buffer[256];
        sink_char(sink, ',');
        write_name(sink, tree_key_name(s->tree, i, buffer), FORMAT, FORMAT_ESCAPED);
        if (key.value.type != GGUFS_STR) {
            write_scalar(&key.value, sink);
            return true;
        }
        sink_char(sink, '"');
    }
    if (!write_piece(&key.value, position, sink))
        return false;
    sink_char(sink, '"');
    return true;
}

/* True where the entry is written, false where more of it is to come. */
static bool write_entry(const struct safetensors *s, struct text_state *state,
                        struct sink *sink)
{
    size_t n_keys = ggufs_model_keys(s->model);
    uint64_t entry = state->at[0];
    if (entry == 0) {
        sink_string(sink, "{\"" METADATA "\":{\"" FORMAT "\":\"gguf\"");
        return true;
    }
    if (entry <= n_keys)
        return write_key(s, entry - 1, &state->at[1], sink);
    entry -= n_keys + 1;
    if (entry == 0)
        sink_char(sink, '}');
    write_tensor(s, entry, sink);
    return true;
}

/* at[0] counts entries: the opening, the keys, the tensors, the end; at[1] is the position in
 * a long string. */
static int step(const void *maker, struct text_state *state, struct sink *sink)
{
    const struct safetensors *s = maker;
    if (state->at[0] == 1 + ggufs_model_keys(s->model) + s->n_tensors) {
        sink_string(sink, s->n_tensors == 0 ? "}}" : "}");
        return 0;
    }
    if (write_entry(s, state, sink)) {
        state->at[0]++;
        state->at[1] = 0;
    }
    return 1;
}

/* -- the file -- */

static struct content *tensor_part(void *owner, size_t i)
{
    const struct safetensors *s = owner;
    struct ggufs_tensor tensor;
    ggufs_model_tensor(s->model, i, &tensor);
    struct form form = form_safetensors(s->model, &tensor);
    return form_content(&form, s->model, i, true);
}

static struct content *file_part(void *owner, size_t i)
{
    return ((struct safetensors *)owner)->parts[i];
}

static void safetensors_free(void *owner)
{
    struct safetensors *s = owner;
    for (size_t i = 0; i < 4; i++)
        content_free(s->parts[i]);
    free(s->starts);
    free(s);
}

/* Where each tensor's data begins, one right behind the other: n_tensors + 1 of them, unless
 * starts is NULL. */
static int lay_out_data(const struct ggufs_model *model, uint64_t *starts)
{
    size_t n = ggufs_model_tensors(model);
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        struct ggufs_tensor tensor;
        ggufs_model_tensor(model, i, &tensor);
        struct form form = form_safetensors(model, &tensor);
        uint64_t size;
        if (starts)
            starts[i] = end;
        if (!form_size(&form, &tensor, &size) ||
            __builtin_add_overflow(end, size, &end) || end > INT64_MAX / 2)
            return -EFBIG;
    }
    if (starts)
        starts[n] = end;
    return 0;
}

/* The data section's own table of starts: a content owns what it is given, also where it
 * cannot be made. */
static struct content *data_content(struct safetensors *s)
{
    size_t size = (s->n_tensors + 1) * sizeof(*s->starts);
    uint64_t *starts = malloc(size);
    if (starts == NULL)
        return NULL;
    memcpy(starts, s->starts, size);
    return content_concat(s->n_tensors, starts, tensor_part, NULL, s, true);
}

/* Measures the header and makes the parts that depend on it; starts are theirs in the file. */
static int lay_out_file(struct safetensors *s, uint64_t starts[5])
{
    static const char spaces[] = "       ";
    uint64_t text;
    s->parts[PART_TEXT] = content_text(step, s, NULL);
    if (s->parts[PART_TEXT] == NULL)
        return -ENOMEM;
    int r = content_size(s->parts[PART_TEXT], &text);
    if (r < 0)
        return r;
    uint64_t padding = (8 - text % 8) % 8;
    if (text + padding > HEADER_MAX)
        return -EFBIG;
    store_u64(s->length, text + padding, false);
    s->parts[PART_LENGTH] = content_bytes(s->length, sizeof(s->length), NULL);
    s->parts[PART_PADDING] = content_bytes(spaces, padding, NULL);
    s->parts[PART_DATA] = data_content(s);
    starts[0] = 0;
    starts[1] = sizeof(s->length);
    starts[2] = starts[1] + text;
    starts[3] = starts[2] + padding;
    starts[4] = starts[3] + s->starts[s->n_tensors];
    return s->parts[PART_LENGTH] && s->parts[PART_PADDING] && s->parts[PART_DATA]
               ? 0
               : -ENOMEM;
}

int safetensors_content(const struct tree *tree, const struct ggufs_model *model,
                        struct content **content)
{
    struct safetensors *s = calloc(1, sizeof(*s));
    uint64_t *starts = calloc(5, sizeof(*starts));
    int r = -ENOMEM;
    *content = NULL;
    if (s && starts) {
        *s = (struct safetensors){tree, model, NULL, ggufs_model_tensors(model),
                                  {0},  {NULL}};
        s->starts = calloc(s->n_tensors + 1, sizeof(*s->starts));
        r = s->starts ? lay_out_data(model, s->starts) : -ENOMEM;
    }
    if (r == 0)
        r = lay_out_file(s, starts);
    if (r == 0) {
        *content = content_concat(4, starts, file_part, safetensors_free, s, false);
        return *content ? 0 : -ENOMEM;
    }
    free(starts);
    if (s)
        safetensors_free(s);
    return r;
}

/* -- will it fit? Bounds from above, quick enough to ask at each mount -- */

/* A file name has at most 255 bytes, of which JSON doubles only '"' and '\\'. */
static uint64_t name_bound(uint64_t length, bool plain)
{
    uint64_t bytes = plain ? length : 3 * (uint64_t)NAME_MAX_BYTES;
    return 2 * (bytes < NAME_MAX_BYTES ? bytes : NAME_MAX_BYTES);
}

static uint64_t tensor_bound(const struct ggufs_tensor *tensor)
{
    static const char frame[] =
        ",\"\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[,]}";
    char digits[DECIMAL_MAX];
    uint64_t number =
        tensor->size > tensor->n_elements ? tensor->size : tensor->n_elements;
    size_t dimension = tensor->n_elements == 0 ? 20 : decimal_u64(digits, number) + 1;
    bool plain = name_is_plain(tensor->name, tensor->name_length, NAME_MAX_BYTES);
    return sizeof(frame) + name_bound(tensor->name_length, plain) + 2 * 19 +
           dimension * (tensor->n_dims + 1);
}

static uint64_t key_bound(const struct ggufs_key *key)
{
    static const char frame[] = ",\"\":\"\"";
    uint64_t value = 40; /* a scalar's, or nothing */
    if (key->value.type == GGUFS_STR) {
        value = key->value.str.length;
        struct sink counter = sink_counter();
        if (value < HEADER_MAX)
            json_write_characters(&counter, key->value.str.bytes, (size_t)value);
        value = counter.position > value ? counter.position : value;
    }
    return sizeof(frame) + name_bound(key->name_length, false) + value;
}

static uint64_t header_bound(const struct ggufs_model *model)
{
    uint64_t bound = 256;
    for (size_t i = 0; i < ggufs_model_keys(model) && bound < HEADER_MAX; i++) {
        struct ggufs_key key;
        ggufs_model_key(model, i, &key);
        bound += key_bound(&key);
    }
    for (size_t i = 0; i < ggufs_model_tensors(model) && bound < HEADER_MAX; i++) {
        struct ggufs_tensor tensor;
        ggufs_model_tensor(model, i, &tensor);
        bound += tensor_bound(&tensor);
    }
    return bound;
}

static const char *why_not(const struct ggufs_model *model)
{
    if (header_bound(model) >= HEADER_MAX)
        return "no model.safetensors: its header would pass 100 MB";
    if (lay_out_data(model, NULL) < 0)
        return "no model.safetensors: it would be larger than a file can be";
    return NULL;
}

bool safetensors_fits(const struct ggufs_model *model)
{
    const char *reason = why_not(model);
    if (reason && model->options.log)
        model->options.log(model->options.log_data, reason);
    return !reason;
}
