/* SPDX-License-Identifier: MIT */
/* The files of the test material, real and generated, against what an independent reader says
 * of them: every key with its value, element by element, and every tensor. Skipped where the
 * material is not there. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <jansson.h>

#include "support/material.h"
#include "support/parsed.h"

/* ---- The reader's JSON ------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* jansson refuses integers beyond int64: numbers of 19 digits and more become strings. */
static char *quote_long_numbers(const char *text)
{
    char *out = malloc(2 * strlen(text) + 1), *to = out;
    bool in_string = false;
    assert_non_null(out);
    while (*text != '\0') {
        size_t digits = in_string ? 0 : strspn(text, "-0123456789");
        bool quote = digits >= 19;
        if (*text == '"')
            in_string = !in_string;
        if (digits == 0)
            digits = *text == '\\' ? 2 : 1;
        if (quote)
            *to++ = '"';
        memcpy(to, text, digits);
        to += digits;
        text += digits;
        if (quote)
            *to++ = '"';
    }
    *to = '\0';
    return out;
}

static json_t *load(const char *path)
{
    json_error_t error;
    char *text = read_text(path);
    char *quoted = quote_long_numbers(text);
    json_t *root = json_loads(quoted, JSON_ALLOW_NUL, &error);
    if (root == NULL)
        fail_msg("%s: %s", path, error.text);
    free(quoted);
    free(text);
    return root;
}

static uint64_t number_of(const json_t *json)
{
    if (json_is_boolean(json))
        return json_is_true(json);
    if (json_is_integer(json))
        return (uint64_t)json_integer_value(json);
    const char *digits = json_string_value(json);
    assert_non_null(digits);
    return digits[0] == '-' ? (uint64_t)strtoll(digits, NULL, 10)
                            : strtoull(digits, NULL, 10);
}

static uint64_t member(const json_t *object, const char *name)
{
    const json_t *json = json_object_get(object, name);
    if (json == NULL)
        fail_msg("no \"%s\"", name);
    return number_of(json);
}

static void assert_hex(const char *bytes, uint64_t length, const char *hex)
{
    assert_int_equal(length * 2, strlen(hex));
    for (uint64_t i = 0; i < length; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        assert_int_equal((uint8_t)bytes[i], byte);
    }
}

/* A string, or {"hex": ...} where its bytes are not UTF-8. */
static void assert_bytes(const char *bytes, uint64_t length, const json_t *json)
{
    if (json_is_object(json)) {
        assert_hex(bytes, length, json_string_value(json_object_get(json, "hex")));
        return;
    }
    assert_true(json_is_string(json));
    assert_int_equal(length, json_string_length(json));
    assert_memory_equal(bytes, json_string_value(json), length);
}

static void assert_name(const char *bytes, uint64_t length, const json_t *object,
                        const char *name, const char *name_hex)
{
    const json_t *hex = json_object_get(object, name_hex);
    if (json_is_string(hex))
        assert_hex(bytes, length, json_string_value(hex));
    else
        assert_bytes(bytes, length, json_object_get(object, name));
}

/* ---- Values ------------------------------------------------------------------------------ */

static void assert_float(uint64_t bits, const json_t *json)
{
    const char *hex = json_string_value(json_object_get(json, "bits"));
    assert_non_null(hex);
    assert_int_equal(bits, strtoull(hex, NULL, 16));
}

static void assert_value(struct ggufs_value *value, const json_t *json);

static void assert_array(struct ggufs_array array, const json_t *json)
{
    struct ggufs_value element;
    size_t i = 0;
    assert_true(json_is_array(json));
    assert_int_equal(array.count, json_array_size(json));
    while (ggufs_array_next(&array, &element))
        assert_value(&element, json_array_get(json, i++));
    assert_int_equal(i, json_array_size(json));
    assert_int_equal(array.size, 0);
}

static void assert_value(struct ggufs_value *value, const json_t *json)
{
    uint32_t bits32;
    uint64_t bits64;
    switch (value->type) {
    case GGUFS_STR: assert_bytes(value->str.bytes, value->str.length, json); break;
    case GGUFS_ARR: assert_array(value->arr, json); break;
    case GGUFS_F32:
        memcpy(&bits32, &value->f32, sizeof(bits32));
        assert_float(bits32, json);
        break;
    case GGUFS_F64:
        memcpy(&bits64, &value->f64, sizeof(bits64));
        assert_float(bits64, json);
        break;
    default: assert_int_equal(value->u, number_of(json)); break;
    }
}

/* "u32", "arr[str]"; of arrays in arrays only the outer two are looked at. */
static void assert_type(const struct ggufs_value *value, const char *name)
{
    char type[32];
    const char *element =
        value->type == GGUFS_ARR ? ggufs_value_type_name(value->arr.type) : NULL;
    if (element == NULL)
        snprintf(type, sizeof(type), "%s", ggufs_value_type_name(value->type));
    else
        snprintf(type, sizeof(type), "arr[%s%s", element,
                 value->arr.type == GGUFS_ARR ? "" : "]");
    assert_int_equal(strncmp(name, type, strlen(type)), 0);
}

/* ---- Files ------------------------------------------------------------------------------- */

static void check_header(const struct head *head, const json_t *root)
{
    const char *endian = json_string_value(json_object_get(root, "endian"));
    assert_int_equal(head->file_size, member(root, "size"));
    assert_int_equal(head->version, member(root, "version"));
    assert_int_equal(head->big_endian, strcmp(endian, "big") == 0);
    assert_int_equal(head->alignment, member(root, "alignment"));
    assert_int_equal(head->n_keys, member(root, "n_kv"));
    assert_int_equal(head->n_tensors, member(root, "n_tensors"));
    assert_int_equal(head->size, member(root, "info_end"));
    assert_int_equal(head->data_offset, member(root, "data_start"));
}

static void check_keys(const struct head *head, const json_t *root)
{
    size_t i;
    json_t *expected;
    json_array_foreach(json_object_get(root, "metadata"), i, expected)
    {
        struct ggufs_key key;
        head_key(head, i, &key);
        assert_name(key.name, key.name_length, expected, "key", "key_hex");
        assert_type(&key.value, json_string_value(json_object_get(expected, "type")));
        assert_value(&key.value, json_object_get(expected, "value"));
    }
    assert_int_equal(i, head->n_keys);
}

static void check_tensor(const struct ggufs_tensor *tensor, const json_t *expected)
{
    size_t i;
    json_t *dim;
    assert_name(tensor->name, tensor->name_length, expected, "name", "name_hex");
    assert_int_equal(tensor->type_id, member(expected, "type_id"));
    assert_non_null(tensor->type);
    assert_string_equal(tensor->type->name,
                        json_string_value(json_object_get(expected, "type")));
    assert_int_equal(tensor->n_elements, member(expected, "n_elements"));
    assert_int_equal(tensor->size, member(expected, "n_bytes"));
    assert_int_equal(tensor->offset, member(expected, "abs_offset"));
    assert_int_equal(tensor->n_dims, json_array_size(json_object_get(expected, "dims")));
    json_array_foreach(json_object_get(expected, "dims"), i, dim)
    {
        assert_int_equal(tensor->dims[i], number_of(dim));
    }
}

static void check_tensors(const struct head *head, const json_t *root)
{
    size_t i;
    json_t *expected;
    json_array_foreach(json_object_get(root, "tensors"), i, expected)
    {
        struct ggufs_tensor tensor;
        head_tensor(head, i, &tensor);
        check_tensor(&tensor, expected);
    }
    assert_int_equal(i, head->n_tensors);
}

static void check_file(const char *models, const char *json_path)
{
    struct parsed parsed;
    char path[4096];
    json_t *root = load(json_path);
    snprintf(path, sizeof(path), "%s/%s", models,
             json_string_value(json_object_get(root, "file")));
    print_message("# %s\n", path); /* so that a failure tells which */
    assert_true(parsed_file(&parsed, path));
    if (parsed.rc < 0)
        fail_msg("%s: %s", path, parsed.error.text);
    check_header(&parsed.head, root);
    check_keys(&parsed.head, root);
    check_tensors(&parsed.head, root);
    parsed_done(&parsed);
    json_decref(root);
}

static void check_directory(const char *models, const char *expected)
{
    char directory[2048], with[2048], path[4096];
    int files = 0;
    assert_true(material_path(directory, sizeof(directory), expected));
    assert_true(material_path(with, sizeof(with), models));
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
        check_file(with, path);
        files++;
    }
    closedir(dir);
    assert_true(files > 0);
}

static void test_generated_files(void **state)
{
    (void)state;
    check_directory("gen", "gen");
}

static void test_real_files(void **state)
{
    (void)state;
    check_directory("models", "models/expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_files),
        cmocka_unit_test(test_real_files),
    };
    char path[2048];
    if (!material_path(path, sizeof(path), "gen") ||
        !material_path(path, sizeof(path), "models/expected"))
        return material_skip("gen and models");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
