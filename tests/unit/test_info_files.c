/* SPDX-License-Identifier: MIT */
/* info.json of generated files, held against what another reader says of them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "support/material.h"
#include "support/opened.h"

/* -- against what another reader says of the generated files -- */

static size_t decode_base64(const char *text, char *out)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    uint32_t bits = 0;

    for (size_t i = 0; text[i] && text[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4 != 0)
            out[n++] = (char)(bits >> (6 - i % 4 * 2));
    }
    return n;
}

/* The bytes of a name, in the reader's form: hex where it is there, else text. */
static size_t expected_name(const json_t *entry, const char *plain, const char *hex,
                            char *out)
{
    const char *digits = json_string_value(json_object_get(entry, hex));
    const char *text = json_string_value(json_object_get(entry, plain));
    size_t n = 0;

    if (!digits) {
        memcpy(out, text, strlen(text));
        return strlen(text);
    }
    for (; digits[2 * n]; n++) {
        unsigned byte;
        sscanf(digits + 2 * n, "%2x", &byte);
        out[n] = (char)byte;
    }
    return n;
}

static void check_name(const json_t *entry, const char *shown, const char *bytes,
                       size_t length)
{
    static char decoded[1 << 20];
    const char *base64 = json_string_value(json_object_get(entry, "name_base64"));
    size_t n = base64 ? decode_base64(base64, decoded) : strlen(shown);

    assert_int_equal(n, length);
    assert_memory_equal(base64 ? decoded : shown, bytes, length);
}

static void check_float(const json_t *value, const char *expected)
{
    double number = strtod(expected, NULL);

    if (json_is_string(value)) /* nan or inf */
        assert_string_equal(json_string_value(value), expected);
    else
        assert_true(json_number_value(value) == number ||
                    (float)json_number_value(value) == (float)number);
}

static void check_value(const json_t *value, const json_t *expected)
{
    const char *number = json_string_value(json_object_get(expected, "f"));

    if (number) {
        check_float(value, number);
    } else if (json_is_array(expected)) {
        assert_int_equal(json_array_size(value), json_array_size(expected));
        for (size_t i = 0; i < json_array_size(expected); i++)
            check_value(json_array_get(value, i), json_array_get(expected, i));
    } else if (json_is_object(expected)) {
        char bytes[4096], decoded[4096];
        size_t n = expected_name(expected, "hex", "hex", bytes);
        const char *base64 = json_string_value(json_object_get(value, "base64"));
        assert_non_null(base64);
        assert_int_equal(decode_base64(base64, decoded), n);
        assert_memory_equal(decoded, bytes, n);
    } else if (!json_equal(value, expected)) {
        fail_msg("%s", json_dumps(value, JSON_ENCODE_ANY));
    }
}

/* Elements in arrays of arrays and all, as info.json counts them. */
static size_t count_elements(const json_t *array)
{
    size_t n = json_array_size(array);

    for (size_t i = 0; i < json_array_size(array); i++)
        n += count_elements(json_array_get(array, i));
    return n;
}

static void check_keys(json_t *keys, const json_t *expected)
{
    static char bytes[1 << 20];
    void *iter = json_object_iter(keys);

    assert_int_equal(json_object_size(keys), json_array_size(expected));
    for (size_t i = 0; iter; i++, iter = json_object_iter_next(keys, iter)) {
        const json_t *entry = json_array_get(expected, i);
        const json_t *key = json_object_iter_value(iter);
        const json_t *value = json_object_get(entry, "value");
        const char *type = json_string_value(json_object_get(key, "type"));
        size_t n = expected_name(entry, "key", "key_hex", bytes);
        check_name(key, json_object_iter_key(iter), bytes, n);
        assert_memory_equal(json_string_value(json_object_get(entry, "type")), type,
                            strcspn(type, "]"));
        bool shown = count_elements(value) <= 64;
        assert_int_equal(json_object_get(key, "value") != NULL, shown);
        if (shown)
            check_value(json_object_get(key, "value"), value);
        if (json_is_array(value))
            assert_true(json_number_value(json_object_get(key, "count")) ==
                        (double)json_array_size(value));
    }
}

static void check_number(const json_t *json, const char *name, const json_t *expected,
                         const char *expected_name)
{
    assert_true(json_number_value(json_object_get(json, name)) ==
                json_number_value(json_object_get(expected, expected_name)));
}

static void check_tensors(const json_t *tensors, const json_t *expected)
{
    static char bytes[1 << 20];

    assert_int_equal(json_array_size(tensors), json_array_size(expected));
    for (size_t i = 0; i < json_array_size(expected); i++) {
        const json_t *tensor = json_array_get(tensors, i);
        const json_t *entry = json_array_get(expected, i);
        size_t n = expected_name(entry, "name", "name_hex", bytes);
        check_name(tensor, json_string_value(json_object_get(tensor, "name")), bytes, n);
        check_number(tensor, "n_elements", entry, "n_elements");
        check_number(tensor, "offset", entry, "abs_offset");
        check_number(tensor, "size", entry, "n_bytes");
        assert_string_equal(json_string_value(json_object_get(tensor, "type")),
                            json_string_value(json_object_get(entry, "type")));
        assert_true(json_equal(json_object_get(tensor, "dimensions"),
                               json_object_get(entry, "dims")));
    }
}

static json_t *load_reals(const char *text, size_t size)
{
    json_t *json = json_loadb(text, size, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);

    assert_non_null(json);
    return json;
}

static void check_generated(const char *model, const char *description)
{
    struct ggufs_options options = {.single = true};
    struct opened opened;
    size_t size;

    opened_file(&opened, model, &options);
    char *text = opened_read(&opened, "info.json", &size);
    json_t *info = load_reals(text, size), *file = json_object_get(info, "file");
    json_t *expected =
        json_load_file(description, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
    assert_non_null(expected);
    check_number(file, "size", expected, "size");
    check_number(file, "version", expected, "version");
    check_number(file, "alignment", expected, "alignment");
    check_number(file, "data_offset", expected, "data_start");
    check_number(file, "n_keys", expected, "n_kv");
    check_number(file, "n_tensors", expected, "n_tensors");
    assert_string_equal(json_string_value(json_object_get(file, "byte_order")),
                        json_string_value(json_object_get(expected, "endian")));
    check_keys(json_object_get(info, "metadata"), json_object_get(expected, "metadata"));
    check_tensors(json_object_get(info, "tensors"), json_object_get(expected, "tensors"));
    json_decref(info);
    json_decref(expected);
    free(text);
    opened_close(&opened);
}

static void test_generated_files(void **state)
{
    char list[4096], model[4096 + 8], name[256];
    (void)state;
    assert_true(material_path(list, sizeof(list), "gen"));
    size_t length = strlen(list);
    int n = 0;
    DIR *directory = opendir(list);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".json") != 0)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(dot - entry->d_name), entry->d_name);
        snprintf(model, sizeof(model), "%.*s/%s.gguf", (int)length, list, name);
        snprintf(list + length, sizeof(list) - length, "/%s", entry->d_name);
        check_generated(model, list);
        n++;
    }
    closedir(directory);
    assert_true(n > 0);
}

int main(void)
{
    char path[4096];
    if (!material_path(path, sizeof(path), "gen"))
        return material_skip("gen");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
