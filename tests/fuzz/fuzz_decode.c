/* SPDX-License-Identifier: MIT */
/* Decoding of quantised types over any bytes, in both byte orders: never a byte beyond the
 * blocks, the same on every machine, the same in pieces; and through a model, its tensor, and
 * the views that show it.
 *
 * Input: the number of the type, a byte of choices, blocks. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "quant/decoders.h"
#include "reading.h"
#include "support/build.h"

struct blocks {
    const struct ggufs_type *type;
    bool big_endian;
    const uint8_t *bytes;
    size_t count;
};

/* ---- the decoders ---- */

static float *decode(const struct blocks *blocks, quant_decode_fn *decoder, size_t first,
                     size_t count)
{
    size_t unit = blocks->type->type_size;
    uint8_t *bytes = exact_copy(blocks->bytes + first * unit, count * unit);
    float *out = exact_alloc(count * blocks->type->block_size * sizeof(*out));
    decoder(bytes, count, out, blocks->big_endian);
    free(bytes);
    return out;
}

static void expect_decodes_to(const struct blocks *blocks, quant_decode_fn *decoder,
                              size_t first, size_t count, const float *expected)
{
    size_t unit = blocks->type->block_size;
    float *values = decode(blocks, decoder, first, count);
    expect(memcmp(values, expected + first * unit, count * unit * sizeof(*values)) == 0);
    free(values);
}

static void check_decoder(const struct blocks *blocks, quant_decode_fn *decoder)
{
    quant_decode_fn *plain = quant_decoder_of(blocks->type->id, false);
    float *values = decode(blocks, decoder, 0, blocks->count);
    for (size_t i = 0; i < blocks->count && i < 64; i++)
        expect_decodes_to(blocks, decoder, i, 1, values);
    expect_decodes_to(blocks, plain, 0, blocks->count, values);
    free(values);
}

/* ---- the model around them ---- */

static void check_values(const struct ggufs_model *model)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(model, 0, &tensor);
    size_t n = (size_t)tensor.n_elements;
    float *whole = exact_alloc(n * sizeof(*whole));
    int rc = ggufs_tensor_decode(model, 0, 0, whole, n);
    for (size_t first = 0, count = 1; rc == 0 && first < n; first += count, count += 37) {
        count = count < n - first ? count : n - first;
        float *values = exact_alloc(count * sizeof(*values));
        expect(ggufs_tensor_decode(model, 0, first, values, count) == 0);
        expect(memcmp(values, whole + first, count * sizeof(*values)) == 0);
        free(values);
    }
    float value;
    expect(ggufs_tensor_decode(model, 0, n, &value, 1) < 0);
    free(whole);
}

static void check_tree(const uint8_t *bytes, size_t size, uint8_t choice)
{
    char path[64];
    struct ggufs_options options = options_of(choice & 0x38);
    struct ggufs_tree *tree;
    struct ggufs_error error = {0};
    int fd = memory_file(bytes, size, path);
    expect(ggufs_tree_open((const char *const[]){path}, 1, &options, &tree, &error) == 0);
    check_values(ggufs_tree_model(tree));
    reading_check(tree, GGUFS_ROOT);
    ggufs_tree_close(tree);
    close(fd);
}

static void check_model(const struct blocks *blocks, uint8_t choice)
{
    struct build build;
    size_t size;
    struct build_tensor tensor = {
        .name = "t",
        .name_length = BUILD_AUTO,
        .type = blocks->type->id,
        .n_dims = 2,
        .dims = {blocks->type->block_size, blocks->count},
        .offset = BUILD_AUTO,
        .size = BUILD_AUTO,
        .data = blocks->bytes,
    };
    build_init(&build, 3, blocks->big_endian);
    build_add(&build, &tensor);
    const uint8_t *bytes = build_bytes(&build, &size);
    check_tree(bytes, size, choice);
    build_done(&build);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct blocks blocks;
    if (size < 2 || (blocks.type = ggufs_type_by_id(bytes[0])) == NULL)
        return 0;
    blocks.big_endian = bytes[1] & 1;
    blocks.bytes = bytes + 2;
    blocks.count = (size - 2) / blocks.type->type_size;
    if (blocks.count == 0)
        return 0;
    quant_decode_fn *decoder = quant_decoder(blocks.type->id);
    if (decoder)
        check_decoder(&blocks, decoder);
    check_model(&blocks, bytes[1] >> 1);
    return 0;
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    const struct ggufs_type *type;
    for (size_t i = 0; (type = ggufs_type_at(i)) != NULL; i++)
        for (uint8_t big_endian = 0; big_endian < 2; big_endian++) {
            char name[64];
            uint8_t bytes[1024] = {(uint8_t)type->id, big_endian};
            size_t size = 2 + 2 * type->type_size;
            for (size_t k = 2; k < size; k++)
                bytes[k] = build_data_byte(type->id, k);
            snprintf(name, sizeof(name), "%s-%s", type->name,
                     big_endian ? "big" : "little");
            visit(data, name, bytes, size);
        }
}
