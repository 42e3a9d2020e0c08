/* SPDX-License-Identifier: MIT */
/* How tensors lie in the file: order, gaps, overlaps, ends, extents, and that nothing of it
 * takes long for many of them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gguf/warnings.h"
#include "support/rules.h"

#define F32      0
#define I8       24
#define UNKNOWN  99
#define REMOVED  36
#define ODD_ROWS 14 /* for rows of 32 elements: its block has 256 */

/* 32 bytes of I8 (or of that type), at offset in the data section. */
static void place(struct build *b, const char *name, uint32_t type, uint64_t offset)
{
    build_add(b, &(struct build_tensor){.name = name,
                                        .name_length = BUILD_AUTO,
                                        .type = type,
                                        .n_dims = 1,
                                        .dims = {32},
                                        .offset = offset,
                                        .size = 32});
}

static void in_order(struct build *b)
{
    place(b, "a", I8, 0);
    place(b, "b", I8, 32);
}

static void final_padding_missing(struct build *b)
{
    build_tensor(b, "a", I8, 1, (const uint64_t[]){3});
    b->no_final_padding = true;
}

static void padding_not_zero(struct build *b)
{
    build_tensor(b, "a", I8, 1, (const uint64_t[]){3});
    build_tensor(b, "b", I8, 1, (const uint64_t[]){3});
    b->padding = 0xff;
}

static void first_not_at_0(struct build *b)
{
    place(b, "a", I8, 64);
}

static void gap(struct build *b)
{
    place(b, "a", I8, 0);
    place(b, "b", I8, 96);
}

static void unaligned(struct build *b)
{
    build_tensor(b, "a", I8, 1, (const uint64_t[]){3});
    place(b, "b", I8, 4);
}

static void overlap(struct build *b)
{
    build_tensor(b, "a", I8, 1, (const uint64_t[]){64});
    place(b, "b", I8, 32);
}

/* c is not behind b alone, but within a. */
static void overlap_with_an_earlier_one(struct build *b)
{
    build_tensor(b, "a", I8, 1, (const uint64_t[]){128});
    place(b, "b", I8, 32);
    place(b, "c", I8, 96);
}

static void same_bytes(struct build *b)
{
    place(b, "a", I8, 0);
    place(b, "b", I8, 0);
}

static void reversed(struct build *b)
{
    place(b, "a", I8, 64);
    place(b, "b", I8, 32);
    place(b, "c", I8, 0);
}

static void empty_ones_lie_anywhere(struct build *b)
{
    build_tensor(b, "e", I8, 1, (const uint64_t[]){0});
    place(b, "a", I8, 0);
    build_add(b,
              &(struct build_tensor){
                  .name = "f", .name_length = 1, .type = I8, .n_dims = 1, .offset = 0});
    place(b, "b", I8, 32);
}

static void one_byte_short(struct build *b)
{
    in_order(b);
    b->no_final_padding = true;
    b->data.size -= 1;
}

static void all_data_missing(struct build *b)
{
    in_order(b);
    b->no_padding = true;
    b->data.size = 0;
}

static void ends_before_empty_data(struct build *b)
{
    build_tensor(b, "a", I8, 1, (const uint64_t[]){0});
    b->no_padding = true;
}

/* 2 x (2^63 - 64) bytes: their ends do not fit in any number. */
static void sum_past_all_numbers(struct build *b)
{
    struct build_tensor tensor = {.name = "a",
                                  .name_length = 1,
                                  .type = I8,
                                  .n_dims = 1,
                                  .dims = {0x7fffffffffffffc0},
                                  .size = 32};
    build_add(b, &tensor);
    tensor.name = "b";
    tensor.offset = 0x7fffffffffffffc0;
    build_add(b, &tensor);
}

static void offset_past_all_numbers(struct build *b)
{
    place(b, "a", I8, UINT64_MAX - 31);
}

static const struct rule rules[] = {
    TAKEN(in_order),
    TAKEN(final_padding_missing),
    TAKEN(padding_not_zero),
    TAKEN(empty_ones_lie_anywhere),
    WARNED(first_not_at_0, 49, "tensor 'a': a gap of 64 bytes behind the head"),
    WARNED(gap, 82, "tensor 'b': a gap of 64 bytes behind 'a'"),
    WARNED(unaligned, 82,
           "tensor 'b': offset 4 is not a multiple of the alignment of 32"),
    WARNED(overlap, 82, "tensor 'b': starts at byte 128, within 'a', which ends at 160"),
    {"overlap_with_an_earlier_one",
     overlap_with_an_earlier_one,
     GGUFS_OK,
     {{82, "tensor 'b': starts at byte 160, within 'a', which ends at 256"},
      {115, "tensor 'c': starts at byte 224, within 'a', which ends at 256"}}},
    WARNED(same_bytes, 82,
           "tensor 'b': starts at byte 96, within 'a', which ends at 128"),
    {"reversed",
     reversed,
     GGUFS_OK,
     {{82, "tensor 'b': its data lies in front of that of 'a', listed before it"},
      {115, "tensor 'c': its data lies in front of that of 'b', listed before it"}}},
    WARNED(
        one_byte_short, 82,
        "tensor 'b': data cut off: it starts at byte 128 and has 32 bytes, the file ends "
        "at byte 159"),
    {"all_data_missing",
     all_data_missing,
     GGUFS_OK,
     {{49,
       "tensor 'a': data cut off: it starts at byte 96 and has 32 bytes, the file ends "
       "at byte 90"},
      {82,
       "tensor 'b': data cut off: it starts at byte 128 and has 32 bytes, the file ends "
       "at byte 90"}}},
    WARNED(ends_before_empty_data, 57,
           "the file ends at byte 57, before its (empty) data section at byte 64"),
    {"sum_past_all_numbers",
     sum_past_all_numbers,
     GGUFS_OK,
     {{49, "tensor 'a': data cut off: it starts at byte 96 and has 9223372036854775744 "
           "bytes, the file ends at byte 128"},
      {82, "tensor 'b': data cut off: it starts at byte 9223372036854775840 and has "
           "9223372036854775744 bytes, the file ends at byte 128"}}},
    REFUSED(
        offset_past_all_numbers, 49,
        "tensor 'a': offset 18446744073709551584 from the data at byte 64 is past all "
        "numbers"),
};

static void test_rules(void **state)
{
    (void)state;
    rules_check(rules, sizeof(rules) / sizeof(rules[0]));
}

/* ---- Extents ----------------------------------------------------------------------------- */

static void parse(struct parsed *parsed, struct build *build)
{
    size_t size;
    const uint8_t *bytes = build_bytes(build, &size);
    parsed_whole(parsed, bytes, size);
    assert_int_equal(parsed->rc, 0);
}

static void assert_extent(const struct parsed *parsed, size_t i, uint64_t size)
{
    assert_true(parsed->head.tensors[i].extent);
    assert_int_equal(parsed->head.tensors[i].size, size);
}

/* To the next larger offset, wherever that stands in the list; the last one to the end. */
static void test_extents(void **state)
{
    struct build build;
    struct parsed parsed;
    (void)state;
    build_init(&build, 3, false);
    place(&build, "last", ODD_ROWS, 160);
    place(&build, "a", UNKNOWN, 0);
    place(&build, "b", I8, 96);
    place(&build, "twin", REMOVED, 0);
    build_add(&build, &(struct build_tensor){
                          .name = "e", .name_length = 1, .n_dims = 1, .offset = 32});
    parse(&parsed, &build);
    assert_extent(&parsed, 0, 32);
    assert_extent(&parsed, 1, 96);
    assert_extent(&parsed, 3, 96);
    assert_false(parsed.head.tensors[2].extent);
    assert_int_equal(parsed.head.tensors[2].size, 32);
    assert_false(parsed.head.tensors[4].extent);
    assert_int_equal(parsed.head.tensors[4].size, 0);
    parsed_done(&parsed);
    build_done(&build);
}

/* An extent is never a size that no file has. */
static void test_extent_up_to_an_absurd_offset(void **state)
{
    struct build build;
    struct parsed parsed;
    (void)state;
    build_init(&build, 3, false);
    place(&build, "a", UNKNOWN, 0);
    place(&build, "b", UNKNOWN, (uint64_t)1 << 63);
    parse(&parsed, &build);
    assert_extent(&parsed, 0, 32);
    assert_extent(&parsed, 1, 0);
    assert_true(parsed.head.warnings[parsed.head.n_warnings - 1].incomplete);
    parsed_done(&parsed);
    build_done(&build);
}

/* ---- Many -------------------------------------------------------------------------------- */

static size_t count_texts(const struct head *head, const char *part)
{
    size_t count = 0;
    for (size_t i = 0; i < head->n_warnings; i++)
        count += strstr(head->warnings[i].text, part) != NULL;
    return count;
}

/* Offsets in an order that a weak sort is slow on, all of one name: the extents tell that they
 * were sorted, and the list of warnings stays short. */
static void test_many_in_no_order(void **state)
{
    enum { MANY = 20000 };
    struct build build;
    struct parsed parsed;
    char text[64];
    (void)state;
    build_init(&build, 3, false);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t at = i % 2 == 0 ? i : MANY - i;
        place(&build, "t", UNKNOWN, at * 32);
    }
    parse(&parsed, &build);
    for (size_t i = 0; i < MANY; i++)
        assert_extent(&parsed, i, 32);
    snprintf(text, sizeof(text), "%d more tensors with a name",
             MANY - 1 - WARNINGS_LISTED);
    assert_int_equal(count_texts(&parsed.head, text), 1);
    assert_int_equal(count_texts(&parsed.head, "unknown type"), WARNINGS_LISTED);
    assert_int_equal(count_texts(&parsed.head, "more tensors in front of the one before"),
                     1);
    assert_true(parsed.head.n_warnings < 4 * (WARNINGS_LISTED + 1));
    parsed_done(&parsed);
    build_done(&build);
}

/* Of those whose data is cut off the line that counts the rest says that they are, too. */
static void test_many_cut_off(void **state)
{
    struct build build;
    struct parsed parsed;
    (void)state;
    build_init(&build, 3, false);
    for (size_t i = 0; i < WARNINGS_LISTED + 5; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%zu", i);
        build_tensor(&build, name, I8, 1, (const uint64_t[]){32});
    }
    build.data.size = 0;
    parse(&parsed, &build);
    assert_int_equal(parsed.head.n_warnings, WARNINGS_LISTED + 1);
    for (size_t i = 0; i < parsed.head.n_warnings; i++)
        assert_true(parsed.head.warnings[i].incomplete);
    assert_string_equal(parsed.head.warnings[WARNINGS_LISTED].text,
                        "5 more tensors whose data is cut off");
    assert_int_equal(parsed.head.warnings[WARNINGS_LISTED].offset, GGUFS_NO_OFFSET);
    parsed_done(&parsed);
    build_done(&build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_extents),
        cmocka_unit_test(test_extent_up_to_an_absurd_offset),
        cmocka_unit_test(test_many_in_no_order),
        cmocka_unit_test(test_many_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
