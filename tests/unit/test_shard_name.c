/* SPDX-License-Identifier: MIT */
/* Names of shards: which are some, what they say, and the names made of them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/shard_name.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void test_names_of_shards(void **state)
{
    (void)state;
    const struct {
        const char *name;
        size_t prefix;
        uint32_t number;
        uint32_t count;
        uint32_t other;
        const char *other_name;
    } rows[] = {
        {"m-00001-of-00005.gguf", 1, 1, 5, 5, "m-00005-of-00005.gguf"},
        {"m-00005-of-00005.gguf", 1, 5, 5, 1, "m-00001-of-00005.gguf"},
        {"m-1-of-3.gguf", 1, 1, 3, 2, "m-2-of-3.gguf"},
        {"m-1-of-12.gguf", 1, 1, 12, 10, "m-10-of-12.gguf"},
        {"m-01-of-3.gguf", 1, 1, 3, 2, "m-02-of-3.gguf"},
        {"m-1-of-003.gguf", 1, 1, 3, 2, "m-2-of-003.gguf"},
        {"m-0001-of-1148.gguf", 1, 1, 1148, 1148, "m-1148-of-1148.gguf"},
        {"m-000000001-of-000000002.gguf", 1, 1, 2, 2, "m-000000002-of-000000002.gguf"},
        {"m-65535-of-65535.gguf", 1, 65535, 65535, 7, "m-00007-of-65535.gguf"},
        {"a-00001-of-00002-00003-of-00004.gguf", 16, 3, 4, 1,
         "a-00001-of-00002-00001-of-00004.gguf"},
        {"a b%d-00001-of-00002.gguf", 5, 1, 2, 2, "a b%d-00002-of-00002.gguf"},
        {"-00001-of-00002.gguf", 0, 1, 2, 2, "-00002-of-00002.gguf"},
        {"m-1-of-1.gguf", 1, 1, 1, 1, "m-1-of-1.gguf"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct shard_name parts;
        assert_true(shard_name_parse(rows[i].name, &parts));
        assert_int_equal(parts.prefix_length, rows[i].prefix);
        assert_int_equal(parts.number, rows[i].number);
        assert_int_equal(parts.count, rows[i].count);
        char *other = shard_name_make(&parts, rows[i].other);
        assert_string_equal(other, rows[i].other_name);
        free(other);
        char *same = shard_name_make(&parts, rows[i].number);
        assert_string_equal(same, rows[i].name);
        free(same);
    }
}

static void test_other_names(void **state)
{
    (void)state;
    const char *rows[] = {
        "",
        ".gguf",
        "m.gguf",
        "m-00001-of-00005",
        "m-00001-of-00005.GGUF",
        "m-00001-of-00005.gguf.part",
        "m-00000-of-00005.gguf",
        "m-00006-of-00005.gguf",
        "m-1-of-0.gguf",
        "m-00001-of-.gguf",
        "m--of-00005.gguf",
        "m_00001-of-00005.gguf",
        "00001-of-00005.gguf",
        "-of-00005.gguf",
        "m-00001-of00005.gguf",
        "m-00001_of_00005.gguf",
        "m-x1-of-5.gguf",
        "m-00001-OF-00005.gguf",
        "m-1-of-65536.gguf",
        "m-1-of-4294967297.gguf",
        "m-1-of-18446744073709551617.gguf",
        "m-18446744073709551617-of-5.gguf",
        "m-+1-of-5.gguf",
        "m- 1-of-5.gguf",
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct shard_name parts;
        if (shard_name_parse(rows[i], &parts))
            fail_msg("'%s' was taken for a shard's name", rows[i]);
    }
}

static void test_padding_is_certain_with_a_zero(void **state)
{
    (void)state;
    struct shard_name parts;
    assert_true(shard_name_parse("m-01-of-12.gguf", &parts));
    assert_true(parts.padded);
    assert_int_equal(parts.width, 2);
    assert_true(shard_name_parse("m-10-of-12.gguf", &parts));
    assert_false(parts.padded);
    assert_int_equal(parts.width, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_shards),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_padding_is_certain_with_a_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
