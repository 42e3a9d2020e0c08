/* SPDX-License-Identifier: MIT */
/* Generated text: measured once, read anywhere from the nearest checkpoint, by many at
 * once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content/text.h"

/* Counts lines: "0\n1\n2\n" ... below end, lines at a step. */
struct lines {
    uint64_t end;
    uint64_t a_step;
    uint64_t fail_at; /* the line that ends in error; 0: none */
    int error;
    atomic_int n_steps;
    atomic_int n_starts; /* steps from the very start */
    bool freed;
};

static int lines_step(const void *maker, struct text_state *state, struct sink *sink)
{
    struct lines *lines = (struct lines *)(uintptr_t)maker;
    atomic_fetch_add(&lines->n_steps, 1);
    if (state->at[0] == 0)
        atomic_fetch_add(&lines->n_starts, 1);
    for (uint64_t i = 0; i < lines->a_step; i++) {
        if (state->at[0] == lines->end)
            return 0;
        if (lines->fail_at && state->at[0] == lines->fail_at)
            return lines->error;
        sink_u64(sink, state->at[0]++);
        sink_char(sink, '\n');
    }
    return 1;
}

static void mark_freed(void *maker)
{
    ((struct lines *)maker)->freed = true;
}

static char *whole_text(uint64_t end, size_t *length)
{
    char *text = malloc(end * 21 + 1), *p = text;
    assert_non_null(text);
    for (uint64_t i = 0; i < end; i++)
        p += sprintf(p, "%llu\n", (unsigned long long)i);
    *length = (size_t)(p - text);
    return text;
}

static void test_measure(void **state)
{
    (void)state;
    struct lines lines = {.end = 100000, .a_step = 7};
    struct content *text = content_text(lines_step, &lines, mark_freed);
    uint64_t size = 1;
    assert_int_equal(content_size_known(text, &size), -EAGAIN);
    assert_int_equal(content_size(text, &size), 0);
    assert_int_equal(size, 10 * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 90000 * 6);
    int n_steps = lines.n_steps;
    size = 0;
    assert_int_equal(content_size_known(text, &size), 0);
    assert_int_equal(size, 588890);
    assert_int_equal(content_size(text, &size), 0);
    assert_int_equal(lines.n_steps, n_steps);
    assert_false(lines.freed);
    content_free(text);
    assert_true(lines.freed);
}

static void test_reads(void **state)
{
    (void)state;
    size_t length;
    char *whole = whole_text(100000, &length);
    static const uint64_t steps[] = {1, 7, 1000, 10000};
    static const size_t sizes[] = {1, 4096, 65536, 65537, 131072, 1000000};
    char *buffer = malloc(1000000);
    for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
        struct lines lines = {.end = 100000, .a_step = steps[s]};
        struct content *text = content_text(lines_step, &lines, NULL);
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
            for (uint64_t offset = 0; offset < length + 10; offset += 60001) {
                size_t left = offset < length ? length - (size_t)offset : 0;
                size_t there = sizes[k] < left ? sizes[k] : left;
                assert_int_equal(content_read(text, NULL, offset, buffer, sizes[k]),
                                 there);
                assert_memory_equal(buffer, whole + (there ? offset : 0), there);
            }
        content_free(text);
    }
    free(buffer);
    free(whole);
}

/* From end to end in odd pieces, and around each place where a checkpoint may lie. */
static void test_odd_pieces(void **state)
{
    (void)state;
    size_t length;
    char *whole = whole_text(40000, &length);
    struct lines lines = {.end = 40000, .a_step = 11};
    struct content *text = content_text(lines_step, &lines, NULL);
    char buffer[1000];
    for (uint64_t offset = 0; offset < length;) {
        size_t n = 1 + (size_t)(offset * 7 % 997);
        ssize_t got = content_read(text, NULL, offset, buffer, n);
        assert_true(got > 0);
        assert_memory_equal(buffer, whole + offset, (size_t)got);
        offset += (uint64_t)got;
    }
    for (uint64_t offset = TEXT_CHECKPOINT - 100; offset < TEXT_CHECKPOINT + 200;
         offset++) {
        assert_int_equal(content_read(text, NULL, offset, buffer, 3), 3);
        assert_memory_equal(buffer, whole + offset, 3);
    }
    content_free(text);
    free(whole);
}

/* A read far in does not start at the beginning: what it runs is little. */
static void test_far_reads_are_short(void **state)
{
    (void)state;
    struct lines lines = {.end = 1000000, .a_step = 10};
    struct content *text = content_text(lines_step, &lines, NULL);
    uint64_t size;
    char buffer[10];
    assert_int_equal(content_size(text, &size), 0);
    lines.n_steps = 0;
    lines.n_starts = 0;
    for (uint64_t offset = TEXT_CHECKPOINT * 2; offset < size; offset += 100000) {
        int before = lines.n_steps;
        content_read(text, NULL, offset, buffer, sizeof(buffer));
        /* a step is 60 to 80 bytes here; a checkpoint is no further than 65536 + 80 */
        assert_in_range(lines.n_steps - before, 1, (TEXT_CHECKPOINT + 80) / 60 + 2);
    }
    assert_int_equal(lines.n_starts, 0);
    content_free(text);
}

static void test_empty(void **state)
{
    (void)state;
    struct lines lines = {.end = 0, .a_step = 1};
    struct content *text = content_text(lines_step, &lines, NULL);
    uint64_t size = 1;
    char buffer[1];
    assert_int_equal(content_read(text, NULL, 0, buffer, 1), 0);
    assert_int_equal(content_size_known(text, &size), 0);
    assert_int_equal(size, 0);
    content_free(text);
}

/* An error while measuring is told, and the next one measures anew. */
static void test_errors(void **state)
{
    (void)state;
    struct lines lines = {.end = 50000, .a_step = 10, .fail_at = 30000, .error = -ENOMEM};
    struct content *text = content_text(lines_step, &lines, NULL);
    uint64_t size;
    char buffer[10];
    assert_int_equal(content_size(text, &size), -ENOMEM);
    assert_int_equal(content_size_known(text, &size), -EAGAIN);
    assert_int_equal(content_read(text, NULL, 0, buffer, 10), -ENOMEM);
    lines.fail_at = 0;
    assert_int_equal(content_size(text, &size), 0);
    assert_int_equal(size, 10 * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 40000 * 6);
    lines.fail_at = 49990;
    lines.error = -EIO;
    assert_int_equal(content_read(text, NULL, size - 70, buffer, 10), 10);
    assert_int_equal(content_read(text, NULL, size - 5, buffer, 5), -EIO);
    lines.fail_at = 0;
    lines.end = 49990; /* a maker that broke its word: less than was measured */
    assert_int_equal(content_read(text, NULL, size - 5, buffer, 5), -EIO);
    content_free(text);
}

static void test_interrupted(void **state)
{
    (void)state;
    struct lines lines = {.end = 50000, .a_step = 10};
    struct content *text = content_text(lines_step, &lines, NULL);
    volatile int interrupted = 0;
    struct reading reading = {.interrupted = &interrupted};
    char buffer[10];
    assert_int_equal(content_read(text, &reading, 0, buffer, 10), 10);
    interrupted = 1;
    assert_int_equal(content_read(text, &reading, 0, buffer, 10), -EINTR);
    assert_int_equal(content_read(text, &(struct reading){NULL}, 0, buffer, 10), 10);
    content_free(text);
}

/* -- many readers -- */

struct crowd {
    struct content *text;
    const char *whole;
    size_t length;
    atomic_int n_wrong;
};

static void *read_along(void *data)
{
    struct crowd *crowd = data;
    char buffer[5000];
    for (uint64_t offset = 0; offset < crowd->length; offset += sizeof(buffer)) {
        size_t left = crowd->length - (size_t)offset;
        size_t there = left < sizeof(buffer) ? left : sizeof(buffer);
        ssize_t got = content_read(crowd->text, NULL, offset, buffer, sizeof(buffer));
        if (got != (ssize_t)there || memcmp(buffer, crowd->whole + offset, there) != 0)
            atomic_fetch_add(&crowd->n_wrong, 1);
    }
    return NULL;
}

static void test_many_readers(void **state)
{
    (void)state;
    struct lines lines = {.end = 40000, .a_step = 100};
    struct crowd crowd = {.text = content_text(lines_step, &lines, NULL)};
    char *whole = whole_text(lines.end, &crowd.length);
    crowd.whole = whole;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_along, &crowd), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crowd.n_wrong, 0);
    content_free(crowd.text);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure),     cmocka_unit_test(test_reads),
        cmocka_unit_test(test_odd_pieces),  cmocka_unit_test(test_far_reads_are_short),
        cmocka_unit_test(test_empty),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_many_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
