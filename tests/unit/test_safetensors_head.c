/* SPDX-License-Identifier: MIT */
/* src/tree/safetensors.c: the keys in its header, and where it would be too long or too big
 * for readers of the format. */

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

#include "support/reader.h"
#include "tree/views.h"

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
        cmocka_unit_test(test_metadata),  cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_too_long),  cmocka_unit_test(test_too_big),
        cmocka_unit_test(test_just_fits), cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
