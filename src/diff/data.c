/* SPDX-License-Identifier: MIT */
/* Comparing two tensors' data: byte by byte, and by their numbers. Both are read in pieces
 * small enough to stay in a cache. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/changes.h"

#define PIECE  (256 << 10) /* bytes */
#define VALUES 4096        /* elements: a multiple of every block */

int tensors_equal(const struct side *old, size_t i, const struct side *new, size_t k,
                  void (*count)(void *data, uint64_t bytes), void *data)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(old->model, i, &tensor);
    char *a = malloc(2 * PIECE);
    if (a == NULL)
        return -ENOMEM;
    char *b = a + PIECE;
    int r = 1;
    for (uint64_t at = 0; r == 1 && at < tensor.size; at += PIECE) {
        size_t length = tensor.size - at < PIECE ? (size_t)(tensor.size - at) : PIECE;
        int error = ggufs_tensor_read(old->model, i, at, a, length);
        if (error == 0)
            error = ggufs_tensor_read(new->model, k, at, b, length);
        r = error < 0 ? error : memcmp(a, b, length) == 0;
        count(data, length);
    }
    free(a);
    return r;
}

struct sums {
    double largest, absolute, ab, aa, bb;
};

static void add_pair(struct sums *sums, float x, float y)
{
    double a = x, b = y;
    double difference = memcmp(&x, &y, sizeof(x)) == 0 ? 0 : fabs(a - b);
    /* A NaN stays: it is what the reader ought to see. */
    if (!(difference <= sums->largest))
        sums->largest = isnan(sums->largest) ? sums->largest : difference;
    sums->absolute += difference;
    sums->ab += a * b;
    sums->aa += a * a;
    sums->bb += b * b;
}

static int sum_up(const struct side *old, size_t i, const struct side *new, size_t k,
                  uint64_t n, struct sums *sums)
{
    float a[VALUES], b[VALUES];
    for (uint64_t at = 0; at < n; at += VALUES) {
        size_t count = n - at < VALUES ? (size_t)(n - at) : VALUES;
        int r = ggufs_tensor_decode(old->model, i, at, a, count);
        if (r == 0)
            r = ggufs_tensor_decode(new->model, k, at, b, count);
        if (r < 0)
            return r;
        for (size_t j = 0; j < count; j++)
            add_pair(sums, a[j], b[j]);
    }
    return 0;
}

int tensors_numbers(const struct side *old, size_t i, const struct side *new, size_t k,
                    struct numbers *numbers)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(old->model, i, &tensor);
    struct sums sums = {0};
    int r = sum_up(old, i, new, k, tensor.n_elements, &sums);
    if (r < 0)
        return r;
    double cosine = sums.ab / (sqrt(sums.aa) * sqrt(sums.bb));
    *numbers = (struct numbers){
        .known = true,
        .largest = sums.largest,
        .mean = tensor.n_elements ? sums.absolute / (double)tensor.n_elements : 0,
        /* 0 / 0 has a sign on some machines, which would be printed. */
        .cosine = isnan(cosine) ? (double)NAN : cosine,
    };
    return 0;
}
