/* SPDX-License-Identifier: MIT */
/* src/tree/npy.c: headers to the byte, and the data behind them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "base/half.h"
#include "support/opened.h"
#include "support/slices.h"

struct row {
    const char *name;
    uint32_t type, n_dims;
    uint64_t dims[5];
    const char *little, *big; /* the dictionary in a file of that byte order */
};

#define DICTIONARY(descr, shape)                                                         \
    "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

static const struct row rows[] = {
    {"f64", 28, 2, {3, 2}, DICTIONARY("<f8", "(2, 3)"), DICTIONARY(">f8", "(2, 3)")},
    {"f32", 0, 2, {3, 2}, DICTIONARY("<f4", "(2, 3)"), DICTIONARY(">f4", "(2, 3)")},
    {"f16", 1, 1, {5}, DICTIONARY("<f2", "(5,)"), DICTIONARY(">f2", "(5,)")},
    {"i8", 24, 1, {5}, DICTIONARY("|i1", "(5,)"), DICTIONARY("|i1", "(5,)")},
    {"i16", 25, 1, {5}, DICTIONARY("<i2", "(5,)"), DICTIONARY(">i2", "(5,)")},
    {"i32", 26, 1, {5}, DICTIONARY("<i4", "(5,)"), DICTIONARY(">i4", "(5,)")},
    {"i64", 27, 1, {5}, DICTIONARY("<i8", "(5,)"), DICTIONARY(">i8", "(5,)")},
    {"five",
     26,
     5,
     {6, 5, 4, 3, 2},
     DICTIONARY("<i4", "(2, 3, 4, 5, 6)"),
     DICTIONARY(">i4", "(2, 3, 4, 5, 6)")},
    {"scalar", 0, 0, {0}, DICTIONARY("<f4", "()"), DICTIONARY(">f4", "()")},
    {"empty", 0, 2, {3, 0}, DICTIONARY("<f4", "(0, 3)"), DICTIONARY(">f4", "(0, 3)")},
    {"bf16", 30, 1, {5}, DICTIONARY("<f4", "(5,)"), DICTIONARY("<f4", "(5,)")},
    {"q8_0", 8, 2, {32, 2}, DICTIONARY("<f4", "(2, 32)"), DICTIONARY("<f4", "(2, 32)")},
    {"q4_k", 12, 1, {512}, DICTIONARY("<f4", "(512,)"), DICTIONARY("<f4", "(512,)")},
    {"none", 8, 1, {0}, DICTIONARY("<f4", "(0,)"), DICTIONARY("<f4", "(0,)")},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static void open_rows(struct opened *opened, bool big_endian,
                      const struct ggufs_options *options)
{
    struct build build;
    build_init(&build, 3, big_endian);
    for (size_t i = 0; i < N_ROWS; i++)
        build_tensor(&build, rows[i].name, rows[i].type, rows[i].n_dims, rows[i].dims);
    opened_build(opened, &build, options);
}

static char *read_npy(const struct opened *opened, const char *name, size_t *size)
{
    char path[300];
    snprintf(path, sizeof(path), "npy/%s.npy", name);
    return opened_read(opened, path, size);
}

/* Checks all of the header and returns where the data begins. */
static size_t check_header(const char *bytes, size_t size, const char *dictionary)
{
    assert_true(size >= 64);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    size_t length = (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    size_t data = 10 + length;
    assert_int_equal(data % 64, 0);
    assert_in_range(data - 10 - strlen(dictionary) - 1, 0, 63);
    assert_true(data <= size);
    assert_memory_equal(bytes + 10, dictionary, strlen(dictionary));
    for (size_t i = 10 + strlen(dictionary); i < data - 1; i++)
        assert_int_equal(bytes[i], ' ');
    assert_int_equal(bytes[data - 1], '\n');
    return data;
}

static bool is_decoded(const struct row *row)
{
    return strstr(row->little, "<f4") && row->type != 0;
}

static void check_values(const struct opened *opened, size_t i, const char *data,
                         size_t size)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(opened->model, i, &tensor);
    if (!is_decoded(&rows[i])) {
        assert_int_equal(size, tensor.size);
        for (size_t k = 0; k < size; k++)
            assert_int_equal((uint8_t)data[k], build_data_byte(i, k));
        return;
    }
    float *values = malloc(tensor.n_elements * sizeof(float) + 1);
    assert_int_equal(ggufs_tensor_decode(opened->model, i, 0, values, tensor.n_elements),
                     0);
    assert_int_equal(size, tensor.n_elements * sizeof(float));
    assert_memory_equal(data, values, size);
    free(values);
}

static void check_rows(bool big_endian)
{
    struct opened opened;
    open_rows(&opened, big_endian, NULL);
    for (size_t i = 0; i < N_ROWS; i++) {
        size_t size;
        char *bytes = read_npy(&opened, rows[i].name, &size);
        size_t data =
            check_header(bytes, size, big_endian ? rows[i].big : rows[i].little);
        check_values(&opened, i, bytes + data, size - data);
        free(bytes);
    }
    opened_close(&opened);
}

static void test_little_endian(void **state)
{
    (void)state;
    check_rows(false);
}

static void test_big_endian(void **state)
{
    (void)state;
    check_rows(true);
}

static uint16_t value_u16(const char *bytes)
{
    return (uint16_t)((uint8_t)bytes[0] | (uint8_t)bytes[1] << 8);
}

/* Quantised to two bytes a value; plain types stay what they are. */
static void check_narrow(enum ggufs_dequant dequant, const char *dictionary,
                         uint16_t (*narrow)(float))
{
    struct ggufs_options options = {.dequant = dequant};
    struct opened opened;
    float values[64];
    size_t i, size;
    open_rows(&opened, false, &options);
    assert_int_equal(ggufs_model_find_tensor(opened.model, "q8_0", 4, &i), 0);
    assert_int_equal(ggufs_tensor_decode(opened.model, i, 0, values, 64), 0);
    char *bytes = read_npy(&opened, "q8_0", &size);
    size_t data = check_header(bytes, size, dictionary);
    assert_int_equal(size - data, 128);
    for (size_t k = 0; k < 64; k++)
        assert_int_equal(value_u16(bytes + data + 2 * k), narrow(values[k]));
    free(bytes);
    bytes = read_npy(&opened, "f32", &size);
    check_header(bytes, size, rows[1].little);
    free(bytes);
    opened_close(&opened);
}

static void test_narrow(void **state)
{
    (void)state;
    check_narrow(GGUFS_DEQUANT_F16, DICTIONARY("<f2", "(2, 32)"), float_to_half);
    check_narrow(GGUFS_DEQUANT_BF16_AS_U16, DICTIONARY("<u2", "(2, 32)"),
                 float_to_bfloat);
}

/* bfloat16 as uint16 is what lies in the file, in its byte order. */
static void test_bfloat_as_it_is(void **state)
{
    struct ggufs_options options = {.dequant = GGUFS_DEQUANT_BF16_AS_U16};
    (void)state;
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        struct opened opened;
        size_t size;
        open_rows(&opened, big_endian, &options);
        char *bytes = read_npy(&opened, "bf16", &size);
        size_t data = check_header(bytes, size,
                                   big_endian ? DICTIONARY(">u2", "(5,)")
                                              : DICTIONARY("<u2", "(5,)"));
        assert_int_equal(size - data, 10);
        for (size_t k = 0; k < 10; k++)
            assert_int_equal((uint8_t)bytes[data + k], build_data_byte(10, k));
        free(bytes);
        opened_close(&opened);
    }
}

/* What cannot be told apart into values is bytes in one dimension. */
static void test_bytes(void **state)
{
    struct build build;
    struct opened opened;
    size_t size;
    (void)state;
    build_init(&build, 3, true);
    build_add(&build, &(struct build_tensor){.name = "unknown",
                                             .name_length = BUILD_AUTO,
                                             .type = 99,
                                             .n_dims = 2,
                                             .dims = {2, 3},
                                             .offset = BUILD_AUTO,
                                             .size = 64});
    build_tensor(&build, "odd", 8, 2, (uint64_t[]){33, 2});
    opened_build(&opened, &build, NULL);
    char *bytes = read_npy(&opened, "unknown", &size);
    size_t data = check_header(bytes, size, DICTIONARY("|u1", "(64,)"));
    assert_int_equal(size - data, 64);
    for (size_t k = 0; k < 64; k++)
        assert_int_equal((uint8_t)bytes[data + k], build_data_byte(0, k));
    free(bytes);
    struct ggufs_tensor tensor;
    char dictionary[200];
    ggufs_model_tensor(opened.model, 1, &tensor);
    assert_true(tensor.extent);
    snprintf(dictionary, sizeof(dictionary), DICTIONARY("|u1", "(%zu,)"),
             (size_t)tensor.size);
    bytes = read_npy(&opened, "odd", &size);
    assert_int_equal(size - check_header(bytes, size, dictionary), tensor.size);
    free(bytes);
    opened_close(&opened);
}

/* The longest shape there is, eight dimensions; 2^61 bytes that are not there. */
static void test_long_shape(void **state)
{
    static const uint64_t dims[] = {1, 1, 1, 1, 1, 1, 1, (uint64_t)1 << 59};
    struct build build;
    struct opened opened;
    struct content *content;
    char header[192];
    (void)state;
    build_init(&build, 3, false);
    build_add(&build, &(struct build_tensor){.name = "w",
                                             .name_length = BUILD_AUTO,
                                             .type = 0,
                                             .n_dims = 8,
                                             .dims = {1, 1, 1, 1, 1, 1, 1, dims[7]}});
    opened_build(&opened, &build, NULL);
    assert_int_equal(
        tree_content(opened.tree, opened_node(&opened, "npy/w.npy"), &content), 0);
    assert_int_equal(content_read(content, NULL, 0, header, 128), 128);
    assert_int_equal(
        check_header(header, 128,
                     DICTIONARY("<f4", "(576460752303423488, 1, 1, 1, 1, 1, 1, 1)")),
        128);
    assert_int_equal(content_read(content, NULL, 128, header, 1), -EIO);
    opened_close(&opened);
}

/* Every start and length, across the header's end. */
static void test_slices(void **state)
{
    static const char *const names[] = {"f32", "q8_0", "bf16", "i8"};
    struct opened opened;
    (void)state;
    open_rows(&opened, true, NULL);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct content *content;
        char path[64];
        size_t size;
        char *bytes = read_npy(&opened, names[i], &size);
        snprintf(path, sizeof(path), "npy/%s.npy", names[i]);
        assert_int_equal(tree_content(opened.tree, opened_node(&opened, path), &content),
                         0);
        slices_all(content, bytes, 100, size < 240 ? size - 100 : 140);
        free(bytes);
    }
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_endian), cmocka_unit_test(test_big_endian),
        cmocka_unit_test(test_narrow),        cmocka_unit_test(test_bfloat_as_it_is),
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_long_shape),
        cmocka_unit_test(test_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
