/* SPDX-License-Identifier: MIT */
/* src/content/decoded.c: decoded values, read anywhere. */

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
#include "content/values.h"
#include "support/opened.h"
#include "support/slices.h"

#define Q4_0 2

static void open_tensor(struct opened *opened, uint32_t type, uint64_t n, bool big_endian)
{
    struct build build;
    build_init(&build, 3, big_endian);
    build_tensor(&build, "w", type, 1, &n);
    opened_build(opened, &build, NULL);
}

/* All values in that form, little-endian, put together by hand. */
static uint8_t *expected_bytes(const struct opened *opened, enum ggufs_dequant form,
                               size_t *size)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(opened->model, 0, &tensor);
    size_t n = tensor.n_elements, width = form == GGUFS_DEQUANT_F32 ? 4 : 2;
    float *values = malloc(n * sizeof(float));
    uint8_t *bytes = malloc(n * width);
    assert_int_equal(ggufs_tensor_decode(opened->model, 0, 0, values, n), 0);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof(bits));
        if (form == GGUFS_DEQUANT_F16)
            bits = float_to_half(values[i]);
        else if (form == GGUFS_DEQUANT_BF16_AS_U16)
            bits = float_to_bfloat(values[i]);
        for (size_t k = 0; k < width; k++)
            bytes[i * width + k] = (uint8_t)(bits >> 8 * k);
    }
    free(values);
    *size = n * width;
    return bytes;
}

static void check_form(enum ggufs_dequant form, uint64_t n, size_t from, size_t span)
{
    struct opened opened;
    size_t size;
    open_tensor(&opened, Q4_0, n, false);
    uint8_t *expected = expected_bytes(&opened, form, &size);
    struct content *content = content_decoded(opened.model, 0, form);
    slices_whole(content, expected, size);
    slices_all(content, expected, from, span < size - from ? span : size - from);
    content_free(content);
    free(expected);
    opened_close(&opened);
}

static void test_every_slice(void **state)
{
    (void)state;
    check_form(GGUFS_DEQUANT_F32, 64, 0, 256);
    check_form(GGUFS_DEQUANT_F16, 64, 0, 128);
    check_form(GGUFS_DEQUANT_BF16_AS_U16, 64, 0, 128);
}

/* Across the end of what is decoded at once, and to the end of a tensor of several of it. */
static void test_long(void **state)
{
    (void)state;
    check_form(GGUFS_DEQUANT_F16, 3 * 4096, 2 * 4096 - 20, 40);
    check_form(GGUFS_DEQUANT_F32, 3 * 4096, 4 * 4096 - 20, 40);
    check_form(GGUFS_DEQUANT_F32, 3 * 4096 + 32, 4 * (3 * 4096 + 32) - 30, 30);
}

/* From within a value, about as much as is decoded at once. */
static void test_one_chunk(void **state)
{
    struct opened opened;
    size_t size;
    (void)state;
    open_tensor(&opened, Q4_0, 2 * 4096, false);
    for (int form = GGUFS_DEQUANT_F32; form <= GGUFS_DEQUANT_F16; form++) {
        uint8_t *expected = expected_bytes(&opened, (enum ggufs_dequant)form, &size);
        struct content *content =
            content_decoded(opened.model, 0, (enum ggufs_dequant)form);
        for (size_t start = 0; start < 4; start++)
            slices_from(content, expected, start, size / 2 - 8, size / 2 + 8);
        content_free(content);
        free(expected);
    }
    opened_close(&opened);
}

/* An address that is no float's: the same bytes. */
static void test_any_address(void **state)
{
    struct opened opened;
    size_t size;
    (void)state;
    open_tensor(&opened, Q4_0, 4096 + 64, false);
    uint8_t *expected = expected_bytes(&opened, GGUFS_DEQUANT_F32, &size);
    struct content *content = content_decoded(opened.model, 0, GGUFS_DEQUANT_F32);
    char *buffer = malloc(size + 8);
    for (size_t shift = 0; shift < 8; shift++) {
        assert_int_equal(content_read(content, NULL, 0, buffer + shift, size), size);
        assert_memory_equal(buffer + shift, expected, size);
    }
    free(buffer);
    content_free(content);
    free(expected);
    opened_close(&opened);
}

/* Each type that has a decoder, in either byte order: what the decoder says. */
static void test_types(void **state)
{
    (void)state;
    for (size_t i = 0; ggufs_type_at(i); i++) {
        const struct ggufs_type *type = ggufs_type_at(i);
        for (int big_endian = 0; big_endian < 2 && !type->removed; big_endian++) {
            struct opened opened;
            size_t size;
            float value;
            open_tensor(&opened, type->id, type->block_size * (uint64_t)3, big_endian);
            if (ggufs_tensor_decode(opened.model, 0, 0, &value, 1) == 0) {
                uint8_t *expected = expected_bytes(&opened, GGUFS_DEQUANT_F32, &size);
                struct content *content =
                    content_decoded(opened.model, 0, GGUFS_DEQUANT_F32);
                slices_whole(content, expected, size);
                slices_all(content, expected, size / 3 * 2 - 8, 16 < size / 3 ? 16 : 4);
                content_free(content);
                free(expected);
            }
            opened_close(&opened);
        }
    }
}

static void test_width(void **state)
{
    (void)state;
    assert_int_equal(decoded_value_size(GGUFS_DEQUANT_F32), 4);
    assert_int_equal(decoded_value_size(GGUFS_DEQUANT_F16), 2);
    assert_int_equal(decoded_value_size(GGUFS_DEQUANT_BF16_AS_U16), 2);
}

static void test_cut(void **state)
{
    struct opened opened;
    struct ggufs_tensor tensor;
    char path[300];
    float values[64];
    (void)state;
    open_tensor(&opened, Q4_0, 64, false);
    ggufs_model_tensor(opened.model, 0, &tensor);
    snprintf(path, sizeof(path), "%s/model.gguf", opened.directory);
    assert_int_equal(truncate(path, (off_t)(tensor.offset + 20)), 0);
    struct content *content = content_decoded(opened.model, 0, GGUFS_DEQUANT_F32);
    assert_int_equal(content_read(content, NULL, 0, values, 128), 128);
    assert_int_equal(content_read(content, NULL, 0, values, 129), -EIO);
    assert_int_equal(content_read(content, NULL, 130, values, 1), -EIO);
    content_free(content);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_slice), cmocka_unit_test(test_long),
        cmocka_unit_test(test_any_address), cmocka_unit_test(test_types),
        cmocka_unit_test(test_width),       cmocka_unit_test(test_cut),
        cmocka_unit_test(test_one_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
