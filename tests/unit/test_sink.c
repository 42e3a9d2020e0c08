/* SPDX-License-Identifier: MIT */
/* The sink: whatever the pieces and the window, the window holds that part of the
 * whole. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/sink.h"

static const char whole[] = "abc\ndefghi18446744073709551615-9223372036854775808j";
#define WHOLE (sizeof(whole) - 1)

static void write_all(struct sink *sink)
{
    sink_string(sink, "abc");
    sink_char(sink, '\n');
    sink_write(sink, "", 0);
    sink_write(sink, "defghi###", 6);
    sink_u64(sink, UINT64_MAX);
    sink_i64(sink, INT64_MIN);
    sink_char(sink, 'j');
}

static void test_counter(void **state)
{
    (void)state;
    struct sink sink = sink_counter();
    write_all(&sink);
    assert_int_equal(sink.position, WHOLE);
    assert_int_equal(sink_filled(&sink), 0);
    assert_true(sink_full(&sink));
}

static void test_every_window(void **state)
{
    (void)state;
    for (size_t offset = 0; offset <= WHOLE + 1; offset++)
        for (size_t size = 1; size <= WHOLE + 2; size++) {
            char buffer[WHOLE + 3];
            memset(buffer, '#', sizeof(buffer));
            struct sink sink = sink_window(0, offset, buffer, size);
            write_all(&sink);
            size_t there = offset < WHOLE ? WHOLE - offset : 0;
            size_t expected = size < there ? size : there;
            assert_int_equal(sink.position, WHOLE);
            assert_int_equal(sink_filled(&sink), expected);
            assert_int_equal(sink_full(&sink), there >= size);
            assert_memory_equal(buffer, whole + (expected ? offset : 0), expected);
            assert_int_equal(buffer[expected], '#');
        }
}

/* From a checkpoint: the output has reached a position already. */
static void test_from_position(void **state)
{
    (void)state;
    char buffer[4];
    struct sink sink = sink_window(1000, 1003, buffer, sizeof(buffer));
    sink_string(&sink, "abc");
    assert_int_equal(sink_filled(&sink), 0);
    assert_false(sink_full(&sink));
    sink_string(&sink, "def");
    assert_int_equal(sink_filled(&sink), 3);
    assert_false(sink_full(&sink));
    sink_string(&sink, "ghi");
    assert_int_equal(sink_filled(&sink), 4);
    assert_true(sink_full(&sink));
    assert_int_equal(sink.position, 1009);
    assert_memory_equal(buffer, "defg", 4);
}

/* Windows at the end of what 64 bits can say. */
static void test_far(void **state)
{
    (void)state;
    char buffer[8] = "";
    struct sink sink =
        sink_window(UINT64_MAX - 6, UINT64_MAX - 4, buffer, sizeof(buffer));
    sink_string(&sink, "abcdef");
    assert_int_equal(sink_filled(&sink), 4);
    assert_string_equal(buffer, "cdef");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_every_window),
        cmocka_unit_test(test_from_position),
        cmocka_unit_test(test_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
