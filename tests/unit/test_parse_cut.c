/* SPDX-License-Identifier: MIT */
/* A small file with everything in it, cut at every byte and fed in pieces of every size: what
 * is cut is refused or said to be incomplete, and pieces make no difference. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/build.h"
#include "support/parsed.h"

static void make_all(struct build *b)
{
    for (uint32_t type = GGUFS_U8; type <= GGUFS_F64; type++)
        if (type != GGUFS_STR && type != GGUFS_ARR)
            build_key_number(b, ggufs_value_type_name(type), type, 1);
    build_key_str(b, "str", "text");
    build_key_numbers(b, "numbers", GGUFS_U16, 3, (const uint64_t[]){1, 2, 3});
    build_key_strings(b, "strings", 3, (const char *const[]){"a", "", "ccc"});
    build_key(b, "nested", GGUFS_ARR);
    build_array(b, GGUFS_ARR, 2);
    build_array(b, GGUFS_STR, 1);
    build_string(b, "x", 1);
    build_array(b, GGUFS_BOOL, 2);
    build_raw(b, "\0\1", 2);
    build_tensor(b, "scalar", 0, 0, NULL);
    build_tensor(b, "matrix", 0, 2, (const uint64_t[]){3, 2});
    build_tensor(b, "empty", 1, 2, (const uint64_t[]){3, 0});
    build_tensor(b, "blocks", 2, 1, (const uint64_t[]){32});
}

static const struct {
    uint32_t version;
    bool big_endian;
} encodings[] = {{1, false}, {3, false}, {3, true}};

static void each_encoding(void (*check)(struct build *build, const uint8_t *, size_t))
{
    for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
        struct build build;
        size_t size;
        build_init(&build, encodings[i].version, encodings[i].big_endian);
        build.no_final_padding = true;
        make_all(&build);
        const uint8_t *bytes = build_bytes(&build, &size);
        check(&build, bytes, size);
        build_done(&build);
    }
}

static bool is_incomplete(const struct head *head)
{
    for (size_t i = 0; i < head->n_warnings; i++)
        if (head->warnings[i].incomplete)
            return true;
    return false;
}

static void cut_everywhere(struct build *build, const uint8_t *bytes, size_t size)
{
    uint64_t head_size = build_info_position(build);
    for (size_t cut = 0; cut < size; cut++) {
        struct parsed parsed;
        parsed_whole(&parsed, bytes, cut);
        assert_int_equal(parsed.rc < 0, cut < head_size);
        if (parsed.rc < 0) {
            assert_int_equal(parsed.error.code, GGUFS_FORMAT);
            assert_true(parsed.error.offset <= cut);
        } else {
            assert_true(is_incomplete(&parsed.head));
        }
        parsed_done(&parsed);
    }
}

static void assert_same(const struct parsed *a, const struct parsed *b)
{
    assert_int_equal(b->rc, 0);
    assert_int_equal(a->head.size, b->head.size);
    assert_int_equal(a->head.data_offset, b->head.data_offset);
    assert_int_equal(a->head.n_keys, b->head.n_keys);
    assert_int_equal(a->head.n_tensors, b->head.n_tensors);
    assert_int_equal(b->head.n_warnings, 0);
    for (size_t i = 0; i < a->head.n_keys; i++) {
        const struct key *x = &a->head.keys[i], *y = &b->head.keys[i];
        assert_memory_equal(x, y, sizeof(*x));
    }
    for (size_t i = 0; i < a->head.n_tensors; i++) {
        struct ggufs_tensor x, y;
        head_tensor(&a->head, i, &x);
        head_tensor(&b->head, i, &y);
        assert_int_equal(x.offset, y.offset);
        assert_int_equal(x.size, y.size);
        assert_memory_equal(x.dims, y.dims, sizeof(x.dims));
        assert_int_equal(x.name_length, y.name_length);
        assert_memory_equal(x.name, y.name, x.name_length);
    }
}

static void feed_in_pieces(struct build *build, const uint8_t *bytes, size_t size)
{
    struct parsed whole, pieces;
    (void)build;
    parsed_whole(&whole, bytes, size);
    assert_int_equal(whole.rc, 0);
    assert_int_equal(whole.feeds, 1);
    for (size_t step = 0; step <= size; step++) {
        parsed_pieces(&pieces, bytes, size, step, step);
        assert_same(&whole, &pieces);
        parsed_done(&pieces);
    }
    parsed_done(&whole);
}

/* Every byte set to every one of a few values: whatever comes, nothing breaks, and the same is
 * said of the whole and of pieces. */
static void spoil_everywhere(struct build *build, const uint8_t *bytes, size_t size)
{
    static const uint8_t values[] = {0x00, 0x01, 0x09, 0x7f, 0x80, 0xff};
    uint64_t head_size = build_info_position(build);
    uint8_t *spoilt = malloc(size);
    assert_non_null(spoilt);
    for (size_t i = 0; i < head_size * sizeof(values); i++) {
        struct parsed whole, pieces;
        memcpy(spoilt, bytes, size);
        spoilt[i / sizeof(values)] = values[i % sizeof(values)];
        parsed_whole(&whole, spoilt, size);
        parsed_pieces(&pieces, spoilt, size, 0, 1);
        assert_int_equal(whole.rc, pieces.rc);
        assert_int_equal(whole.error.offset, pieces.error.offset);
        assert_string_equal(whole.error.text, pieces.error.text);
        assert_int_equal(whole.head.n_warnings, pieces.head.n_warnings);
        parsed_done(&whole);
        parsed_done(&pieces);
    }
    free(spoilt);
}

static void test_cut(void **state)
{
    (void)state;
    each_encoding(cut_everywhere);
}

static void test_pieces(void **state)
{
    (void)state;
    each_encoding(feed_in_pieces);
}

static void test_spoilt(void **state)
{
    (void)state;
    each_encoding(spoil_everywhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_spoilt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
