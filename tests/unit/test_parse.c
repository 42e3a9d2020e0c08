/* SPDX-License-Identifier: MIT */
/* The header: magic, version and byte order, counts; and feeding in pieces. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/rules.h"

/* ---- What is built: named after the rule that it breaks or just keeps -------------------- */

static void nothing(struct build *b)
{
    (void)b;
}

static void version_0(struct build *b)
{
    b->version = 0;
}

static void version_4(struct build *b)
{
    b->version = 4;
}

static void version_big(struct build *b)
{
    b->version = 0x04000000;
}

static void version_1_big(struct build *b)
{
    b->version = 0x01000000;
}

static void tensors_2_64(struct build *b)
{
    b->claim_tensors = UINT64_MAX - 1;
}

static void keys_2_64(struct build *b)
{
    b->claim_keys = UINT64_MAX - 1;
}

/* 26 bytes of keys and 24 of tensors fit, but not both in the 48 that are left. */
static void counts_together(struct build *b)
{
    b->claim_tensors = 1;
    b->claim_keys = 2;
    build_raw(b, "123456789012345678901234567890123456789012345678", 48);
}

static void key_missing(struct build *b)
{
    build_key_str(b, "k", "a string of some length");
    b->claim_keys = 2;
}

/* ---- What the parser says ---------------------------------------------------------------- */

static const struct rule rules[] = {
    TAKEN(nothing),
    REFUSED_VERSION(version_0, "version 0 of GGUF; 1, 2 and 3 are read here"),
    REFUSED_VERSION(version_4, "version 4 of GGUF; 1, 2 and 3 are read here"),
    REFUSED_VERSION(version_big,
                    "version 4 (big-endian) of GGUF; 1, 2 and 3 are read here"),
    REFUSED_VERSION(version_1_big,
                    "version 1 (big-endian) of GGUF; 1, 2 and 3 are read here"),
    REFUSED(
        tensors_2_64, 8,
        "18446744073709551614 tensors, but the 0 bytes left of the file hold at most 0"),
    REFUSED(keys_2_64, 16,
            "18446744073709551614 keys, but the 0 bytes left of the file hold at most 0"),
    REFUSED(counts_together, 16,
            "2 keys, but the 48 bytes left of the file hold at most 1"),
    REFUSED(key_missing, 68,
            "key 2 of 2: a name's length of 8 bytes does not fit in the 0 bytes that are "
            "left of the file"),
};

static void test_rules(void **state)
{
    (void)state;
    rules_check(rules, sizeof(rules) / sizeof(rules[0]));
}

/* The same keys and tensors, in every version and byte order that there is. */
static const struct encoding_row {
    uint32_t version;
    bool big_endian;
} encodings[] = {{1, false}, {2, false}, {3, false}, {2, true}, {3, true}};

static void make_small(struct build *b)
{
    build_key_str(b, "general.architecture", "test");
    build_key_numbers(b, "ids", GGUFS_I16, 3, (const uint64_t[]){1, 0xffff, 300});
    build_key_strings(b, "words", 3, (const char *const[]){"one", "", "three"});
    build_key_f64(b, "half", 0.5);
    build_tensor(b, "a", 0, 2, (const uint64_t[]){3, 2});
    build_tensor(b, "b", 2, 1, (const uint64_t[]){64});
}

static void check_small(const struct head *head, const struct build *build)
{
    struct ggufs_key key;
    struct ggufs_tensor tensor;
    struct ggufs_value word;
    assert_int_equal(head->n_keys, 4);
    assert_int_equal(head->n_tensors, 2);
    assert_int_equal(head->n_warnings, 0);
    assert_int_equal(head->size, build_info_position(build));
    assert_int_equal(head->data_offset, build_data_offset(build));
    head_key(head, 2, &key);
    assert_int_equal(key.value.arr.count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(ggufs_array_next(&key.value.arr, &word));
    assert_int_equal(word.str.length, 5);
    assert_memory_equal(word.str.bytes, "three", 5);
    assert_false(ggufs_array_next(&key.value.arr, &word));
    head_key(head, 3, &key);
    assert_true(key.value.f64 == 0.5);
    head_tensor(head, 1, &tensor);
    assert_int_equal(tensor.dims[0], 64);
    assert_int_equal(tensor.offset, build_data_offset(build) + 32);
    assert_int_equal(tensor.size, 36);
}

static void test_versions_and_byte_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
        struct build build;
        struct parsed parsed;
        size_t size;
        build_init(&build, encodings[i].version, encodings[i].big_endian);
        make_small(&build);
        const uint8_t *bytes = build_bytes(&build, &size);
        parsed_whole(&parsed, bytes, size);
        assert_int_equal(parsed.rc, 0);
        assert_int_equal(parsed.head.version, encodings[i].version);
        assert_int_equal(parsed.head.big_endian, encodings[i].big_endian);
        assert_int_equal(parsed.head.v1, encodings[i].version == 1);
        check_small(&parsed.head, &build);
        parsed_done(&parsed);
        build_done(&build);
    }
}

/* A claim of 2^24 + 1 in a file that could hold them: its size is only said. */
static void test_more_records_than_are_read(void **state)
{
    struct build build;
    struct parsed parsed;
    size_t size;
    (void)state;
    build_init(&build, 3, false);
    build.claim_keys = (1 << 24) + 1;
    for (int i = 0; i < 8; i++)
        build_u64(&build, 0);
    const uint8_t *bytes = build_bytes(&build, &size);
    parsed_head(&parsed, bytes, size, (uint64_t)1 << 40);
    assert_int_equal(parsed.error.offset, 16);
    assert_string_equal(parsed.error.text,
                        "16777217 keys; at most 16777216 are read here");
    parsed_done(&parsed);
    build_done(&build);
}

/* A caller that doubles what it has reads each byte a few times, however long a record is. */
static void test_doubling_needs_few_feeds(void **state)
{
    struct build build;
    struct parsed parsed;
    size_t size;
    (void)state;
    build_init(&build, 3, false);
    build_key(&build, "words", GGUFS_ARR);
    build_array(&build, GGUFS_STR, 10000);
    for (int i = 0; i < 10000; i++)
        build_string(&build, "abc", 3);
    const uint8_t *bytes = build_bytes(&build, &size);
    parsed_pieces(&parsed, bytes, size, 64, 64 * 1024);
    assert_int_equal(parsed.rc, 0);
    assert_true(parsed.feeds <= 3);
    parsed_done(&parsed);
    build_done(&build);
}

static void test_no_parser(void **state)
{
    (void)state;
    parser_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_versions_and_byte_orders),
        cmocka_unit_test(test_more_records_than_are_read),
        cmocka_unit_test(test_doubling_needs_few_feeds),
        cmocka_unit_test(test_no_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
