/* SPDX-License-Identifier: MIT */
/* A parsed head as others see it: public forms of keys and tensors, and finding by name. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/build.h"
#include "support/parsed.h"

static void make(struct build *b)
{
    build_key_u32(b, "number", 42);
    build_key_strings(b, "words", 2, (const char *const[]){"one", "three"});
    build_key_str(b, "number", "again");
    build_key_bytes(b, "a\0b", 3, GGUFS_BOOL);
    build_u8(b, 1);
    build_key_numbers(b, "last", GGUFS_U8, 3, (const uint64_t[]){1, 2, 3});
    build_tensor(b, "odd", 99, 0, NULL);
    build_tensor(b, "matrix", 2, 2, (const uint64_t[]){64, 3});
    build_tensor(b, "matrix", 0, 8, (const uint64_t[]){1, 2, 1, 2, 1, 2, 1, 2});
}

static void parse(struct parsed *parsed, struct build *build, uint32_t version,
                  bool big_endian)
{
    size_t size;
    build_init(build, version, big_endian);
    make(build);
    const uint8_t *bytes = build_bytes(build, &size);
    parsed_whole(parsed, bytes, size);
    assert_int_equal(parsed->rc, 0);
}

static void assert_name(const char *bytes, uint64_t length, const char *wanted,
                        size_t wanted_length)
{
    assert_int_equal(length, wanted_length);
    assert_memory_equal(bytes, wanted, wanted_length);
}

static void check_keys(const struct head *head, const struct build *build)
{
    struct ggufs_key key;
    uint64_t width = build->version == 1 ? 4 : 8;
    head_key(head, 0, &key);
    assert_name(key.name, key.name_length, "number", 6);
    assert_int_equal(key.offset, 8 + 2 * width);
    assert_int_equal(key.value.type, GGUFS_U32);
    assert_int_equal(key.value.u, 42);
    head_key(head, 1, &key);
    assert_int_equal(key.offset, 8 + 2 * width + width + 6 + 4 + 4);
    assert_int_equal(key.value.type, GGUFS_ARR);
    assert_int_equal(key.value.arr.type, GGUFS_STR);
    assert_int_equal(key.value.arr.count, 2);
    assert_int_equal(key.value.arr.size, 2 * width + 3 + 5);
    assert_int_equal(key.value.arr.big_endian, build->big_endian);
    assert_int_equal(key.value.arr.v1, build->version == 1);
    head_key(head, 2, &key);
    assert_name(key.value.str.bytes, key.value.str.length, "again", 5);
    head_key(head, 3, &key);
    assert_name(key.name, key.name_length, "a\0b", 3);
    assert_int_equal(key.value.u, 1);
    head_key(head, 4, &key); /* in front of the tensors */
    assert_int_equal(key.value.arr.size, 3);
}

static void check_tensors(const struct head *head, const struct build *build)
{
    struct ggufs_tensor tensor;
    static const uint64_t ones[GGUFS_DIMS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    head_tensor(head, 0, &tensor);
    assert_name(tensor.name, tensor.name_length, "odd", 3);
    assert_int_equal(tensor.type_id, 99);
    assert_null(tensor.type);
    assert_int_equal(tensor.n_dims, 0);
    assert_int_equal(tensor.n_elements, 1);
    assert_memory_equal(tensor.dims, ones, sizeof(ones));
    assert_true(tensor.extent);
    assert_int_equal(tensor.shard, 0);
    head_tensor(head, 1, &tensor);
    assert_string_equal(tensor.type->name, "Q4_0");
    assert_int_equal(tensor.n_dims, 2);
    assert_int_equal(tensor.dims[0], 64);
    assert_int_equal(tensor.dims[1], 3);
    assert_memory_equal(tensor.dims + 2, ones, 6 * sizeof(uint64_t));
    assert_int_equal(tensor.n_elements, 192);
    assert_int_equal(tensor.size, 6 * 18);
    assert_int_equal(tensor.offset, build_data_offset(build));
    assert_false(tensor.extent);
    head_tensor(head, 2, &tensor);
    assert_int_equal(tensor.n_dims, 8);
    assert_int_equal(tensor.dims[7], 2);
    assert_int_equal(tensor.offset, build_data_offset(build) + 128);
}

static void test_public_forms(void **state)
{
    static const struct {
        uint32_t version;
        bool big_endian;
    } rows[] = {{1, false}, {2, false}, {3, false}, {3, true}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed parsed;
        struct build build;
        parse(&parsed, &build, rows[i].version, rows[i].big_endian);
        check_keys(&parsed.head, &build);
        check_tensors(&parsed.head, &build);
        parsed_done(&parsed);
        build_done(&build);
    }
}

/* The first of several of one name; whole names only, NUL and all. */
static void test_finding(void **state)
{
    struct parsed parsed;
    struct build build;
    (void)state;
    parse(&parsed, &build, 3, false);
    const struct table *keys = &parsed.head.keys_by_name;
    const struct table *tensors = &parsed.head.tensors_by_name;
    assert_int_equal(table_find(keys, "number", 6), 0);
    assert_int_equal(table_find(keys, "words", 5), 1);
    assert_int_equal(table_find(keys, "a\0b", 3), 3);
    assert_int_equal(table_find(keys, "a", 1), TABLE_NONE);
    assert_int_equal(table_find(keys, "", 0), TABLE_NONE);
    assert_int_equal(table_find(tensors, "matrix", 6), 1);
    assert_int_equal(table_find(tensors, "odd", 3), 0);
    assert_int_equal(table_find(tensors, "number", 6), TABLE_NONE);
    parsed_done(&parsed);
    build_done(&build);
}

/* The last array's bytes end where the head does. */
static void test_last_key_without_tensors(void **state)
{
    struct parsed parsed;
    struct build build;
    struct ggufs_key key;
    size_t size;
    (void)state;
    build_init(&build, 3, false);
    build_key_strings(&build, "words", 2, (const char *const[]){"one", "three"});
    const uint8_t *bytes = build_bytes(&build, &size);
    parsed_whole(&parsed, bytes, size);
    head_key(&parsed.head, 0, &key);
    assert_int_equal(key.value.arr.size, 8 + 3 + 8 + 5);
    assert_ptr_equal(key.value.arr.bytes + key.value.arr.size, parsed.bytes + size);
    parsed_done(&parsed);
    build_done(&build);
}

static void test_done_twice(void **state)
{
    struct head head = {0};
    (void)state;
    head_done(&head);
    head_done(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_forms),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_last_key_without_tensors),
        cmocka_unit_test(test_done_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
