/* SPDX-License-Identifier: MIT */
/* bench_quant [--json] [TYPE...]: how fast each tensor type is decoded, on one core,
 * in GB of float32 a second. Random blocks that fit a core's cache go in, so that it
 * is the decoder that is measured and not the memory. The best of several rounds
 * counts. */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ggufs.h"
#include "quant/quant.h"

enum {
    VALUES = 32 * 1024, /* 128 KiB of float32 */
    ROUNDS = 5,
};
#define ROUND_SECONDS 0.02

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Random bytes, but such that a half is a normal number, as scales are in real models:
 * some bits of its exponent are set and some are not. */
static void fill(uint8_t *bytes, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)((state >> 24 & 0xbb) | 0x20);
    }
}

/* Bytes of float32 a second in the best round. */
static double measure(quant_decode_fn *decode, const uint8_t *bytes, size_t n_blocks,
                      float *out, size_t n_values)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now(), elapsed;
        size_t n = 0;
        do {
            decode(bytes, n_blocks, out, false);
            n++;
            elapsed = now() - start;
        } while (elapsed < ROUND_SECONDS);
        best = fmax(best, (double)(n * n_values * sizeof(float)) / elapsed);
    }
    return best;
}

static bool wanted(const char *name, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static int bench(const struct ggufs_type *type, bool json, bool first)
{
    size_t n_blocks = VALUES / type->block_size;
    size_t size = n_blocks * type->type_size;
    uint8_t *bytes = malloc(size);
    float *out = malloc(VALUES * sizeof(*out));
    if (bytes && out) {
        fill(bytes, size);
        double rate =
            measure(quant_decoder(type->id), bytes, n_blocks, out, VALUES) * 1e-9;
        if (json)
            printf("%s\n  \"%s\": %.2f", first ? "" : ",", type->name, rate);
        else
            printf("%-8s %8.2f\n", type->name, rate);
        fflush(stdout);
    }
    bool failed = !bytes || !out;
    free(bytes);
    free(out);
    return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    char **names = argv + (json ? 2 : 1);
    const struct ggufs_type *type;
    bool first = true;
    fputs(json ? "{" : "type         GB/s\n", stdout);
    for (size_t i = 0; (type = ggufs_type_at(i)) != NULL; i++) {
        if (!quant_decoder(type->id) || !wanted(type->name, names))
            continue;
        if (bench(type, json, first) < 0)
            return 1;
        first = false;
    }
    if (json)
        puts("\n}");
    return 0;
}
