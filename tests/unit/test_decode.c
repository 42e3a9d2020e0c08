/* SPDX-License-Identifier: MIT */
/* Values of tensors by any range: every start and length gives the bits of the whole.
 * What the decoders make of a block is tested with them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "model/model.h"
#include "quant/quant.h"
#include "support/plan.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum {
    FLOATS, /* more than are read at once */
    BLOCKS, /* three blocks */
    MANY,   /* more blocks than are read at once */
    EMPTY,
    UNKNOWN, /* a type without a number */
    ROWS,    /* rows that are no multiple of the block */
    LAST,
};

static const struct plan plan = {
    .version = 3,
    .n_tensors = 7,
    .tensors = {{"floats", 0, 1, {5000}},
                {"blocks", 8, 1, {96}},
                {"many", 8, 2, {64, 500}},
                {"empty", 0, 2, {0, 4}},
                {"unknown", 999, 1, {64}},
                {"rows", 8, 2, {16, 4}},
                {"last", 0, 1, {32}}},
};

static struct plan_set *set;
static struct ggufs_model *model;

static void open_model(bool big_endian)
{
    struct plan copy = plan;
    struct ggufs_error error = {0};
    copy.big_endian = big_endian;
    set = plan_set_new();
    plan_write(&copy, plan_set_path(set, "m.gguf"));
    if (ggufs_model_open(plan_set_path(set, "m.gguf"), NULL, &model, &error) < 0)
        fail_msg("%s", error.text);
}

static int setup(void **state)
{
    (void)state;
    open_model(false);
    return 0;
}

static int setup_big(void **state)
{
    (void)state;
    open_model(true);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ggufs_model_close(model);
    plan_set_free(set);
    return 0;
}

/* All values of a tensor, by its decoder and by nothing else of what is tested. */
static float *decode_all(size_t i, size_t *count)
{
    const struct plan_tensor *tensor = &plan.tensors[i];
    size_t size = plan_data_size(tensor), block = tensor->type == 0 ? 4 : 34;
    uint8_t *bytes = malloc(size);
    for (size_t k = 0; k < size; k++)
        bytes[k] = plan_data_byte(tensor, k);
    *count = model_tensor_record(model, i)->n_elements;
    float *values = malloc(*count * sizeof(*values));
    quant_decoder(tensor->type)(bytes, size / block, values,
                                model->shards[0].head.big_endian);
    free(bytes);
    return values;
}

static void expect_range(size_t i, const float *all, uint64_t first, size_t count)
{
    float *out = malloc((count + 1) * sizeof(*out));
    out[count] = 12345;
    assert_int_equal(ggufs_tensor_decode(model, i, first, out, count), 0);
    assert_memory_equal(out, all + first, count * sizeof(*out));
    assert_true(out[count] == 12345);
    free(out);
}

static void test_all_ranges_of_a_few_blocks(void **state)
{
    (void)state;
    size_t count;
    float *all = decode_all(BLOCKS, &count);
    assert_int_equal(count, 96);
    for (size_t first = 0; first <= count; first++)
        for (size_t n = 0; n <= count - first; n++)
            expect_range(BLOCKS, all, first, n);
    free(all);
}

static void test_long_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i += 2) { /* FLOATS and MANY */
        size_t count;
        float *all = decode_all(i, &count);
        expect_range(i, all, 0, count);
        expect_range(i, all, 1, count - 2);
        expect_range(i, all, count - 1, 1);
        expect_range(i, all, 4095, 3);
        expect_range(i, all, 33, 4500);
        free(all);
    }
}

static void test_what_cannot_be_decoded(void **state)
{
    (void)state;
    const struct {
        size_t tensor;
        uint64_t first;
        size_t count;
        int rc;
    } rows[] = {
        {BLOCKS, 96, 0, 0},
        {BLOCKS, 96, 1, -EINVAL},
        {BLOCKS, 97, 0, -EINVAL},
        {BLOCKS, 95, 2, -EINVAL},
        {BLOCKS, UINT64_MAX, 2, -EINVAL},
        {BLOCKS, 1, SIZE_MAX, -EINVAL},
        {EMPTY, 0, 0, 0},
        {EMPTY, 0, 1, -EINVAL},
        {UNKNOWN, 0, 1, -ENOTSUP},
        {ROWS, 0, 1, -ENOTSUP},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        float out[4];
        assert_int_equal(
            ggufs_tensor_decode(model, rows[i].tensor, rows[i].first, out, rows[i].count),
            rows[i].rc);
    }
}

static void test_truncated(void **state)
{
    (void)state;
    float out[32];
    uint64_t offset = model_tensor_record(model, LAST)->offset;
    assert_int_equal(truncate(plan_set_path(set, "m.gguf"), (off_t)offset + 64), 0);
    assert_int_equal(ggufs_tensor_decode(model, LAST, 0, out, 32), -EIO);
    ggufs_model_close(model);
    assert_int_equal(ggufs_model_open(plan_set_path(set, "m.gguf"), NULL, &model, NULL),
                     0);
    assert_int_equal(ggufs_tensor_decode(model, LAST, 0, out, 16), 0);
    assert_int_equal(ggufs_tensor_decode(model, LAST, 15, out, 2), -EIO);
}

#define TEST(name)     cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_BIG(name) cmocka_unit_test_setup_teardown(name, setup_big, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_ranges_of_a_few_blocks),     TEST(test_long_ranges),
        TEST(test_what_cannot_be_decoded),         TEST(test_truncated),
        TEST_BIG(test_all_ranges_of_a_few_blocks), TEST_BIG(test_long_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
