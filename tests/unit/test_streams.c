/* SPDX-License-Identifier: MIT */
/* What is asked of the disk for readers of all kinds. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/streams.h"

#define KIB 1024ULL
#define MIB (KIB << 10)
#define END (1000 * MIB)

static struct stretch follow(struct streams *streams, uint64_t offset, uint64_t size)
{
    return streams_follow(streams, offset, (size_t)size, END);
}

/* Every byte of a long stream is asked for once, in order, and never further ahead than
 * 8 MiB nor than the reader has come. */
static void a_stream_is_kept_ahead_of(void **state)
{
    (void)state;
    struct streams streams = {0};
    uint64_t asked = 128 * KIB;
    for (uint64_t at = 0; at < END; at += 128 * KIB) {
        struct stretch ahead = follow(&streams, at, 128 * KIB);
        if (ahead.size == 0)
            continue;
        assert_true(ahead.offset >= asked);
        assert_true(at < 2 * MIB || ahead.offset == asked);
        asked = ahead.offset + ahead.size;
        assert_true(asked <= at + 128 * KIB + 8 * MIB && asked <= 2 * at + 256 * KIB);
        assert_true(ahead.size >= MIB || asked == END);
    }
    assert_int_equal(asked, END);
}

static void nothing_is_asked_for_a_first_request(void **state)
{
    (void)state;
    struct streams streams = {0};
    assert_int_equal(follow(&streams, 0, MIB).size, 0);
    assert_int_equal(follow(&streams, 100 * MIB, MIB).size, 0);
}

static void nothing_is_asked_for_random_readers(void **state)
{
    (void)state;
    struct streams streams = {0};
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(follow(&streams, i * 7919 % 1000 * MIB, 4 * KIB).size, 0);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(follow(&streams, i * 37 % 100 * 10 * MIB, MIB).size, 0);
}

static void requests_may_overtake_each_other(void **state)
{
    (void)state;
    struct streams streams = {0};
    follow(&streams, 0, MIB);
    assert_int_equal(follow(&streams, 2 * MIB, MIB).offset, 3 * MIB);
    assert_int_equal(follow(&streams, 1 * MIB, MIB).size, 0);
    struct stretch ahead = follow(&streams, 3 * MIB, MIB);
    assert_int_equal(ahead.offset, 5 * MIB);
    assert_int_equal(ahead.size, 2 * MIB);
}

static void eight_streams_are_told_apart(void **state)
{
    (void)state;
    struct streams streams = {0};
    for (uint64_t i = 0; i < STREAMS_MAX; i++)
        follow(&streams, i * 100 * MIB, MIB);
    for (uint64_t i = 0; i < STREAMS_MAX; i++)
        assert_int_equal(follow(&streams, i * 100 * MIB + MIB, MIB).size, MIB);
    follow(&streams, 950 * MIB, MIB); /* in place of the first */
    assert_int_equal(follow(&streams, 2 * MIB, MIB).size, 0);
    assert_int_equal(follow(&streams, 702 * MIB, MIB).size, 2 * MIB);
}

static void nothing_is_asked_behind_the_end(void **state)
{
    (void)state;
    struct streams streams = {0};
    follow(&streams, END - 4 * MIB, MIB);
    follow(&streams, END - 3 * MIB, MIB);
    struct stretch ahead = follow(&streams, END - 2 * MIB, MIB);
    assert_int_equal(ahead.offset + ahead.size, END);
    assert_int_equal(follow(&streams, END - MIB, MIB).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_kept_ahead_of),
        cmocka_unit_test(nothing_is_asked_for_a_first_request),
        cmocka_unit_test(nothing_is_asked_for_random_readers),
        cmocka_unit_test(requests_may_overtake_each_other),
        cmocka_unit_test(eight_streams_are_told_apart),
        cmocka_unit_test(nothing_is_asked_behind_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
