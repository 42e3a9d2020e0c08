/* SPDX-License-Identifier: MIT */
/* info.json of models that make it long: sets of shards, strings and names that take many
 * steps, many records. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/opened.h"
#include "support/plan.h"

/* JSON with ' for ", as jansson would write it compactly. */
static void check_json(const json_t *json, const char *expected)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

    assert_non_null(text);
    for (char *c = text; *c; c++)
        if (*c == '"')
            *c = '\'';
    assert_string_equal(text, expected);
    free(text);
}

static json_t *member(const json_t *json, const char *section, const char *name)
{
    json_t *found = json_object_get(json_object_get(json, section), name);

    if (!found)
        fail_msg("no %s in %s", name, section);
    return found;
}

static void close_info(struct opened *opened, json_t *info)
{
    json_decref(info);
    opened_close(opened);
}

/* -- sets -- */

static void test_shards(void **state)
{
    struct plan_set *set = plan_set_new();
    struct opened opened;
    (void)state;
    plan_set_write(set);
    opened_file(&opened, plan_set_path(set, "m-00001-of-00003.gguf"), NULL);
    json_t *info = opened_json(&opened, "info.json");
    json_t *shards = member(info, "file", "shards");
    assert_string_equal(json_string_value(member(info, "file", "name")),
                        opened.model->name);
    check_json(member(info, "file", "n_tensors"), "5");
    assert_int_equal(json_array_size(shards), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *shard = json_array_get(shards, i);
        assert_string_equal(json_string_value(json_object_get(shard, "name")),
                            opened.model->shards[i].name);
        check_json(json_object_get(shard, "n_tensors"), i == 1 ? "1" : "2");
        assert_int_equal(json_object_size(shard), 8);
    }
    static const int shard_of[] = {0, 0, 1, 2, 2};
    for (size_t i = 0; i < 5; i++) {
        json_t *tensor = json_array_get(json_object_get(info, "tensors"), i);
        assert_int_equal(json_integer_value(json_object_get(tensor, "shard")),
                         shard_of[i]);
    }
    close_info(&opened, info);
    plan_set_free(set);
}

static void test_missing_shard(void **state)
{
    struct ggufs_options options = {.partial = true};
    struct plan_set *set = plan_set_new();
    struct opened opened;
    (void)state;
    plan_set_write(set);
    assert_int_equal(remove(plan_set_path(set, "m-00002-of-00003.gguf")), 0);
    opened_file(&opened, plan_set_path(set, "m-00001-of-00003.gguf"), &options);
    json_t *info = opened_json(&opened, "info.json");
    check_json(json_array_get(member(info, "file", "shards"), 1),
               "{'name':'m-00002-of-00003.gguf','missing':true}");
    assert_int_equal(json_array_size(json_object_get(info, "warnings")),
                     ggufs_model_warnings(opened.model));
    assert_true(ggufs_model_warnings(opened.model) > 0);
    close_info(&opened, info);
    plan_set_free(set);
}

static void build_text(struct build *build, const char *key, const char *bytes, size_t n)
{
    build_key(build, key, GGUFS_STR);
    build_string(build, bytes, n);
}

/* -- long things, in steps -- */

#define LONG 300001

/* Every read from anywhere is a piece of the whole. */
static void check_pieces(const struct opened *opened, const char *whole, size_t size)
{
    struct content *content;
    char piece[5000];

    assert_int_equal(
        tree_content(opened->tree, opened_node(opened, "info.json"), &content), 0);
    for (size_t at = 0; at < size; at += 4999) {
        size_t n = size - at < sizeof(piece) ? size - at : sizeof(piece);
        assert_int_equal(content_read(content, NULL, at, piece, n), n);
        assert_memory_equal(piece, whole + at, n);
    }
}

static void test_long_strings(void **state)
{
    struct build build;
    struct opened opened;
    char *text = malloc(LONG + 1), *bytes = malloc(LONG + 1);
    size_t size;
    (void)state;
    for (size_t i = 0; i < LONG; i++) {
        text[i] = "a\"\xc3\xbc\x01z"[i % 6];
        bytes[i] = (char)(i * 7 + 1);
    }
    text[LONG - 1] = bytes[LONG - 1] = 'z';
    text[LONG] = bytes[LONG] = '\0';
    build_init(&build, 3, false);
    build_text(&build, "text", text, LONG);
    build_key(&build, "array", GGUFS_ARR);
    build_array(&build, GGUFS_STR, 3);
    build_string(&build, text, LONG);
    build_string(&build, bytes, LONG);
    build_string(&build, text, LONG);
    build_key_bytes(&build, bytes, LONG, GGUFS_STR);
    build_string(&build, bytes, LONG);
    opened_build(&opened, &build, NULL);
    char *whole = opened_read(&opened, "info.json", &size);
    json_t *info = json_loadb(whole, size, 0, NULL);
    assert_non_null(info);
    json_t *value = json_object_get(member(info, "metadata", "text"), "value");
    assert_string_equal(json_string_value(value), text);
    value = json_object_get(member(info, "metadata", "array"), "value");
    assert_int_equal(json_array_size(value), 3);
    assert_string_equal(json_string_value(json_array_get(value, 0)), text);
    assert_string_equal(json_string_value(json_array_get(value, 2)), text);
    json_t *odd = json_object_iter_value(json_object_iter_next(
        json_object_get(info, "metadata"),
        json_object_iter_at(json_object_get(info, "metadata"), "array")));
    const char *name = json_string_value(json_object_get(odd, "name_base64"));
    assert_int_equal(strlen(name), (LONG + 2) / 3 * 4);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(value, 1), "base64")), name);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(odd, "value"), "base64")),
        name);
    check_pieces(&opened, whole, size);
    json_decref(info);
    free(whole);
    free(text);
    free(bytes);
    opened_close(&opened);
}

static void test_many_records(void **state)
{
    struct build build;
    struct opened opened;
    size_t size;
    (void)state;
    build_init(&build, 3, false);
    for (int i = 0; i < 3000; i++) {
        char name[32];
        sprintf(name, "blk.%d.weight", i / 2);
        build_key_u32(&build, name, (uint32_t)i);
        build_tensor(&build, name, 24, 1, (uint64_t[]){1});
    }
    opened_build(&opened, &build, NULL);
    char *whole = opened_read(&opened, "info.json", &size);
    json_t *info = json_loadb(whole, size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(info);
    assert_int_equal(json_object_size(json_object_get(info, "metadata")), 3000);
    assert_int_equal(json_array_size(json_object_get(info, "tensors")), 3000);
    check_pieces(&opened, whole, size);
    json_decref(info);
    free(whole);
    opened_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_missing_shard),
        cmocka_unit_test(test_long_strings),
        cmocka_unit_test(test_many_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
