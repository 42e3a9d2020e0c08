/* SPDX-License-Identifier: MIT */
/* src/tree/form.c: what becomes of which tensor type in numpy files and in safetensors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/opened.h"
#include "tree/form.h"

struct row {
    uint32_t type;
    enum ggufs_dequant dequant;
    uint64_t elements;
    const char *npy, *safetensors;
    uint32_t width;
    bool raw_npy, raw_safetensors;
    bool flat;
};

#define F32  GGUFS_DEQUANT_F32
#define F16  GGUFS_DEQUANT_F16
#define BF16 GGUFS_DEQUANT_BF16_AS_U16

static const struct row rows[] = {
    {0, F32, 4, "f4", "F32", 4, true, true, false},
    {0, F16, 4, "f4", "F32", 4, true, true, false}, /* the option is for quantised ones */
    {0, BF16, 4, "f4", "F32", 4, true, true, false},
    {1, F32, 4, "f2", "F16", 2, true, true, false},
    {1, BF16, 4, "f2", "F16", 2, true, true, false},
    {24, F32, 4, "i1", "I8", 1, true, true, false},
    {25, F32, 4, "i2", "I16", 2, true, true, false},
    {26, F32, 4, "i4", "I32", 4, true, true, false},
    {27, F16, 4, "i8", "I64", 8, true, true, false},
    {28, F32, 4, "f8", "F64", 8, true, true, false},
    {30, F32, 4, "f4", NULL, 4, false, false, false}, /* numpy has no bfloat16 */
    {30, F16, 4, "f2", NULL, 2, false, false, false},
    {30, BF16, 4, "u2", "BF16", 2, true, true, false},
    {8, F32, 32, "f4", "F32", 4, false, false, false},
    {8, F16, 32, "f2", "F16", 2, false, false, false},
    {8, BF16, 32, "u2", "BF16", 2, false, false, false},
    {12, F32, 256, "f4", "F32", 4, false, false, false},
    {39, F16, 32, "f2", "F16", 2, false, false, false},
    {8, F32, 33, "u1", "U8", 1, true, true, true}, /* rows are no whole blocks */
    {4, F32, 32, "u1", "U8", 1, true, true, true}, /* removed */
    {31, F32, 32, "u1", "U8", 1, true, true, true},
    {99, F32, 4, "u1", "U8", 1, true, true, true}, /* unknown */
};

static void check_form(const struct form *form, const struct row *row, bool raw)
{
    assert_int_equal(form->width, row->width);
    assert_int_equal(form->raw, raw);
    assert_int_equal(form->flat, row->flat);
}

static void open_row(struct opened *opened, const struct row *row)
{
    struct build build;
    struct ggufs_options options = {.dequant = row->dequant};
    build_init(&build, 3, false);
    build_tensor(&build, "w", row->type, 1, &row->elements);
    opened_build(opened, &build, &options);
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct opened opened;
        struct ggufs_tensor tensor;
        open_row(&opened, &rows[i]);
        ggufs_model_tensor(opened.model, 0, &tensor);
        struct form npy = form_npy(opened.model, &tensor);
        struct form other = form_safetensors(opened.model, &tensor);
        check_form(&npy, &rows[i], rows[i].raw_npy);
        assert_string_equal(npy.npy, rows[i].npy);
        if (rows[i].safetensors) {
            check_form(&other, &rows[i], rows[i].raw_safetensors);
            assert_string_equal(other.safetensors, rows[i].safetensors);
        }
        opened_close(&opened);
    }
}

/* Safetensors has bfloat16: whatever quantised types become, it stays what it is. */
static void test_bfloat(void **state)
{
    (void)state;
    for (int dequant = GGUFS_DEQUANT_F32; dequant <= GGUFS_DEQUANT_BF16_AS_U16;
         dequant++) {
        struct row row = {
            .type = 30, .dequant = (enum ggufs_dequant)dequant, .elements = 4};
        struct opened opened;
        struct ggufs_tensor tensor;
        open_row(&opened, &row);
        ggufs_model_tensor(opened.model, 0, &tensor);
        struct form form = form_safetensors(opened.model, &tensor);
        assert_string_equal(form.safetensors, "BF16");
        assert_true(form.raw);
        opened_close(&opened);
    }
}

static void test_sizes(void **state)
{
    static const struct form raw = {"f4", "F32", 4, true, false};
    static const struct form made = {"f4", "F32", 4, false, false};
    struct ggufs_tensor tensor = {.n_elements = 7, .size = 11};
    uint64_t size;
    (void)state;
    assert_true(form_size(&raw, &tensor, &size));
    assert_int_equal(size, 11);
    assert_true(form_size(&made, &tensor, &size));
    assert_int_equal(size, 28);
    tensor.n_elements = 0;
    assert_true(form_size(&made, &tensor, &size));
    assert_int_equal(size, 0);
    tensor.n_elements = INT64_MAX / 8;
    assert_true(form_size(&made, &tensor, &size));
    tensor.n_elements = INT64_MAX / 8 + 1;
    assert_false(form_size(&made, &tensor, &size));
    tensor.n_elements = UINT64_MAX / 4 + 2; /* times four it is small again */
    assert_false(form_size(&made, &tensor, &size));
}

/* Values of which decoded there are more than a file can have are shown as they are. */
static void test_too_large(void **state)
{
    struct row row = {.type = 19, .elements = (uint64_t)1 << 61};
    struct opened opened;
    struct ggufs_tensor tensor;
    (void)state;
    open_row(&opened, &row);
    ggufs_model_tensor(opened.model, 0, &tensor);
    assert_false(tensor.extent);
    struct form form = form_npy(opened.model, &tensor);
    assert_string_equal(form.npy, "u1");
    assert_true(form.flat);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_bfloat),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
