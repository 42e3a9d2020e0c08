/* SPDX-License-Identifier: MIT */
/* The small steps of changing a GGUF file, and the material that new records are made of. */

#include "edit.h"

#include <string.h>

static const char *const names[] = {
    "general.alignment",
    "general.architecture",
    "general.name",
    "general.file_type",
    "general.quantization_version",
    "split.no",
    "split.count",
    "split.tensors.count",
    "general.split_count",
    "tokenizer.chat_template",
    "tokenizer.chat_template.tool_use",
    "tokenizer.chat_templates",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.scores",
    "llama.context_length",
    "token_embd.weight",
    "blk.0.attn_q.weight",
    "output.weight",
    "",
    ".",
    "..",
    "a/b",
    "%2F",
    "a%2",
    "a",
    "\xff\xfe",
    "tab\tnewline\n",
    "__metadata__",
    "\xf0\x9f\xa6\x99",
};

uint64_t edit_random(struct edit *edit, uint64_t n)
{
    uint64_t x = edit->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % n;
}

uint64_t edit_odd_number(struct edit *edit)
{
    uint64_t power = UINT64_C(1) << edit_random(edit, 64);
    switch (edit_random(edit, 8)) {
    case 0: return edit_random(edit, 4);
    case 1: return edit_random(edit, 64);
    case 2: return 32 * edit_random(edit, 64);
    case 3: return edit->size - edit_random(edit, edit->size + 1);
    case 4: return power;
    case 5: return power - 1;
    case 6: return power + edit_random(edit, 64);
    default: return UINT64_MAX - edit_random(edit, 64);
    }
}

const char *edit_name(struct edit *edit)
{
    return names[edit_random(edit, sizeof(names) / sizeof(names[0]))];
}

bool edit_replace(struct edit *edit, size_t at, size_t old_size, const void *bytes,
                  size_t new_size)
{
    if (edit->size - old_size > edit->room - new_size || new_size > edit->room)
        return false;
    memmove(edit->bytes + at + new_size, edit->bytes + at + old_size,
            edit->size - at - old_size);
    if (new_size > 0)
        memcpy(edit->bytes + at, bytes, new_size);
    edit->size = edit->size - old_size + new_size;
    return true;
}

bool edit_string(struct edit *edit, size_t i, const void *bytes, size_t size)
{
    const struct field *length = &edit->map.list[i], *text = &edit->map.list[i + 1];
    if (!edit_replace(edit, text->at, text->size, bytes, size))
        return false;
    fields_set(&edit->map, edit->bytes + length->at, length->unit, size);
    return true;
}

void edit_count(struct edit *edit, size_t i, int64_t change)
{
    const struct field *field = &edit->map.list[i];
    uint64_t count = fields_get(&edit->map, edit->bytes + field->at, field->unit);
    fields_set(&edit->map, edit->bytes + field->at, field->unit,
               count + (uint64_t)change);
}

/* ---- new records ---- */

static size_t put(struct edit *edit, uint8_t *out, uint64_t value, size_t unit)
{
    fields_set(&edit->map, out, unit, value);
    return unit;
}

static size_t put_string(struct edit *edit, uint8_t *out, const char *text)
{
    size_t length = strlen(text), n = put(edit, out, length, edit->map.width);
    memcpy(out + n, text, length);
    return n + length;
}

static size_t new_array(struct edit *edit, uint8_t *out, unsigned depth)
{
    uint32_t type = (uint32_t)edit_random(edit, depth < 3 ? 13 : 9);
    uint64_t count = edit_random(edit, 4);
    size_t n = put(edit, out, type, 4);
    n += put(edit, out + n, count, edit->map.width);
    for (uint64_t i = 0; i < count; i++)
        n += edit_new_value(edit, out + n, type, depth + 1);
    return n;
}

size_t edit_new_value(struct edit *edit, uint8_t *out, uint32_t type, unsigned depth)
{
    size_t unit = fields_scalar_size(type);
    if (unit > 0)
        return put(edit, out, edit_odd_number(edit), unit);
    if (type == 8)
        return put_string(edit, out, depth > 2 ? "x" : edit_name(edit));
    return type == 9 && depth < 3 ? new_array(edit, out, depth) : 0;
}

size_t edit_new_key(struct edit *edit, uint8_t *out)
{
    uint32_t type = (uint32_t)edit_random(edit, 13);
    size_t n = put_string(edit, out, edit_name(edit));
    n += put(edit, out + n, type, 4);
    return n + edit_new_value(edit, out + n, type, 1);
}

size_t edit_new_tensor(struct edit *edit, uint8_t *out)
{
    uint64_t n_dims = edit_random(edit, 5);
    size_t n = put_string(edit, out, edit_name(edit));
    n += put(edit, out + n, n_dims, 4);
    for (uint64_t i = 0; i < n_dims; i++)
        n +=
            put(edit, out + n, (i == 0 ? 32 : 1) * edit_random(edit, 9), edit->map.width);
    n += put(edit, out + n, edit_random(edit, 44), 4);
    return n + put(edit, out + n, 32 * edit_random(edit, 64), 8);
}
