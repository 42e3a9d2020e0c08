/* SPDX-License-Identifier: MIT */
/* Writes the models that measurements use, of any size, piece by piece: so many tensors, so
 * many tokens, so many bytes of data (of a pattern that no filesystem can share or compress).
 *
 *   bench_model FILE TENSORS TOKENS BYTES
 *
 * Tensors are of one size and a mix of types, but for the first, which is F32 and has half of all
 * bytes; with BYTES 0 all are one block each. Version 3, little-endian. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 32

static FILE *out;
static uint64_t written;

static void put(const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, out) != size) {
        perror("bench_model");
        exit(1);
    }
    written += size;
}

static void put_u32(uint32_t v)
{
    uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
                    (uint8_t)(v >> 24)};
    put(b, sizeof(b));
}

static void put_u64(uint64_t v)
{
    put_u32((uint32_t)v);
    put_u32((uint32_t)(v >> 32));
}

static void put_string(const char *string)
{
    put_u64(strlen(string));
    put(string, strlen(string));
}

static void put_key(const char *key, uint32_t type)
{
    put_string(key);
    put_u32(type);
}

static void put_array(const char *key, uint32_t type, uint64_t count)
{
    put_key(key, 9);
    put_u32(type);
    put_u64(count);
}

/* What a tokenizer's vocabulary looks like: tokens, scores, types, merges. */
static void put_vocabulary(uint64_t tokens)
{
    char text[64];
    put_array("tokenizer.ggml.tokens", 8, tokens);
    for (uint64_t i = 0; i < tokens; i++) {
        snprintf(text, sizeof(text), "\xe2\x96\x81tok%" PRIu64, i * 7919 % 1000003);
        put_string(text);
    }
    put_array("tokenizer.ggml.scores", 6, tokens);
    for (uint64_t i = 0; i < tokens; i++) {
        float score = -(float)i * 0.37f;
        uint32_t bits;
        memcpy(&bits, &score, sizeof(bits));
        put_u32(bits);
    }
    put_array("tokenizer.ggml.token_type", 5, tokens);
    for (uint64_t i = 0; i < tokens; i++)
        put_u32(1);
    put_array("tokenizer.ggml.merges", 8, tokens);
    for (uint64_t i = 0; i < tokens; i++) {
        snprintf(text, sizeof(text), "a%" PRIu64 " b%" PRIu64, i % 977, i % 1009);
        put_string(text);
    }
}

/* Types as ggml numbers them, in the order in which tensors get them: F32, F16, Q8_0, Q4_K,
 * Q6_K. */
static const struct type {
    uint32_t number;
    uint32_t block_bytes;
    uint32_t block_elements;
} types[] = {{0, 4, 1}, {1, 2, 1}, {8, 34, 32}, {12, 144, 256}, {14, 210, 256}};

static const struct type *tensor_type(uint64_t i)
{
    return &types[i % (sizeof(types) / sizeof(types[0]))];
}

static uint64_t tensor_blocks(uint64_t i, uint64_t tensors, uint64_t bytes)
{
    uint64_t half = tensors == 1 ? bytes : bytes / 2;
    uint64_t blocks =
        (i == 0 ? half : half / (tensors - 1)) / tensor_type(i)->block_bytes;
    return blocks > 0 ? blocks : 1;
}

static uint64_t align(uint64_t value)
{
    return (value + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t put_infos(uint64_t tensors, uint64_t bytes)
{
    char name[64];
    uint64_t offset = 0;
    for (uint64_t i = 0; i < tensors; i++) {
        const struct type *type = tensor_type(i);
        uint64_t blocks = tensor_blocks(i, tensors, bytes);
        snprintf(name, sizeof(name), "blk.%" PRIu64 ".ffn_down.weight", i);
        put_string(name);
        put_u32(1);
        put_u64(blocks * type->block_elements);
        put_u32(type->number);
        put_u64(offset);
        offset += align(blocks * type->block_bytes);
    }
    return offset;
}

static void put_data(uint64_t size)
{
    static uint64_t block[1 << 13];
    static const uint8_t zeros[ALIGNMENT];
    uint64_t state = 88172645463325252u;
    put(zeros, (size_t)(align(written) - written));
    for (uint64_t at = 0; at < size; at += sizeof(block)) {
        for (size_t i = 0; i < sizeof(block) / 8; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            block[i] = state & 0x3fffffff3fffffff; /* finite floats */
        }
        put(block, size - at < sizeof(block) ? (size_t)(size - at) : sizeof(block));
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: bench_model FILE TENSORS TOKENS BYTES\n");
        return 2;
    }
    uint64_t tensors = strtoull(argv[2], NULL, 10);
    uint64_t tokens = strtoull(argv[3], NULL, 10);
    uint64_t bytes = strtoull(argv[4], NULL, 10);
    out = fopen(argv[1], "wb");
    if (out == NULL) {
        perror(argv[1]);
        return 1;
    }
    put("GGUF", 4);
    put_u32(3);
    put_u64(tensors);
    put_u64(tokens ? 6 : 2);
    put_key("general.architecture", 8);
    put_string("llama");
    put_key("general.name", 8);
    put_string("bench");
    if (tokens)
        put_vocabulary(tokens);
    put_data(put_infos(tensors, bytes));
    if (fclose(out) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
