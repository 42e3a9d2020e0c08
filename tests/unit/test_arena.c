/* SPDX-License-Identifier: MIT */
/* The arena: aligned, zeroed, never the same bytes twice. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"

static void test_pieces(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 16, 17, 100, 4096, 8191, 8193, 32768, 100000};
    enum { N = sizeof(sizes) / sizeof(sizes[0]), ROUNDS = 40 };
    struct arena arena = {0};
    unsigned char *pieces[ROUNDS][N];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < N; i++) {
            unsigned char *p = arena_alloc(&arena, sizes[i]);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
            for (size_t k = 0; k < sizes[i]; k++)
                if (p[k] != 0)
                    fail_msg("byte %zu of a piece of %zu is not zero", k, sizes[i]);
            memset(p, round * N + i, sizes[i]);
            pieces[round][i] = p;
        }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < N; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                if (pieces[round][i][k] != (unsigned char)(round * N + i))
                    fail_msg("a piece of %zu was overwritten", sizes[i]);
    arena_done(&arena);
    assert_null(arena.blocks);
}

static void test_copy(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *copy = arena_copy(&arena, "ab\0cd#", 5);
    assert_memory_equal(copy, "ab\0cd", 6);
    assert_string_equal(arena_copy(&arena, NULL, 0), "");
    arena_done(&arena);
}

/* A big piece does not close the block that small ones come from. */
static void test_big_between_small(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *first = arena_alloc(&arena, 16);
    arena_alloc(&arena, 1 << 20);
    char *second = arena_alloc(&arena, 16);
    assert_ptr_equal(second, first + 16);
    arena_done(&arena);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_alloc(&arena, SIZE_MAX - 8));
    assert_null(arena_copy(&arena, "x", SIZE_MAX));
    assert_non_null(arena_alloc(&arena, 8));
    arena_done(&arena);
}

static void test_done_twice(void **state)
{
    (void)state;
    struct arena arena = {0};
    arena_done(&arena);
    arena_alloc(&arena, 8);
    arena_done(&arena);
    arena_done(&arena);
    assert_null(arena.blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_big_between_small),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_done_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
