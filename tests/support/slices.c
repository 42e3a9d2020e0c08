/* SPDX-License-Identifier: MIT */
/* Reading contents in pieces. */

#include "support/slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void slices_whole(struct content *content, const void *expected, size_t size)
{
    uint64_t measured;
    char *bytes = malloc(size + 1);
    assert_int_equal(content_size(content, &measured), 0);
    assert_int_equal(measured, size);
    assert_int_equal(content_read(content, NULL, 0, bytes, size + 1), size);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

static void slice(struct content *content, const char *expected, size_t start,
                  size_t length)
{
    char *bytes = malloc(length);
    if (content_read(content, NULL, start, bytes, length) != (ssize_t)length ||
        memcmp(bytes, expected + start, length) != 0)
        fail_msg("%zu bytes from %zu", length, start);
    free(bytes);
}

void slices_all(struct content *content, const void *expected, size_t from, size_t span)
{
    for (size_t start = from; start < from + span; start++)
        for (size_t length = 1; length <= from + span - start; length++)
            slice(content, expected, start, length);
}

void slices_from(struct content *content, const void *expected, size_t start,
                 size_t least, size_t most)
{
    for (size_t length = least; length <= most; length++)
        slice(content, expected, start, length);
}
