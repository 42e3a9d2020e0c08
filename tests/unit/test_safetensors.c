/* SPDX-License-Identifier: MIT */
/* src/tree/safetensors.c: the tensors, read back by a reader of our own. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "support/reader.h"
#include "support/slices.h"
#include "tree/views.h"

static const struct tensor_row {
    const char *name;
    uint32_t type, n_dims;
    uint64_t dims[3];
    const char *dtype, *shape; /* with dequant f32 */
    size_t width;              /* of raw values; 0: decoded */
} tensors[] = {
    {"f32", 0, 2, {3, 2}, "F32", "2,3", 4},
    {"f16", 1, 1, {5}, "F16", "5", 2},
    {"bf16", 30, 1, {5}, "BF16", "5", 2},
    {"f64", 28, 1, {3}, "F64", "3", 8},
    {"i8", 24, 1, {3}, "I8", "3", 1},
    {"i16", 25, 1, {3}, "I16", "3", 2},
    {"i32", 26, 3, {3, 2, 4}, "I32", "4,2,3", 4},
    {"i64", 27, 1, {3}, "I64", "3", 8},
    {"scalar", 0, 0, {0}, "F32", "", 4},
    {"empty", 0, 2, {3, 0}, "F32", "0,3", 4},
    {"q8_0", 8, 2, {32, 2}, "F32", "2,32", 0},
    {"__metadata__", 26, 1, {2}, NULL, NULL, 4},
    {"a/b\"\\", 24, 1, {2}, NULL, NULL, 1},
};

#define N_TENSORS (sizeof(tensors) / sizeof(tensors[0]))

static void open_tensors(struct opened *opened, bool big_endian,
                         const struct ggufs_options *options)
{
    struct build build;
    build_init(&build, 3, big_endian);
    for (size_t i = 0; i < N_TENSORS; i++)
        build_tensor(&build, tensors[i].name, tensors[i].type, tensors[i].n_dims,
                     tensors[i].dims);
    build_add(&build, &(struct build_tensor){.name = "unknown",
                                             .name_length = BUILD_AUTO,
                                             .type = 99,
                                             .n_dims = 1,
                                             .dims = {7},
                                             .offset = BUILD_AUTO,
                                             .size = 32});
    opened_build(opened, &build, options);
}

static void check_raw(const uint8_t *data, const struct opened *opened, size_t i,
                      size_t width, bool swap)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(opened->model, i, &tensor);
    for (size_t k = 0; k < tensor.size; k++) {
        size_t from = swap ? k / width * width + width - 1 - k % width : k;
        assert_int_equal(data[k], build_data_byte(i, from));
    }
}

static void check_decoded(const uint8_t *data, const struct opened *opened, size_t i)
{
    float values[64];
    assert_int_equal(ggufs_tensor_decode(opened->model, i, 0, values, 64), 0);
    assert_memory_equal(data, values, sizeof(values));
}

static void check_tensors(bool big_endian)
{
    struct opened opened;
    struct reader reader;
    open_tensors(&opened, big_endian, NULL);
    reader_open(&reader, &opened);
    reader_check(&reader);
    assert_int_equal(json_object_size(reader.header), 2 + N_TENSORS);
    for (size_t i = 0; i < N_TENSORS; i++) {
        const struct tensor_row *row = &tensors[i];
        if (row->dtype == NULL)
            continue;
        const uint8_t *data = reader_tensor(&reader, row->name, row->dtype, row->shape);
        if (row->width)
            check_raw(data, &opened, i, row->width, big_endian);
        else
            check_decoded(data, &opened, i);
    }
    check_raw(reader_tensor(&reader, "%5F_metadata__", "I32", "2"), &opened, 11, 4,
              big_endian);
    check_raw(reader_tensor(&reader, "a%2Fb\"\\", "I8", "2"), &opened, 12, 1, false);
    check_raw(reader_tensor(&reader, "unknown", "U8", "32"), &opened, 13, 1, false);
    reader_close(&reader);
    opened_close(&opened);
}

static void test_little_endian(void **state)
{
    (void)state;
    check_tensors(false);
}

/* The format knows little-endian only. */
static void test_big_endian(void **state)
{
    (void)state;
    check_tensors(true);
}

static void check_narrow(enum ggufs_dequant dequant, const char *dtype,
                         uint16_t (*narrow)(float))
{
    struct ggufs_options options = {.dequant = dequant};
    struct opened opened;
    struct reader reader;
    float values[64];
    open_tensors(&opened, false, &options);
    reader_open(&reader, &opened);
    reader_check(&reader);
    const uint8_t *data = reader_tensor(&reader, "q8_0", dtype, "2,32");
    assert_int_equal(ggufs_tensor_decode(opened.model, 10, 0, values, 64), 0);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(data[2 * i] | data[2 * i + 1] << 8, narrow(values[i]));
    check_raw(reader_tensor(&reader, "bf16", "BF16", "5"), &opened, 2, 2, false);
    reader_close(&reader);
    opened_close(&opened);
}

static void test_narrow(void **state)
{
    (void)state;
    check_narrow(GGUFS_DEQUANT_F16, "F16", float_to_half);
    check_narrow(GGUFS_DEQUANT_BF16_AS_U16, "BF16", float_to_bfloat);
}

static void test_slices(void **state)
{
    struct opened opened;
    struct reader reader;
    struct content *content;
    (void)state;
    open_tensors(&opened, true, NULL);
    reader_open(&reader, &opened);
    assert_int_equal(
        tree_content(opened.tree, opened_node(&opened, "model.safetensors"), &content),
        0);
    slices_whole(content, reader.bytes, reader.size);
    slices_all(content, reader.bytes, 0, 40);
    slices_all(content, reader.bytes, reader.data - 40, reader.size - reader.data + 40);
    reader_close(&reader);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_endian),
        cmocka_unit_test(test_big_endian),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
