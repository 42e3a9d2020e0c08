/* SPDX-License-Identifier: MIT */
/* The model files that the harnesses begin with, out of the tests' builder. */

#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/build.h"

struct encoding {
    const char *name;
    uint32_t version;
    bool big_endian;
};

static const struct encoding encodings[] = {
    {"v1", 1, false},
    {"v2", 2, false},
    {"v3", 3, false},
    {"v3-big-endian", 3, true},
};

#define N_ENCODINGS (sizeof(encodings) / sizeof(encodings[0]))

static void add_tensor(struct build *build, const char *name, uint32_t type, uint64_t row,
                       uint64_t rows)
{
    build_tensor(build, name, type, 2, (uint64_t[]){row, rows});
}

/* ---- what the files hold ---- */

static void make_empty(struct build *build)
{
    (void)build;
}

static void make_small(struct build *build)
{
    build_key_str(build, "general.architecture", "llama");
    build_key_str(build, "general.name", "a \xf0\x9f\xa6\x99\nof two lines");
    build_key_str(build, "tokenizer.chat_template", "{{ messages }}");
    build_key_str(build, "tokenizer.chat_template.tool_use", "{{ tools }}");
    build_key_strings(build, "tokenizer.ggml.tokens", 4,
                      (const char *const[]){"<s>", "\n", "\"\\", "\xff"});
    add_tensor(build, "token_embd.weight", 0, 4, 2);
    add_tensor(build, "blk.0.attn_q.weight", 8, 32, 2);
    add_tensor(build, "blk.0.attn_k.weight", 1, 3, 1);
}

static void make_scalars(struct build *build)
{
    for (uint32_t type = 0; type <= GGUFS_F64; type++) {
        char name[32];
        snprintf(name, sizeof(name), "scalar.%u", type);
        if (type != GGUFS_STR && type != GGUFS_ARR)
            build_key_number(build, name, type, UINT64_C(0xfff0000000000081));
    }
    build_key_f32(build, "one.tenth", 0.1F);
    build_key_f64(build, "one.third", 1.0 / 3);
    build_key_f64(build, "small", 5e-324);
    build_key_bool(build, "true", 1);
}

static void make_arrays(struct build *build)
{
    for (uint32_t type = 0; type <= GGUFS_F64; type++) {
        char name[32];
        snprintf(name, sizeof(name), "array.%u", type);
        if (type != GGUFS_STR && type != GGUFS_ARR)
            build_key_numbers(build, name, type, 3,
                              (uint64_t[]){0, 1, UINT64_C(0x7ff0000000000001)});
    }
    build_key_strings(build, "none", 0, NULL);
    build_key(build, "nested", GGUFS_ARR);
    build_array(build, GGUFS_ARR, 2);
    build_array(build, GGUFS_STR, 1);
    build_string(build, "in\0side", 7);
    build_array(build, GGUFS_ARR, 2);
    build_array(build, GGUFS_I16, 1);
    build_u16(build, 0xffff);
    build_array(build, GGUFS_F64, 0);
}

static void make_names(struct build *build)
{
    static const char *const names[] = {"a",  "a",   "a%2", "",    ".",
                                        "..", "x/y", "%",   "\xc3"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        build_key_u32(build, names[i], (uint32_t)i);
        add_tensor(build, names[i], 24, 5, 1);
    }
}

static void make_long_names(struct build *build)
{
    char name[301];
    memset(name, 'n', sizeof(name) - 1);
    name[300] = '\0';
    build_key_str(build, name, "v");
    add_tensor(build, name, 0, 1, 1);
    add_tensor(build, name, 0, 1, 2);
    name[252] = '\0';
    add_tensor(build, name, 0, 1, 1);
}

static void make_types(struct build *build)
{
    const struct ggufs_type *type;
    for (size_t i = 0; (type = ggufs_type_at(i)) != NULL; i++)
        add_tensor(build, type->name, type->id, type->block_size, 1);
}

static void make_odd_tensors(struct build *build)
{
    struct build_tensor tensor = {.name = "unknown",
                                  .name_length = BUILD_AUTO,
                                  .type = 99,
                                  .n_dims = 1,
                                  .dims = {7},
                                  .offset = BUILD_AUTO,
                                  .size = 40};
    build_add(build, &tensor);
    tensor.name = "odd row";
    tensor.type = 2;
    build_add(build, &tensor);
    tensor.name = "overlap";
    tensor.offset = 3;
    tensor.type = 0;
    build_add(build, &tensor);
    tensor.name = "far";
    tensor.offset = UINT64_C(1) << 40;
    build_add(build, &tensor);
    tensor.name = "nothing";
    tensor.dims[0] = 0;
    build_add(build, &tensor);
    tensor.name = "scalar";
    tensor.n_dims = 0;
    tensor.offset = 32;
    build_add(build, &tensor);
}

static void make_aligned(struct build *build)
{
    build_alignment(build, 8);
    build_key_str(build, "general.architecture", "x");
    build_tensor(build, "a", 24, 1, (uint64_t[]){9});
    build_tensor(build, "b", 28, 4, (uint64_t[]){1, 2, 1, 1});
    build->padding = 0xee;
    build->no_final_padding = true;
}

static void put_nested(struct build *build, const char *name, unsigned depth)
{
    build_key(build, name, GGUFS_ARR);
    for (; depth > 1; depth--)
        build_array(build, GGUFS_ARR, 1);
    build_array(build, GGUFS_I8, 1);
    build_u8(build, 0x80);
}

static void make_deep(struct build *build)
{
    put_nested(build, "allowed", GGUFS_NESTING_MAX);
}

static void make_too_deep(struct build *build)
{
    put_nested(build, "refused", GGUFS_NESTING_MAX + 1);
}

static void put_long_string(struct build *build, char byte, size_t length)
{
    char *text = exact_alloc(length);
    memset(text, byte, length);
    build_string(build, text, length);
    free(text);
}

/* Texts of more than one checkpoint, and strings of more than one step. */
static void make_long_texts(struct build *build)
{
    build_key(build, "general.description", GGUFS_STR);
    put_long_string(build, '\\', 17000);
    build_key(build, "strings", GGUFS_ARR);
    build_array(build, GGUFS_STR, 4);
    put_long_string(build, 'x', 1);
    put_long_string(build, '\1', 17000);
    put_long_string(build, '\xff', 17001);
    put_long_string(build, '"', 1);
    build_key(build, "false", GGUFS_ARR);
    build_array(build, GGUFS_BOOL, 12000);
    for (int i = 0; i < 12000; i++)
        build_u8(build, 0);
}

/* clang-format off */
static const struct content {
    const char *name;
    void (*make)(struct build *build);
} contents[] = {
    {"empty", make_empty},
    {"small", make_small},
    {"scalars", make_scalars},
    {"arrays", make_arrays},
    {"names", make_names},
    {"long-names", make_long_names},
    {"types", make_types},
    {"odd-tensors", make_odd_tensors},
    {"aligned", make_aligned},
    {"deep", make_deep},
    {"too-deep", make_too_deep},
    {"long-texts", make_long_texts},
};
/* clang-format on */

/* Last bytes that harnesses take for options: see options_of. */
static const uint8_t choices[] = {1, 2, 3, 4, 5, 6, 8, 16, 64, 128, 192};

#define N_CHOICES (sizeof(choices) / sizeof(choices[0]))

/* The bytes, and with a last byte more. */
static void visit_choices(seed_visit_fn *visit, void *data, const char *name,
                          const uint8_t *bytes, size_t size)
{
    char longer[96];
    uint8_t *chosen = exact_alloc(size + 1);
    memcpy(chosen, bytes, size);
    visit(data, name, bytes, size);
    for (size_t i = 0; i < N_CHOICES; i++) {
        chosen[size] = choices[i];
        snprintf(longer, sizeof(longer), "%s-choice-%u", name, choices[i]);
        visit(data, longer, chosen, size + 1);
    }
    free(chosen);
}

static void visit_built(seed_visit_fn *visit, void *data, const struct content *content,
                        const struct encoding *encoding)
{
    struct build build;
    char name[64];
    size_t size;
    build_init(&build, encoding->version, encoding->big_endian);
    content->make(&build);
    const uint8_t *bytes = build_bytes(&build, &size);
    snprintf(name, sizeof(name), "%s-%s", content->name, encoding->name);
    if (content->make == make_small || content->make == make_types)
        visit_choices(visit, data, name, bytes, size);
    else
        visit(data, name, bytes, size);
    build_done(&build);
}

void seeds_models(seed_visit_fn *visit, void *data)
{
    visit(data, "no-bytes", "", 0);
    visit(data, "magic", "GGUF", 4);
    visit(data, "lfs-pointer", "version https://git-lfs.github.com/spec/v1\n", 43);
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++)
        for (size_t k = 0; k < N_ENCODINGS; k++)
            visit_built(visit, data, &contents[i], &encodings[k]);
}

/* ---- sets ---- */

struct set {
    uint8_t *bytes;
    size_t size;
};

static void append(struct set *set, struct build *build)
{
    size_t size;
    const uint8_t *bytes = build_bytes(build, &size);
    set->bytes = realloc(set->bytes, set->size + size);
    if (set->bytes == NULL)
        abort();
    memcpy(set->bytes + set->size, bytes, size);
    set->size += size;
}

static void add_shard(struct set *set, const struct encoding *encoding, uint16_t number,
                      uint16_t count)
{
    struct build build;
    char name[32];
    build_init(&build, encoding->version, encoding->big_endian);
    build_key_number(&build, "split.no", GGUFS_U16, number);
    build_key_number(&build, "split.count", GGUFS_U16, count);
    build_key_number(&build, "split.tensors.count", GGUFS_I32, 2U * count);
    if (number == 0)
        build_key_str(&build, "general.architecture", "llama");
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof(name), "blk.%u.%u", number, i);
        add_tensor(&build, name, i == 0 ? 8 : 24, 32, number + 1U);
    }
    append(set, &build);
    build_done(&build);
}

/* A set whose shards all have the encoding k, or (step 1) each the next one. */
static void visit_set(seed_visit_fn *visit, void *data, size_t k, uint16_t count,
                      size_t step)
{
    struct set set = {0};
    char name[64];
    for (uint16_t i = 0; i < count; i++)
        add_shard(&set, &encodings[(k + i * step) % N_ENCODINGS], i, count);
    snprintf(name, sizeof(name), "%s-of-%u-%s", step ? "mixed" : "set", count,
             encodings[k].name);
    visit_choices(visit, data, name, set.bytes, set.size);
    free(set.bytes);
}

void seeds_sets(seed_visit_fn *visit, void *data)
{
    for (size_t k = 0; k < N_ENCODINGS; k++) {
        for (uint16_t count = 1; count < 4; count++)
            visit_set(visit, data, k, count, 0);
        visit_set(visit, data, k, 2, 1);
    }
}
