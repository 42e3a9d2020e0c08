/* SPDX-License-Identifier: MIT */
/* Makes the sample model, always the same bytes: every type of value, arrays in arrays, more than
 * a dozen types of tensors, chat templates, names that a file cannot have. Small, complete, and
 * nothing to warn of. It stands alone, because scripts/mount needs it and not the tests.
 *
 *     sample OUT.gguf */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 32, DIMS = 4 };

enum type { U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 };

static const unsigned char type_size[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct key {
    const char *name;
    enum type type;
    uint64_t bits;    /* of a number, as it is stored */
    const char *text; /* of a string */
};

static const char template[] = "{% for message in messages %}<|{{ message.role }}|>\n{{ "
                               "message.content }}\n{% endfor %}";
static const char tools_template[] =
    "{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}";

static const struct key keys[] = {
    {"general.architecture", STR, 0, "llama"},
    {"general.alignment", U32, ALIGNMENT, NULL},
    {"general.name", STR, 0, "A sample of everything"},
    {"general.license", STR, 0, "mit"},
    {"general.license.name", STR, 0, "MIT License"},
    {"general.description", STR, 0, "Two lines,\nwith \"quotes\" and \xc3\xbcmlauts"},
    {"llama.block_count", U32, 2, NULL},
    {"llama.context_length", U32, 2048, NULL},
    {"llama.embedding_length", U32, 256, NULL},
    {"llama.rope.freq_base", F32, 0x461c4000, NULL}, /* 10000 */
    {"sample.u8", U8, 200, NULL},
    {"sample.i8", I8, (uint8_t)-100, NULL},
    {"sample.u16", U16, 60000, NULL},
    {"sample.i16", I16, (uint16_t)-30000, NULL},
    {"sample.u32", U32, 4000000000, NULL},
    {"sample.i32", I32, (uint32_t)-2000000000, NULL},
    {"sample.u64", U64, UINT64_MAX, NULL},
    {"sample.i64", I64, (uint64_t)INT64_MIN, NULL},
    {"sample.f32", F32, 0x3dcccccd, NULL},         /* 0.1 */
    {"sample.f32.nan", F32, 0x7fc00000, NULL},     /* not a number */
    {"sample.f64", F64, 0x400921fb54442d18, NULL}, /* pi */
    {"sample.f64.inf", F64, 0xfff0000000000000, NULL},
    {"sample.true", BOOL, 1, NULL},
    {"sample.false", BOOL, 0, NULL},
    {"sample.empty", STR, 0, ""},
    {"sample.bytes", STR, 0, "not UTF-8: \xff\xfe"},
    {"a key with spaces", STR, 0, "spaces stay"},
    {"a/key/with/slashes", STR, 0, "slashes are escaped"},
    {"a%20key", STR, 0, "and so is the sign that escapes"},
    {"..", STR, 0, "and names that mean something else"},
    {"a\tkey\x1b[31m", STR, 0, "and control bytes"},
    {"a key \xe2\x80\xaeturned around", STR, 0, "Unicode stays, but not on a terminal"},
    {"tokenizer.ggml.model", STR, 0, "llama"},
    {"tokenizer.chat_template", STR, 0, template},
    {"tokenizer.chat_template.tool_use", STR, 0, tools_template},
};

static const char *const tokens[] = {
    "<unk>",
    "<s>",
    "</s>",
    "\n",
    "\t",
    "\"",
    "\\",
    "\xe2\x96\x81the",
    "\xe2\x96\x81of",
    "a",
    "\xc3\xa9",
    "\xf0\x9f\x98\x80",
    "\xff",
    "",
    " ",
    "ing",
};

/* A type of tensors: a block of so many elements has so many bytes. */
struct layout {
    uint32_t id;
    uint32_t elements;
    uint32_t bytes;
};

static const struct layout layouts[] = {
    {0, 1, 4},      /* F32 */
    {1, 1, 2},      /* F16 */
    {2, 32, 18},    /* Q4_0 */
    {3, 32, 20},    /* Q4_1 */
    {6, 32, 22},    /* Q5_0 */
    {8, 32, 34},    /* Q8_0 */
    {10, 256, 84},  /* Q2_K */
    {12, 256, 144}, /* Q4_K */
    {14, 256, 210}, /* Q6_K */
    {20, 32, 18},   /* IQ4_NL */
    {24, 1, 1},     /* I8 */
    {25, 1, 2},     /* I16 */
    {26, 1, 4},     /* I32 */
    {27, 1, 8},     /* I64 */
    {28, 1, 8},     /* F64 */
    {30, 1, 2},     /* BF16 */
    {35, 256, 66},  /* TQ2_0 */
    {39, 32, 17},   /* MXFP4 */
};

struct tensor {
    const char *name;
    uint32_t type;
    uint32_t n_dims;
    uint64_t dims[DIMS];
};

static const struct tensor tensors[] = {
    {"token_embd.weight", 14, 2, {256, 16, 1, 1}},
    {"blk.0.attn_norm.weight", 0, 1, {256, 1, 1, 1}},
    {"blk.0.attn_q.weight", 12, 2, {256, 256, 1, 1}},
    {"blk.0.attn_k.weight", 2, 2, {256, 64, 1, 1}},
    {"blk.0.attn_v.weight", 8, 2, {256, 64, 1, 1}},
    {"blk.0.ffn_up.weight", 20, 2, {256, 32, 1, 1}},
    {"blk.0.ffn_down_exps.weight", 39, 3, {64, 8, 4, 1}},
    {"blk.1.attn_norm.weight", 1, 1, {256, 1, 1, 1}},
    {"blk.1.attn_q.weight", 10, 2, {256, 8, 1, 1}},
    {"blk.1.attn_k.weight", 3, 2, {32, 3, 1, 1}},
    {"blk.1.attn_v.weight", 6, 2, {32, 5, 1, 1}},
    {"blk.1.ffn_up.weight", 35, 2, {256, 2, 1, 1}},
    {"output_norm.weight", 30, 1, {256, 1, 1, 1}},
    {"sample.i8", 24, 1, {7, 1, 1, 1}},
    {"sample.i16", 25, 2, {3, 5, 1, 1}},
    {"sample.i32", 26, 3, {2, 3, 4, 1}},
    {"sample.i64", 27, 4, {2, 1, 3, 2}},
    {"sample.f64", 28, 1, {5, 1, 1, 1}},
    {"sample.scalar", 0, 0, {1, 1, 1, 1}},
    {"sample.nothing", 0, 2, {0, 3, 1, 1}},
    {"a/tensor with/slashes", 0, 1, {4, 1, 1, 1}},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void put_bytes(FILE *out, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, out);
}

static void put_number(FILE *out, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        putc((int)(number >> 8 * i & 0xff), out);
}

static void put_u32(FILE *out, uint32_t number)
{
    put_number(out, number, 4);
}

static void put_u64(FILE *out, uint64_t number)
{
    put_number(out, number, 8);
}

static void put_string(FILE *out, const char *string)
{
    put_u64(out, strlen(string));
    put_bytes(out, string, strlen(string));
}

static void put_padding(FILE *out)
{
    while (ftell(out) % ALIGNMENT)
        putc(0, out);
}

static void put_key(FILE *out, const struct key *key)
{
    put_string(out, key->name);
    put_u32(out, key->type);
    if (key->type == STR)
        put_string(out, key->text);
    else
        put_number(out, key->bits, type_size[key->type]);
}

/* The head of a key whose value is an array; its elements follow. */
static void put_array(FILE *out, const char *name, enum type type, uint64_t count)
{
    put_string(out, name);
    put_u32(out, ARR);
    put_u32(out, type);
    put_u64(out, count);
}

/* An array of each type of numbers, with the smallest and the largest bits. */
static size_t put_number_arrays(FILE *out)
{
    static const struct {
        const char *name;
        enum type type;
    } arrays[] = {
        {"sample.array.u8", U8},   {"sample.array.i8", I8},     {"sample.array.u16", U16},
        {"sample.array.i16", I16}, {"sample.array.u32", U32},   {"sample.array.i32", I32},
        {"sample.array.f32", F32}, {"sample.array.bool", BOOL}, {"sample.array.u64", U64},
        {"sample.array.i64", I64}, {"sample.array.f64", F64},
    };
    for (size_t i = 0; i < COUNT(arrays); i++) {
        enum type type = arrays[i].type;
        size_t size = type_size[type];
        put_array(out, arrays[i].name, type, 3);
        put_number(out, 0, size);
        put_number(out, 1, size);
        put_number(out, type == BOOL ? 1 : UINT64_MAX, size);
    }
    return COUNT(arrays);
}

/* [[["a"], []], [[1, 2, 3]]], and an array of nothing. */
static size_t put_nested_arrays(FILE *out)
{
    put_array(out, "sample.array.nested", ARR, 2);
    put_u32(out, ARR);
    put_u64(out, 2);
    put_u32(out, STR);
    put_u64(out, 1);
    put_string(out, "a");
    put_u32(out, U8);
    put_u64(out, 0);
    put_u32(out, ARR);
    put_u64(out, 1);
    put_u32(out, U16);
    put_u64(out, 3);
    for (uint64_t i = 1; i <= 3; i++)
        put_number(out, i, 2);
    put_array(out, "sample.array.empty", F64, 0);
    return 2;
}

static size_t put_vocabulary(FILE *out)
{
    put_array(out, "tokenizer.ggml.tokens", STR, COUNT(tokens));
    for (size_t i = 0; i < COUNT(tokens); i++)
        put_string(out, tokens[i]);
    put_array(out, "tokenizer.ggml.scores", F32, COUNT(tokens));
    for (size_t i = 0; i < COUNT(tokens); i++)
        put_u32(out, 0xbf800000 + ((uint32_t)i << 20)); /* -1 and below */
    put_array(out, "tokenizer.ggml.token_type", I32, COUNT(tokens));
    for (size_t i = 0; i < COUNT(tokens); i++)
        put_u32(out, i < 3 ? 3 : 1);
    return 3;
}

static size_t put_keys(FILE *out)
{
    for (size_t i = 0; i < COUNT(keys); i++)
        put_key(out, &keys[i]);
    return COUNT(keys) + put_number_arrays(out) + put_nested_arrays(out) +
           put_vocabulary(out);
}

static uint64_t tensor_size(const struct tensor *tensor)
{
    const struct layout *layout = layouts;
    uint64_t elements = 1;
    while (layout->id != tensor->type)
        layout++;
    for (size_t i = 0; i < DIMS; i++)
        elements *= tensor->dims[i];
    return elements / layout->elements * layout->bytes;
}

static void put_infos(FILE *out)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < COUNT(tensors); i++) {
        put_string(out, tensors[i].name);
        put_u32(out, tensors[i].n_dims);
        for (size_t j = 0; j < tensors[i].n_dims; j++)
            put_u64(out, tensors[i].dims[j]);
        put_u32(out, tensors[i].type);
        put_u64(out, offset);
        offset += (tensor_size(&tensors[i]) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

/* Bytes without a pattern. Bit 6 is clear in all of them, so that whatever floats they are part
 * of, those are finite. */
static void put_data(FILE *out)
{
    uint32_t state = 1;
    for (size_t i = 0; i < COUNT(tensors); i++) {
        for (uint64_t left = tensor_size(&tensors[i]); left > 0; left--) {
            state = state * 1664525 + 1013904223;
            putc((int)(state >> 24 & 0xbf), out);
        }
        put_padding(out);
    }
}

static void put_model(FILE *out)
{
    put_bytes(out, "GGUF", 4);
    put_u32(out, 3);
    put_u64(out, COUNT(tensors));
    put_u64(out, 0);
    size_t n_keys = put_keys(out);
    put_infos(out);
    put_padding(out);
    put_data(out);
    fseek(out, 16, SEEK_SET); /* now that they are counted */
    put_u64(out, n_keys);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: sample OUT.gguf\n", stderr);
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (out)
        put_model(out);
    if (!out || ferror(out) || fclose(out)) {
        fprintf(stderr, "sample: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    return 0;
}
