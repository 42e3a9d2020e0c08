/* SPDX-License-Identifier: MIT */
/* info.json, read back by jansson and compared member by member. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/opened.h"

/* JSON with ' for ", as jansson would write it compactly; with a precision of its
 * own since versions differ in theirs. */
static void check_json(const json_t *json, const char *expected)
{
    char *text =
        json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

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

static json_t *open_info(struct opened *opened, struct build *build)
{
    opened_build(opened, build, NULL);
    return opened_json(opened, "info.json");
}

static void close_info(struct opened *opened, json_t *info)
{
    json_decref(info);
    opened_close(opened);
}

/* -- the frame -- */

static void test_empty(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 2, true);
    json_t *info = open_info(&opened, &build);
    check_json(info,
               "{'file':{'name':'model.gguf','size':24,'version':2,'byte_order':'big',"
               "'alignment':32,'data_offset':32,'n_tensors':0,'n_keys':0},'metadata':{},"
               "'tensors':[],'totals':{'tensors':0,'parameters':0,'bytes':0,'types':{}},"
               "'warnings':[]}");
    close_info(&opened, info);
}

/* The layout of the text itself, which people read and diff. */
static void test_text(void **state)
{
    static const char expected[] =
        "  \"metadata\": {\n"
        "    \"general.architecture\": {\"type\": \"str\", \"value\": \"llama\"},\n"
        "    \"n\": {\"type\": \"u32\", \"value\": 4096}\n"
        "  },\n"
        "  \"tensors\": [\n"
        "    {\"name\": \"w\", \"type\": \"F32\", \"dimensions\": [4, 2], \"shape\": [2, "
        "4], "
        "\"n_elements\": 8, \"offset\": 128, \"size\": 32, \"path\": \"tensors/w\"}\n"
        "  ],\n"
        "  \"totals\": {\"tensors\": 1, \"parameters\": 8, \"bytes\": 32, \"types\": {\n"
        "    \"F32\": {\"tensors\": 1, \"parameters\": 8, \"bytes\": 32}\n"
        "  }},\n"
        "  \"warnings\": []\n"
        "}\n";
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    build_key_str(&build, "general.architecture", "llama");
    build_key_u32(&build, "n", 4096);
    build_tensor(&build, "w", 0, 2, (uint64_t[]){4, 2});
    opened_build(&opened, &build, NULL);
    char *text = opened_read(&opened, "info.json", NULL);
    const char *metadata = strstr(text, "  \"metadata\"");
    assert_non_null(metadata);
    assert_string_equal(metadata, expected);
    free(text);
    opened_close(&opened);
}

/* -- values -- */

static void build_text(struct build *build, const char *key, const char *bytes, size_t n)
{
    build_key(build, key, GGUFS_STR);
    build_string(build, bytes, n);
}

static void build_values(struct build *build)
{
    build_init(build, 3, false);
    build_key_number(build, "u8", GGUFS_U8, 255);
    build_key_number(build, "i8", GGUFS_I8, 0x80);
    build_key_number(build, "i64", GGUFS_I64, (uint64_t)INT64_MIN);
    build_key_number(build, "u64", GGUFS_U64, INT64_MAX);
    build_key_number(build, "f32", GGUFS_F32, 0x3dcccccd);
    build_key_number(build, "nan", GGUFS_F32, 0x7fc00000);
    build_key_number(build, "inf", GGUFS_F64, 0x7ff0000000000000);
    build_key_number(build, "-inf", GGUFS_F32, 0xff800000);
    build_key_bool(build, "yes", 1);
    build_key_bool(build, "no", 0);
    build_key_bool(build, "two", 2);
    build_text(build, "bytes", "\xff\0", 2);
    build_text(build, "empty", "", 0);
    build_key_strings(build, "strings", 2, (const char *[]){"\n", "\xff"});
    build_key_numbers(build, "none", GGUFS_U8, 0, NULL);
    build_key(build, "nested", GGUFS_ARR);
    build_array(build, GGUFS_ARR, 2);
    build_array(build, GGUFS_I16, 2);
    build_u16(build, 1);
    build_u16(build, 0xffff);
    build_array(build, GGUFS_STR, 0);
}

static void test_values(void **state)
{
    static const struct {
        const char *key, *expected;
    } rows[] = {
        {"u8", "{'type':'u8','value':255}"},
        {"i8", "{'type':'i8','value':-128}"},
        {"i64", "{'type':'i64','value':-9223372036854775808}"},
        {"u64", "{'type':'u64','value':9223372036854775807}"},
        {"f32", "{'type':'f32','value':0.1}"},
        {"nan", "{'type':'f32','value':'nan'}"},
        {"inf", "{'type':'f64','value':'inf'}"},
        {"-inf", "{'type':'f32','value':'-inf'}"},
        {"yes", "{'type':'bool','value':true}"},
        {"no", "{'type':'bool','value':false}"},
        {"two", "{'type':'bool','value':true}"},
        {"bytes", "{'type':'str','value':{'base64':'/wA='}}"},
        {"empty", "{'type':'str','value':''}"},
        {"strings", "{'type':'arr[str]','count':2,'value':['\\n',{'base64':'/w=='}]}"},
        {"none", "{'type':'arr[u8]','count':0,'value':[]}"},
        {"nested", "{'type':'arr[arr]','count':2,'value':[[1,-1],[]]}"},
    };
    struct build build;
    struct opened opened;
    (void)state;
    build_values(&build);
    json_t *info = open_info(&opened, &build);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_json(member(info, "metadata", rows[i].key), rows[i].expected);
    close_info(&opened, info);
}

/* What jansson cannot read back is looked for in the text. */
static void test_values_as_text(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    build_key_number(&build, "u64", GGUFS_U64, UINT64_MAX);
    build_text(&build, "controls", "\0\n\x1f\"\\", 5);
    opened_build(&opened, &build, NULL);
    char *text = opened_read(&opened, "info.json", NULL);
    assert_non_null(strstr(text, "\"value\": 18446744073709551615}"));
    assert_non_null(strstr(text, "\"value\": \"\\u0000\\n\\u001f\\\"\\\\\"}"));
    free(text);
    opened_close(&opened);
}

static void build_bytes_array(struct build *build, const char *key, uint64_t n)
{
    build_key(build, key, GGUFS_ARR);
    build_array(build, GGUFS_U8, n);
    for (uint64_t i = 0; i < n; i++)
        build_u8(build, (uint8_t)i);
}

/* Up to 64 elements are shown, of arrays in arrays all that there are. */
static void test_few_elements(void **state)
{
    static const struct {
        const char *key;
        size_t count;
        bool shown;
    } rows[] = {
        {"64", 64, true},   {"65", 65, false},    {"1+63", 1, true},
        {"1+64", 1, false}, {"2+31+31", 2, true}, {"2+31+32", 2, false},
    };
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    build_bytes_array(&build, "64", 64);
    build_bytes_array(&build, "65", 65);
    for (int i = 0; i < 4; i++) {
        build_key(&build, rows[2 + i].key, GGUFS_ARR);
        build_array(&build, GGUFS_ARR, rows[2 + i].count);
        for (size_t j = 0; j < rows[2 + i].count; j++) {
            uint64_t n = i < 2 ? 63 + (uint64_t)i : i == 3 && j == 1 ? 32 : 31;
            build_array(&build, GGUFS_U8, n);
            for (uint64_t k = 0; k < n; k++)
                build_u8(&build, 0);
        }
    }
    json_t *info = open_info(&opened, &build);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_t *key = member(info, "metadata", rows[i].key);
        json_t *value = json_object_get(key, "value");
        assert_int_equal(json_integer_value(json_object_get(key, "count")),
                         rows[i].count);
        assert_int_equal(value != NULL, rows[i].shown);
        if (value)
            assert_int_equal(json_array_size(value), rows[i].count);
    }
    close_info(&opened, info);
}

/* -- names -- */

static void test_names(void **state)
{
    struct build build;
    struct opened opened;
    (void)state;
    build_init(&build, 3, false);
    build_key_u32(&build, "a/b", 1);
    build_key_u32(&build, "twice", 2);
    build_key_u32(&build, "twice", 3);
    build_key_u32(&build, "q\"\\", 4);
    build_tensor(&build, "w", 0, 1, (uint64_t[]){1});
    build_tensor(&build, "w", 0, 1, (uint64_t[]){1});
    build_tensor(&build, "\xff", 0, 1, (uint64_t[]){1});
    json_t *info = open_info(&opened, &build);
    check_json(json_object_get(info, "metadata"),
               "{'a%2Fb':{'name_base64':'YS9i','type':'u32','value':1},"
               "'twice':{'type':'u32','value':2},"
               "'twice%2':{'name_base64':'dHdpY2U=','type':'u32','value':3},"
               "'q\\'\\\\':{'type':'u32','value':4}}");
    static const char *const names[][3] = {
        {"w", NULL, "tensors/w"},
        {"w%2", "dw==", "tensors/w%2"},
        {"%FF", "/w==", "tensors/%FF"},
    };
    for (size_t i = 0; i < 3; i++) {
        json_t *tensor = json_array_get(json_object_get(info, "tensors"), i);
        json_t *true_name = json_object_get(tensor, "name_base64");
        assert_string_equal(json_string_value(json_object_get(tensor, "name")),
                            names[i][0]);
        assert_int_equal(true_name != NULL, names[i][1] != NULL);
        if (true_name)
            assert_string_equal(json_string_value(true_name), names[i][1]);
        assert_string_equal(json_string_value(json_object_get(tensor, "path")),
                            names[i][2]);
    }
    close_info(&opened, info);
}

/* -- tensors and totals -- */

static void test_tensors(void **state)
{
    struct build build;
    struct opened opened;
    char expected[512];
    struct ggufs_tensor tensor;
    (void)state;
    build_init(&build, 3, false);
    build_tensor(&build, "k", 12, 2, (uint64_t[]){256, 3});
    build_tensor(&build, "one", 0, 0, (uint64_t[]){0});
    build_add(&build, &(struct build_tensor){.name = "new",
                                             .name_length = BUILD_AUTO,
                                             .type = 999,
                                             .n_dims = 1,
                                             .dims = {3},
                                             .offset = BUILD_AUTO,
                                             .size = 64});
    build_tensor(&build, "k2", 12, 1, (uint64_t[]){256});
    json_t *info = open_info(&opened, &build);
    json_t *tensors = json_object_get(info, "tensors");
    ggufs_model_tensor(opened.model, 0, &tensor);
    sprintf(expected,
            "{'name':'k','type':'Q4_K','dimensions':[256,3],'shape':[3,256],"
            "'n_elements':768,'offset':%ju,'size':432,'path':'tensors/k'}",
            (uintmax_t)tensor.offset);
    check_json(json_array_get(tensors, 0), expected);
    ggufs_model_tensor(opened.model, 1, &tensor);
    sprintf(expected,
            "{'name':'one','type':'F32','dimensions':[],'shape':[],'n_elements':1,"
            "'offset':%ju,'size':4,'path':'tensors/one'}",
            (uintmax_t)tensor.offset);
    check_json(json_array_get(tensors, 1), expected);
    check_json(json_object_get(json_array_get(tensors, 2), "type"), "999");
    check_json(json_object_get(info, "totals"),
               "{'tensors':4,'parameters':1028,'bytes':644,'types':{"
               "'F32':{'tensors':1,'parameters':1,'bytes':4},"
               "'Q4_K':{'tensors':2,'parameters':1024,'bytes':576},"
               "'999':{'tensors':1,'parameters':3,'bytes':64}}}");
    assert_int_equal(json_array_size(json_object_get(info, "warnings")),
                     ggufs_model_warnings(opened.model));
    close_info(&opened, info);
}

static void test_warnings(void **state)
{
    struct build build;
    struct opened opened;
    struct ggufs_warning warning;
    char expected[1024];
    (void)state;
    build_init(&build, 3, false);
    build_key_u32(&build, "twice", 2);
    build_key_u32(&build, "twice", 3);
    json_t *info = open_info(&opened, &build);
    json_t *warnings = json_object_get(info, "warnings");
    assert_int_equal(json_array_size(warnings), 1);
    ggufs_model_warning(opened.model, 0, &warning);
    snprintf(expected, sizeof(expected), "%s (at byte %ju)", warning.text,
             (uintmax_t)warning.offset);
    assert_string_equal(json_string_value(json_array_get(warnings, 0)), expected);
    close_info(&opened, info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),        cmocka_unit_test(test_text),
        cmocka_unit_test(test_values),       cmocka_unit_test(test_values_as_text),
        cmocka_unit_test(test_few_elements), cmocka_unit_test(test_names),
        cmocka_unit_test(test_tensors),      cmocka_unit_test(test_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
