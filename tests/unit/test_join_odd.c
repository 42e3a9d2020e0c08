/* SPDX-License-Identifier: MIT */
/* Shards that do not fit each other, and what is said of which file. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "model/model.h"
#include "support/shards.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void other_count(struct plan_set *set)
{
    plan_find_key(&set->plans[1], "split.count")->number = 4;
}

static void all_other_count(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        plan_find_key(&set->plans[i], "split.count")->number = 4;
}

static void no_count(struct plan_set *set)
{
    plan_drop_key(&set->plans[1], "split.count");
}

static void text_count(struct plan_set *set)
{
    *plan_find_key(&set->plans[1], "split.count") =
        (struct plan_key){"split.count", 8, 0, "3"};
}

static void float_no(struct plan_set *set)
{
    plan_find_key(&set->plans[1], "split.no")->type = 6;
}

static void negative_total(struct plan_set *set)
{
    plan_find_key(&set->plans[1], "split.tensors.count")->number = UINT64_MAX;
}

static void twice_the_same_no(struct plan_set *set)
{
    plan_find_key(&set->plans[1], "split.no")->number = 2;
}

static void no_too_low(struct plan_set *set)
{
    plan_find_key(&set->plans[2], "split.no")->number = 0;
}

static void no_from_one(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        plan_find_key(&set->plans[i], "split.no")->number = i + 1;
}

static void without_no(struct plan_set *set)
{
    plan_drop_key(&set->plans[1], "split.no");
}

static void other_order(struct plan_set *set)
{
    set->plans[1].big_endian = true;
}

static void other_version(struct plan_set *set)
{
    set->plans[1].version = 1;
}

static void other_total(struct plan_set *set)
{
    plan_find_key(&set->plans[1], "split.tensors.count")->number = 6;
}

static void all_other_total(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        plan_find_key(&set->plans[i], "split.tensors.count")->number = 6;
}

static void same_tensor(struct plan_set *set)
{
    set->plans[1].tensors[0].name = "a";
}

static void bad_magic(struct plan_set *set)
{
    set->plans[1].version = 77;
}

static void test_disagreement(void **state)
{
    (void)state;
    const struct {
        void (*change)(struct plan_set *set);
        enum ggufs_code code;
        const char *text;
        const char *file;
    } rows[] = {
        {other_count, GGUFS_FORMAT, "split.count is 4, the set is of 3", shard_names[1]},
        {all_other_count, GGUFS_FORMAT, "split.count is 4, the file's name says 3", ""},
        {no_count, GGUFS_FORMAT, "split.count is 0, the set is of 3", shard_names[1]},
        {text_count, GGUFS_FORMAT,
         "key 'split.count': a whole number is needed, not below 0", shard_names[1]},
        {float_no, GGUFS_FORMAT, "key 'split.no': a whole number is needed, not below 0",
         shard_names[1]},
        {negative_total, GGUFS_FORMAT,
         "key 'split.tensors.count': a whole number is needed, not below 0",
         shard_names[1]},
        {twice_the_same_no, GGUFS_FORMAT,
         "split.no is 2, the file's name says 1 (counted from 0)", shard_names[1]},
        {no_too_low, GGUFS_FORMAT,
         "split.no is 0, the file's name says 2 (counted from 0)", shard_names[2]},
        {no_from_one, GGUFS_FORMAT,
         "split.no is 1, the file's name says 0 (counted from 0)", ""},
        {without_no, GGUFS_FORMAT,
         "split.no is missing, so nothing says which shard this is", shard_names[1]},
        {other_order, GGUFS_FORMAT,
         "this shard is big-endian, the first is little-endian", shard_names[1]},
        {other_version, GGUFS_FORMAT,
         "this shard is of version 1, the first is of version 3", shard_names[1]},
        {other_total, GGUFS_FORMAT, "split.tensors.count is 6, another shard says 5",
         shard_names[1]},
        {all_other_total, GGUFS_FORMAT, "split.tensors.count is 6, the shards hold 5",
         ""},
        {same_tensor, GGUFS_FORMAT,
         "tensor 'a' is in this shard and in 'm-00001-of-00003.gguf'", shard_names[1]},
        {bad_magic, GGUFS_VERSION, "version 77 of GGUF; 1, 2 and 3 are read here",
         shard_names[1]},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct plan_set *set = plan_set_new();
        struct ggufs_model *model;
        struct ggufs_error error = {0};
        rows[i].change(set);
        plan_set_write(set);
        int rc =
            ggufs_model_open(plan_set_path(set, shard_names[0]), NULL, &model, &error);
        assert_string_equal(error.text, rows[i].text);
        assert_string_equal(error.file, rows[i].file);
        assert_int_equal(error.code, rows[i].code);
        assert_int_equal(rc, -EBADMSG);
        plan_set_free(set);
    }
}

/* The fault is the same, and the file that is named in the error, whichever shard was
 * opened. */
static void test_the_named_file_goes_without_saying(void **state)
{
    struct plan_set *set = *state;
    struct ggufs_model *model;
    struct ggufs_error error = {0};
    other_order(set);
    plan_set_write(set);
    ggufs_model_open(plan_set_path(set, shard_names[1]), NULL, &model, &error);
    assert_string_equal(error.text,
                        "this shard is big-endian, the first is little-endian");
    assert_string_equal(error.file, "");
}

static void test_name_without_suffix(void **state)
{
    struct plan_set *set = *state;
    struct ggufs_model *model;
    struct ggufs_error error = {0};
    plan_write(&set->plans[0], plan_set_path(set, "m.gguf"));
    int rc = ggufs_model_open(plan_set_path(set, "m.gguf"), NULL, &model, &error);
    assert_int_equal(rc, -EBADMSG);
    assert_int_equal(error.code, GGUFS_FORMAT);
    assert_string_equal(error.text, "a shard of a set of 3 whose name does not end in "
                                    "-NNNNN-of-NNNNN.gguf: the others cannot be found "
                                    "(-o single opens it alone)");
}

/* ---- warnings of shards ---- */

static void test_warnings_name_their_shard(void **state)
{
    struct plan_set *set = *state;
    set->plans[1].tensors[0].type = 999;
    plan_set_write(set);
    struct ggufs_model *model =
        shards_open(set, shard_names[0], (struct ggufs_options){0});
    struct ggufs_warning warning;
    assert_int_equal(ggufs_model_warnings(model), 1);
    ggufs_model_warning(model, 0, &warning);
    assert_int_equal(warning.shard, 1);
    assert_false(warning.incomplete);
    struct ggufs_error error = {0};
    const struct ggufs_options options = {.strict = true};
    struct ggufs_model *none;
    assert_int_equal(
        ggufs_model_open(plan_set_path(set, shard_names[0]), &options, &none, &error),
        -EBADMSG);
    assert_int_equal(error.code, GGUFS_FORMAT);
    assert_string_equal(error.text, warning.text);
    assert_int_equal(error.offset, warning.offset);
    assert_string_equal(error.file, shard_names[1]);
    ggufs_model_close(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, shards_setup, shards_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disagreement),
        TEST(test_the_named_file_goes_without_saying),
        TEST(test_name_without_suffix),
        TEST(test_warnings_name_their_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
