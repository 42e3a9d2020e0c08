/* SPDX-License-Identifier: MIT */
/* src/model/join.c: sets of shards in every shape that is accepted. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "support/shards.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void test_any_shard_opens_the_set(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    for (size_t i = 0; i < 3; i++) {
        struct ggufs_model *model =
            shards_open(set, shard_names[i], (struct ggufs_options){.strict = true});
        assert_string_equal(model->name, "m");
        assert_int_equal(ggufs_model_shards(model), 3);
        assert_int_equal(ggufs_model_keys(model), 5);
        shards_expect(model, "abcde");
        shards_expect_data(model, 0, &set->plans[0].tensors[0]);
        shards_expect_data(model, 2, &set->plans[1].tensors[0]);
        shards_expect_data(model, 3, &set->plans[2].tensors[0]);
        ggufs_model_close(model);
    }
}

static void test_facts_of_shards(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    struct ggufs_model *model =
        shards_open(set, shard_names[1], (struct ggufs_options){0});
    const size_t tensors[] = {2, 1, 2};
    const size_t shard_of[] = {0, 0, 1, 2, 2};
    uint64_t size = 0;
    for (size_t i = 0; i < 3; i++) {
        struct ggufs_shard shard;
        struct stat st;
        ggufs_model_shard(model, i, &shard);
        assert_int_equal(stat(plan_set_path(set, shard_names[i]), &st), 0);
        assert_string_equal(shard.name, shard_names[i]);
        assert_false(shard.missing);
        assert_int_equal(shard.file_size, st.st_size);
        assert_int_equal(shard.version, 3);
        assert_int_equal(shard.alignment, 32);
        assert_int_equal(shard.n_keys, set->plans[i].n_keys);
        assert_int_equal(shard.n_tensors, tensors[i]);
        size += shard.file_size;
    }
    for (size_t i = 0; i < 5; i++) {
        struct ggufs_tensor tensor;
        ggufs_model_tensor(model, i, &tensor);
        assert_int_equal(tensor.shard, shard_of[i]);
    }
    assert_int_equal(model_size(model), size);
    assert_int_equal(model_check(model, 2), 0);
    ggufs_model_close(model);
}

/* Who may not read one of the files may not read the model. */
static void test_modes(void **state)
{
    struct plan_set *set = *state;
    static const mode_t modes[] = {0644, 0660, 0604};
    plan_set_write(set);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(chmod(plan_set_path(set, shard_names[i]), modes[i]), 0);
    struct ggufs_model *model =
        shards_open(set, shard_names[2], (struct ggufs_options){.partial = true});
    assert_int_equal(model->stat.st_mode, S_IFREG | 0600);
    ggufs_model_close(model);
    unlink(plan_set_path(set, shard_names[1]));
    model = shards_open(set, shard_names[2], (struct ggufs_options){.partial = true});
    assert_int_equal(model->stat.st_mode, S_IFREG | 0604);
    ggufs_model_close(model);
}

/* ---- shapes ---- */

static void last_without_tensors(struct plan_set *set)
{
    set->plans[1].tensors[1] = set->plans[2].tensors[0];
    set->plans[1].tensors[2] = set->plans[2].tensors[1];
    set->plans[1].n_tensors = 3;
    set->plans[2].n_tensors = 0;
}

static void versions_2_and_3(struct plan_set *set)
{
    set->plans[1].version = 2;
}

static void all_integer_types(struct plan_set *set)
{
    plan_find_key(&set->plans[0], "split.no")->type = 1;
    plan_find_key(&set->plans[1], "split.no")->type = 11;
    plan_find_key(&set->plans[2], "split.no")->type = 0;
    plan_find_key(&set->plans[0], "split.count")->type = 3;
    plan_find_key(&set->plans[1], "split.count")->type = 4;
    plan_find_key(&set->plans[2], "split.count")->type = 10;
    plan_find_key(&set->plans[0], "split.tensors.count")->type = 10;
}

static void old_keys(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++) {
        struct plan *plan = &set->plans[i];
        *plan_find_key(plan, "split.no") = (struct plan_key){"general.split", 0, i};
        *plan_find_key(plan, "split.count") =
            (struct plan_key){"general.split_count", 0, 3};
        plan_drop_key(plan, "split.tensors.count");
    }
}

static void without_totals(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        plan_drop_key(&set->plans[i], "split.tensors.count");
}

static void alignment_of_the_first(struct plan_set *set)
{
    set->plans[0].alignment = 64;
    set->plans[0].keys[5] = (struct plan_key){"general.alignment", 4, 64};
    set->plans[0].n_keys = 6;
}

static void test_shapes(void **state)
{
    (void)state;
    const struct {
        void (*change)(struct plan_set *set);
        const char *tensors;
    } rows[] = {
        {shards_first_without_tensors, "cabde"},
        {last_without_tensors, "abcde"},
        {shards_big_endian, "abcde"},
        {shards_version_1, "abcde"},
        {versions_2_and_3, "abcde"},
        {all_integer_types, "abcde"},
        {old_keys, "abcde"},
        {without_totals, "abcde"},
        {alignment_of_the_first, "abcde"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct plan_set *set = plan_set_new();
        rows[i].change(set);
        plan_set_write(set);
        struct ggufs_model *model =
            shards_open(set, shard_names[i % 3], (struct ggufs_options){.strict = true});
        shards_expect(model, rows[i].tensors);
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

/* Names of other widths, opened by the second shard of each. */
static void test_widths(void **state)
{
    (void)state;
    const char *const rows[][3] = {
        {"m-1-of-3.gguf", "m-2-of-3.gguf", "m-3-of-3.gguf"},
        {"m-01-of-03.gguf", "m-02-of-03.gguf", "m-03-of-03.gguf"},
        {"m-1-of-003.gguf", "m-2-of-003.gguf", "m-3-of-003.gguf"},
        {"m-0000001-of-3.gguf", "m-0000002-of-3.gguf", "m-0000003-of-3.gguf"},
        {"-00001-of-00003.gguf", "-00002-of-00003.gguf", "-00003-of-00003.gguf"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct plan_set *set = plan_set_new();
        for (size_t k = 0; k < 3; k++)
            plan_write(&set->plans[k], plan_set_path(set, rows[i][k]));
        struct ggufs_model *model =
            shards_open(set, rows[i][1], (struct ggufs_options){.strict = true});
        shards_expect(model, "abcde");
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

/* ---- links, as stores keep them ---- */

static void test_links_to_files_without_names(void **state)
{
    struct plan_set *set = *state;
    for (size_t i = 0; i < 3; i++) {
        char blob[16];
        snprintf(blob, sizeof(blob), "%zu", i);
        plan_write(&set->plans[i], plan_set_path(set, blob));
        assert_int_equal(symlink(blob, plan_set_path(set, shard_names[i])), 0);
    }
    struct ggufs_model *model =
        shards_open(set, shard_names[2], (struct ggufs_options){0});
    shards_expect(model, "abcde");
    ggufs_model_close(model);
}

static void test_twins_in_one_shard_are_shown(void **state)
{
    struct plan_set *set = *state;
    set->plans[2].tensors[1].name = "d";
    plan_set_write(set);
    struct ggufs_model *model =
        shards_open(set, shard_names[0], (struct ggufs_options){0});
    size_t found;
    assert_int_equal(ggufs_model_tensors(model), 5);
    assert_int_equal(ggufs_model_warnings(model), 1);
    assert_int_equal(ggufs_model_find_tensor(model, "d", 1, &found), 0);
    assert_int_equal(found, 3);
    assert_int_equal(ggufs_model_find_tensor(model, "e", 1, &found), -ENOENT);
    ggufs_model_close(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, shards_setup, shards_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_any_shard_opens_the_set),
        TEST(test_facts_of_shards),
        TEST(test_modes),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_widths),
        TEST(test_links_to_files_without_names),
        TEST(test_twins_in_one_shard_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
