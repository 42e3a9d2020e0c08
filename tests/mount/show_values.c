/* SPDX-License-Identifier: MIT */
/* The values of a tensor's bytes, decoded without ggufs: raw bytes on standard input, what the
 * views must show of them on standard output. Only the types that are simple enough to be
 * decoded here once more.
 *
 *     show_values Q4_0|Q8_0|BF16 f32|f16|bf16 <TENSOR >VALUES */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 };

static float from_half(const uint8_t *bytes)
{
    unsigned bits = bytes[0] | (unsigned)bytes[1] << 8;
    int exponent = (int)(bits >> 10 & 31);
    float fraction = (float)(bits & 1023);
    float value =
        exponent ? ldexpf(fraction + 1024, exponent - 25) : ldexpf(fraction, -24);
    return bits >> 15 ? -value : value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* To the nearest, ties to even: rint rounds so. */
static unsigned to_half(float value)
{
    unsigned sign = bits_of(value) >> 31 << 15;
    float size = fabsf(value);
    int exponent = size > 0 ? ilogbf(size) : -14;
    if (exponent < -14)
        exponent = -14;
    if (exponent > 15)
        return sign | 0x7c00;
    unsigned fraction = (unsigned)rintf(ldexpf(size, 10 - exponent));
    return sign | (((unsigned)(exponent + 14) << 10) + fraction);
}

static unsigned to_bf16(float value)
{
    uint32_t bits = bits_of(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static void put(float value, const char *form)
{
    unsigned long bits = bits_of(value);
    int size = 4;
    if (strcmp(form, "f32") != 0) {
        bits = strcmp(form, "f16") == 0 ? to_half(value) : to_bf16(value);
        size = 2;
    }
    for (int i = 0; i < size; i++)
        putchar((int)(bits >> 8 * i & 0xff));
}

static void put_q8_0(const uint8_t *block, const char *form)
{
    float scale = from_half(block);
    for (int i = 0; i < BLOCK; i++)
        put((float)(int8_t)block[2 + i] * scale, form);
}

/* The low halves of the bytes are the first 16 values, the high halves the others. */
static void put_q4_0(const uint8_t *block, const char *form)
{
    float scale = from_half(block);
    for (int i = 0; i < BLOCK; i++) {
        int nibble = block[2 + i % 16] >> (i < 16 ? 0 : 4) & 15;
        put((float)(nibble - 8) * scale, form);
    }
}

static void put_bf16(const uint8_t *bytes, const char *form)
{
    uint32_t bits = (uint32_t)bytes[1] << 24 | (uint32_t)bytes[0] << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    put(value, form);
}

static const struct {
    const char *name;
    size_t size; /* of a block */
    void (*put)(const uint8_t *block, const char *form);
} types[] = {
    {"Q4_0", 18, put_q4_0},
    {"Q8_0", 34, put_q8_0},
    {"BF16", 2, put_bf16},
};

int main(int argc, char **argv)
{
    uint8_t block[34];
    size_t type = 0;
    if (argc != 3)
        return 2;
    while (strcmp(types[type].name, argv[1]) != 0)
        if (++type == sizeof(types) / sizeof(types[0]))
            return 2;
    while (fread(block, types[type].size, 1, stdin) == 1)
        types[type].put(block, argv[2]);
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
