/* SPDX-License-Identifier: MIT */
/* Taking a file in the safetensors format apart. */

#include "support/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void reader_open(struct reader *reader, const struct opened *opened)
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

void reader_close(struct reader *reader)
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

void reader_check(const struct reader *reader)
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

const uint8_t *reader_tensor(const struct reader *reader, const char *name,
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

const char *reader_key(const struct reader *reader, const char *name)
{
    json_t *metadata = json_object_get(reader->header, "__metadata__");
    return json_string_value(json_object_get(metadata, name));
}
