/* SPDX-License-Identifier: MIT */
/* src/tree/safetensors.c, read back by a reader that knows the format from its description:
 * eight bytes of length, JSON, data without holes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "base/half.h"
#include "support/opened.h"
#include "support/slices.h"
#include "tree/views.h"

/* -- the reader -- */

struct reader {
    char *bytes;
    size_t size;
    json_t *header;
    size_t data; /* where the data begins */
};

static void reader_open(struct reader *reader, const struct opened *opened)
{
    json_error_t error;
    uint64_t length = 0;
    reader->bytes = opened_read(opened, "model.safetensors", &reader->size);
    assert_true(reader->size >= 8);
    for (int i = 8; i-- > 0;)
        length = length << 8 | (uint8_t)reader->bytes[i];
    assert_true(length <= reader->size - 8);
    assert_int_equal(length % 8, 0);
    assert_int_equal(reader->bytes[8], '{');
    reader->header =
        json_loadb(reader->bytes + 8, length, JSON_REJECT_DUPLICATES, &error);
    if (reader->header == NULL)
        fail_msg("%s at %d", error.text, error.position);
    reader->data = 8 + length;
}

static void reader_close(struct reader *reader)
{
    json_decref(reader->header);
    free(reader->bytes);
}

static size_t width_of(const char *dtype)
{
    static const struct {
        const char *dtype;
        size_t width;
    } rows[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"U8", 1},
                {"I8", 1},  {"I16", 2}, {"I32", 4}, {"I64", 8}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].dtype, dtype) == 0)
            return rows[i].width;
    fail_msg("dtype %s", dtype);
    return 0;
}

/* The tensors' data follow one another from 0 to the file's end, as large as they say. */
static void reader_check(const struct reader *reader)
{
    const char *name;
    json_t *entry;
    size_t end = 0;
    json_object_foreach(reader->header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        json_t *offsets = json_object_get(entry, "data_offsets");
        json_t *shape = json_object_get(entry, "shape");
        size_t bytes = width_of(json_string_value(json_object_get(entry, "dtype")));
        assert_int_equal(json_object_size(entry), 3);
        for (size_t i = 0; i < json_array_size(shape); i++)
            bytes *= (size_t)json_integer_value(json_array_get(shape, i));
        assert_int_equal(json_array_size(offsets), 2);
        assert_int_equal(json_integer_value(json_array_get(offsets, 0)), end);
        end = (size_t)json_integer_value(json_array_get(offsets, 1));
        if (end - (size_t)json_integer_value(json_array_get(offsets, 0)) != bytes)
            fail_msg("%s", name);
    }
    assert_int_equal(end, reader->size - reader->data);
}

/* A tensor's data; dtype and shape ("2,3") must be these. */
static const uint8_t *reader_tensor(const struct reader *reader, const char *name,
                                    const char *dtype, const char *shape)
{
    char text[200] = "";
    json_t *entry = json_object_get(reader->header, name);
    json_t *number;
    size_t i;
    if (entry == NULL)
        fail_msg("no %s", name);
    assert_string_equal(json_string_value(json_object_get(entry, "dtype")), dtype);
    json_array_foreach(json_object_get(entry, "shape"), i, number)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%lld", i ? "," : "",
                 (long long)json_integer_value(number));
    assert_string_equal(text, shape);
    json_t *offsets = json_object_get(entry, "data_offsets");
    return (const uint8_t *)reader->bytes + reader->data +
           json_integer_value(json_array_get(offsets, 0));
}

static const char *reader_key(const struct reader *reader, const char *name)
{
    json_t *metadata = json_object_get(reader->header, "__metadata__");
    return json_string_value(json_object_get(metadata, name));
}

/* -- tensors -- */

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

/* -- metadata -- */

/* 150 KiB of all that JSON treats in its own way, and characters of two to four bytes. */
static char *long_string(size_t *length)
{
    static const char unit[] =
        "plain \"\\\x01\n\x7f \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
    size_t n = 150 * 1024 / (sizeof(unit) - 1);
    char *text = malloc(n * (sizeof(unit) - 1) + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * (sizeof(unit) - 1), unit, sizeof(unit) - 1);
    *length = n * (sizeof(unit) - 1);
    text[*length] = '\0';
    return text;
}

static void test_metadata(void **state)
{
    static const char *const strings[] = {"x"};
    struct build build;
    struct opened opened;
    struct reader reader;
    size_t length;
    char *text = long_string(&length);
    (void)state;
    build_init(&build, 3, true);
    build_key_str(&build, "general.architecture", "llama");
    build_key_str(&build, "format", "mine");
    build_key_str(&build, "empty", "");
    build_key_bool(&build, "yes", 1);
    build_key_u32(&build, "count", 4096);
    build_key_number(&build, "big", GGUFS_U64, UINT64_MAX);
    build_key_number(&build, "small", GGUFS_I8, 0xFF);
    build_key_f32(&build, "tenth", 0.1f);
    build_key_f32(&build, "nan", NAN);
    build_key_f64(&build, "less", -INFINITY);
    build_key_strings(&build, "array", 1, strings);
    build_key(&build, "invalid", GGUFS_STR);
    build_string(&build, "\xff", 1);
    build_key(&build, "long", GGUFS_STR);
    build_string(&build, text, length);
    build_key_str(&build, "%\n", "odd");
    build_key_str(&build, "twice", "1");
    build_key_str(&build, "twice", "2");
    opened_build(&opened, &build, NULL);
    reader_open(&reader, &opened);
    reader_check(&reader);
    assert_int_equal(json_object_size(reader.header), 1);
    static const char *const expected[][2] = {
        {"format", "gguf"},
        {"general.architecture", "llama"},
        {"%66ormat", "mine"},
        {"empty", ""},
        {"yes", "true"},
        {"count", "4096"},
        {"big", "18446744073709551615"},
        {"small", "-1"},
        {"tenth", "0.1"},
        {"nan", "nan"},
        {"less", "-inf"},
        {"%25%0A", "odd"},
        {"twice", "1"},
        {"twice%2", "2"},
    };
    size_t n = sizeof(expected) / sizeof(expected[0]);
    for (size_t i = 0; i < n; i++) {
        const char *value = reader_key(&reader, expected[i][0]);
        if (value == NULL || strcmp(value, expected[i][1]) != 0)
            fail_msg("%s: %s", expected[i][0], value ? value : "is not there");
    }
    assert_string_equal(reader_key(&reader, "long"), text);
    assert_int_equal(json_object_size(json_object_get(reader.header, "__metadata__")),
                     n + 1);
    reader_close(&reader);
    opened_close(&opened);
    free(text);
}

static void test_nothing(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    opened_build(&opened, &build, NULL);
    size_t size;
    char *bytes = opened_read(&opened, "model.safetensors", &size);
    assert_int_equal(size, 48);
    assert_memory_equal(
        bytes, "\x28\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"gguf\"}}      ", 48);
    free(bytes);
    opened_close(&opened);
}

/* -- the bound -- */

static void note_line(void *data, const char *line)
{
    snprintf(data, 200, "%s", line);
}

/* A key of so many control characters, six bytes of JSON each. */
static void open_controls(struct opened *opened, size_t n, char log[200])
{
    struct ggufs_options options = {.log = note_line, .log_data = log};
    struct build build;
    char *text = malloc(n);
    memset(text, 1, n);
    build_init(&build, 3, false);
    build_key(&build, "k", GGUFS_STR);
    build_string(&build, text, n);
    free(text);
    opened_build(opened, &build, &options);
}

static void test_too_long(void **state)
{
    struct opened opened;
    uint32_t node;
    char log[200] = "";
    (void)state;
    open_controls(&opened, 16700000, log);
    assert_int_not_equal(tree_lookup(opened.tree, 0, "model.safetensors", &node), 0);
    assert_string_equal(log, "no model.safetensors: its header would pass 100 MB");
    struct content *content;
    assert_int_equal(safetensors_content(opened.tree, opened.model, &content), -EFBIG);
    assert_null(content);
    opened_close(&opened);
}

static void test_too_big(void **state)
{
    struct opened opened;
    struct build build;
    struct content *content;
    struct build_tensor tensor = {
        .name = "t", .name_length = BUILD_AUTO, .n_dims = 1, .dims = {(uint64_t)1 << 60}};
    uint32_t node;
    char log[200] = "";
    struct ggufs_options options = {.log = note_line, .log_data = log};
    (void)state;
    build_init(&build, 3, false);
    build_add(&build, &tensor);
    build_add(&build, &tensor);
    opened_build(&opened, &build, &options);
    assert_int_not_equal(tree_lookup(opened.tree, 0, "model.safetensors", &node), 0);
    assert_string_equal(log,
                        "no model.safetensors: it would be larger than a file can be");
    assert_int_equal(safetensors_content(opened.tree, opened.model, &content), -EFBIG);
    opened_close(&opened);
}

static void test_just_fits(void **state)
{
    struct opened opened;
    char log[200] = "";
    (void)state;
    open_controls(&opened, 16600000, log);
    assert_string_equal(log, "");
    uint64_t size;
    struct content *content;
    assert_int_equal(
        tree_content(opened.tree, opened_node(&opened, "model.safetensors"), &content),
        0);
    assert_int_equal(content_size(content, &size), 0);
    assert_in_range(size, 6 * 16600000, 6 * 16600000 + 64);
    opened_close(&opened);
}

/* What is promised of safetensors_fits: where the header is longer, it said so. Names of
 * quotes, which JSON doubles, come nearest to the bound. */
static void test_bound(void **state)
{
    struct build build;
    struct opened opened;
    char name[256];
    (void)state;
    memset(name, '"', 255);
    name[255] = '\0';
    build_init(&build, 3, false);
    for (int i = 0; i < 100; i++) {
        snprintf(name, 4, "%03d", i);
        name[3] = '"';
        build_key_str(&build, name, "");
    }
    opened_build(&opened, &build, NULL);
    struct content *content;
    uint64_t size;
    assert_int_equal(safetensors_content(opened.tree, opened.model, &content), 0);
    assert_int_equal(content_size(content, &size), 0);
    /* As header_bound counts them: 256 and, for each, 6 + 1 + 2 * 255. */
    assert_in_range(size - 8, 1, 256 + 100 * 517);
    content_free(content);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_endian), cmocka_unit_test(test_big_endian),
        cmocka_unit_test(test_narrow),        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_metadata),      cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_too_long),      cmocka_unit_test(test_too_big),
        cmocka_unit_test(test_just_fits),     cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
