/* SPDX-License-Identifier: MIT */
/* src/diff: the report as JSON. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "support/pair.h"

static json_t *parse(const struct pair *pair)
{
    json_error_t error;
    json_t *json = json_loads(pair->text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s at line %d of\n%s", error.text, error.line, pair->text);
    return json;
}

/* The entry of that name in json.SUBJECT.LIST. */
static json_t *entry(json_t *json, const char *subject, const char *list,
                     const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json_object_get(json, subject), list), i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0)
            return item;
    }
    fail_msg("no %s in %s.%s", name, subject, list);
    return NULL;
}

static void expect_json(json_t *value, const char *expected)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS |
                                       JSON_REAL_PRECISION(6));
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void test_json(void **state)
{
    struct pair *pair = *state;
    build_key_u32(&pair->old, "k", 1);
    build_key_u32(&pair->new, "k", 2);
    build_key_str(&pair->new, "c1\xc2\x9b", "\xc2\x9b");
    pair_numbers(pair);
    pair_tensors(pair);
    assert_int_equal(pair_compare(pair, false, true), 1);
    for (const char *c = pair->text; *c; c++)
        assert_true((unsigned char)*c < 0x7F && (*c >= 0x20 || *c == '\n'));
    json_t *json = parse(pair);
    expect_json(entry(json, "keys", "changed", "k"),
                "{\"name\":\"k\",\"new\":\"u32 2\",\"old\":\"u32 1\"}");
    entry(json, "keys", "added", "c1\xc2\x9b");
    expect_json(entry(json, "tensors", "removed", "gone"),
                "{\"name\":\"gone\",\"old\":{\"bytes\":34,\"shape\":[32],"
                "\"type\":\"Q8_0\"}}");
    expect_json(
        entry(json, "tensors", "added", "come"),
        "{\"name\":\"come\",\"new\":{\"bytes\":4,\"shape\":[],\"type\":\"F32\"}}");
    expect_json(entry(json, "tensors", "changed", "shape"),
                "{\"name\":\"shape\",\"new\":{\"bytes\":32,\"shape\":[4,2],\"type\":"
                "\"F32\"},\"old\":{\"bytes\":32,\"shape\":[2,4],\"type\":\"F32\"}}");
    json_t *nan = entry(json, "tensors", "changed", "nan");
    expect_json(json_object_get(nan, "largest_difference"), "null");
    json_t *apart = entry(json, "tensors", "changed", "apart");
    expect_json(json_object_get(apart, "largest_difference"), "2.0");
    expect_json(json_object_get(apart, "mean_difference"), "0.5");
    expect_json(json_object_get(apart, "data_differs"), "true");
    expect_json(json_object_get(json_object_get(json, "tensors"), "same"), "1");
    json_decref(json);
}

static void test_json_brief(void **state)
{
    struct pair *pair = *state;
    build_key_u32(&pair->new, "k", 2);
    build_tensor(&pair->old, "w", 0, 1, (uint64_t[]){4});
    assert_int_equal(pair_compare(pair, true, true), 1);
    json_t *json = parse(pair);
    expect_json(json, "{\"keys\":{\"added\":[{\"name\":\"k\"}],\"changed\":[],"
                      "\"removed\":[],\"same\":0},"
                      "\"tensors\":{\"added\":[],\"changed\":[],"
                      "\"removed\":[{\"name\":\"w\"}],\"same\":0}}");
    json_decref(json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_json),
        TEST(test_json_brief),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
