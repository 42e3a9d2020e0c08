/* SPDX-License-Identifier: MIT */
/* One shard alone, and files that are not split whatever they are called. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "support/shards.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void test_single(void **state)
{
    struct plan_set *set = *state;
    plan_write(&set->plans[2], plan_set_path(set, shard_names[2]));
    const struct ggufs_options options = {.single = true, .strict = true};
    struct ggufs_model *model = shards_open(set, shard_names[2], options);
    assert_string_equal(model->name, "m-00003-of-00003");
    assert_int_equal(ggufs_model_shards(model), 1);
    assert_int_equal(ggufs_model_keys(model), 3);
    shards_expect(model, "de");
    ggufs_model_close(model);
    plan_write(&set->plans[2], plan_set_path(set, "odd.bin"));
    model = shards_open(set, "odd.bin", options);
    assert_string_equal(model->name, "odd.bin");
    ggufs_model_close(model);
}

static void test_not_split(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int count; /* -1: no such key */
        const char *model;
        size_t warnings;
    } rows[] = {
        {"m.gguf", -1, "m", 0},
        {"m.gguf", 0, "m", 0},
        {"m.gguf", 1, "m", 0},
        {"m-00001-of-00001.gguf", 1, "m", 0},
        {"m-00001-of-00001.gguf", -1, "m", 0},
        {"m-00002-of-00003.gguf", 0, "m-00002-of-00003", 1},
        {"m-00001-of-00003.gguf", -1, "m-00001-of-00003", 1},
        {".gguf", -1, ".gguf", 0},
        {"-00001-of-00001.gguf", -1, "-00001-of-00001", 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct plan_set *set = plan_set_new();
        struct plan *plan = &set->plans[0];
        if (rows[i].count < 0)
            plan_drop_key(plan, "split.count");
        else
            plan_find_key(plan, "split.count")->number = (uint64_t)rows[i].count;
        plan_write(plan, plan_set_path(set, rows[i].name));
        struct ggufs_model *model =
            shards_open(set, rows[i].name, (struct ggufs_options){0});
        assert_string_equal(model->name, rows[i].model);
        assert_int_equal(ggufs_model_shards(model), 1);
        assert_int_equal(ggufs_model_warnings(model), rows[i].warnings);
        shards_expect(model, "ab");
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

static void test_odd_keys_of_one_file(void **state)
{
    struct plan_set *set = *state;
    *plan_find_key(&set->plans[1], "split.count") =
        (struct plan_key){"split.count", 8, 0, "3"};
    plan_write(&set->plans[1], plan_set_path(set, "m.gguf"));
    struct ggufs_model *model = shards_open(set, "m.gguf", (struct ggufs_options){0});
    struct ggufs_warning warning;
    assert_int_equal(ggufs_model_warnings(model), 1);
    ggufs_model_warning(model, 0, &warning);
    assert_string_equal(
        warning.text,
        "the split.* keys are not whole numbers: shown as a model in one file");
    shards_expect(model, "c");
    ggufs_model_close(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, shards_setup, shards_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_single),
        cmocka_unit_test(test_not_split),
        TEST(test_odd_keys_of_one_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
