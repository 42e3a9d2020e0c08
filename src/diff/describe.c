/* SPDX-License-Identifier: MIT */
/* Keys and tensors in a few words, for reports. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diff/changes.h"

/* Bytes of a value that a line shows. */
#define VALUE_BYTES 72

static void describe_value_type(const struct ggufs_value *value, char *out, size_t room)
{
    if (value->type == GGUFS_ARR)
        snprintf(out, room, "arr[%s] of %" PRIu64, ggufs_value_type_name(value->arr.type),
                 value->arr.count);
    else
        snprintf(out, room, "%s", ggufs_value_type_name(value->type));
}

/* The start of the key's file under metadata/, which is what a person sees there. Its length,
 * or -errno. */
static ssize_t read_start(const struct side *side, const char *name, char *out,
                          size_t room)
{
    char path[512];
    uint64_t node;
    struct ggufs_file *file;
    snprintf(path, sizeof(path), "metadata/%s", name);
    int r = ggufs_tree_resolve(side->tree, path, &node);
    if (r == 0)
        r = ggufs_file_open(side->tree, node, &file);
    if (r < 0)
        return r;
    ssize_t length = ggufs_file_read(file, 0, out, room);
    ggufs_file_close(file);
    return length;
}

/* Lines become one; the newline at the end goes. */
static size_t join_lines(char *text, size_t length, bool whole)
{
    if (whole && length > 0 && text[length - 1] == '\n')
        length--;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            text[i] = ' ';
    }
    return length;
}

/* Where to cut a text so that no character is cut in two. */
static size_t cut_at(const char *text, size_t length)
{
    size_t cut = length;
    while (cut > 0 && length - cut < 3 && ((unsigned char)text[cut] & 0xC0) == 0x80)
        cut--;
    return ((unsigned char)text[cut] & 0xC0) == 0x80 ? length : cut;
}

void describe_value(const struct side *side, const char *name, size_t i, char *out,
                    size_t room)
{
    struct ggufs_key key;
    ggufs_model_key(side->model, i, &key);
    describe_value_type(&key.value, out, room);
    char text[VALUE_BYTES + 1];
    ssize_t got = read_start(side, name, text, sizeof(text));
    size_t used = strlen(out);
    if (got < 0) {
        snprintf(out + used, room - used, " (cannot be read: %s)", strerror((int)-got));
        return;
    }
    size_t length = (size_t)got;
    bool whole = length <= VALUE_BYTES;
    if (key.value.type == GGUFS_ARR)
        length = join_lines(text, length, whole);
    else if (whole && length > 0)
        length--;
    if (length > 0 && used + 2 < room) {
        out[used++] = ' ';
        ggufs_quote(out + used, room - used, text,
                    whole ? length : cut_at(text, VALUE_BYTES));
        used += strlen(out + used);
    }
    if (!whole)
        snprintf(out + used, room - used, "...");
}

void describe_type(const struct ggufs_tensor *tensor, char out[32])
{
    if (tensor->type)
        snprintf(out, 32, "%s", tensor->type->name);
    else
        snprintf(out, 32, "type %" PRIu32, tensor->type_id);
}

void describe_shape(const struct ggufs_tensor *tensor, char out[200])
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = tensor->n_dims; i-- > 0;)
        used += (size_t)snprintf(out + used, 200 - used, "%" PRIu64 "%s", tensor->dims[i],
                                 i > 0 ? "x" : "");
    if (tensor->n_dims == 0)
        strcpy(out, "scalar");
}
