/* SPDX-License-Identifier: MIT */
/* Sets of shards: every shape that is accepted, and every way of being broken with
 * what is said of it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ggufs.h"
#include "model/model.h"
#include "support/plan.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int setup(void **state)
{
    *state = plan_set_new();
    return 0;
}

static int teardown(void **state)
{
    plan_set_free(*state);
    return 0;
}

static const char *const shard_names[] = {
    "m-00001-of-00003.gguf",
    "m-00002-of-00003.gguf",
    "m-00003-of-00003.gguf",
};

static struct ggufs_model *open_good(const struct plan_set *set, const char *name,
                                     struct ggufs_options options)
{
    struct ggufs_model *model = NULL;
    struct ggufs_error error = {0};
    if (ggufs_model_open(plan_set_path(set, name), &options, &model, &error) < 0)
        fail_msg("%s: %s", name, error.text);
    return model;
}

static void expect_tensors(const struct ggufs_model *model, const char *names)
{
    assert_int_equal(ggufs_model_tensors(model), strlen(names));
    for (size_t i = 0; names[i]; i++) {
        struct ggufs_tensor tensor;
        size_t found;
        ggufs_model_tensor(model, i, &tensor);
        assert_int_equal(tensor.name_length, 1);
        assert_int_equal(tensor.name[0], names[i]);
        assert_int_equal(ggufs_model_find_tensor(model, &names[i], 1, &found), 0);
        assert_int_equal(found, i);
    }
}

static void expect_data(const struct ggufs_model *model, size_t i,
                        const struct plan_tensor *tensor)
{
    uint8_t buffer[1024];
    uint64_t size = plan_data_size(tensor);
    assert_true(size <= sizeof(buffer));
    assert_int_equal(ggufs_tensor_read(model, i, 0, buffer, size), 0);
    for (uint64_t k = 0; k < size; k++)
        assert_int_equal(buffer[k], plan_data_byte(tensor, k));
}

/* ---- shapes ---- */

static void test_any_shard_opens_the_set(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    for (size_t i = 0; i < 3; i++) {
        struct ggufs_model *model =
            open_good(set, shard_names[i], (struct ggufs_options){.strict = true});
        assert_string_equal(model->name, "m");
        assert_int_equal(ggufs_model_shards(model), 3);
        assert_int_equal(ggufs_model_keys(model), 5);
        expect_tensors(model, "abcde");
        expect_data(model, 0, &set->plans[0].tensors[0]);
        expect_data(model, 2, &set->plans[1].tensors[0]);
        expect_data(model, 3, &set->plans[2].tensors[0]);
        ggufs_model_close(model);
    }
}

static void test_facts_of_shards(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    struct ggufs_model *model = open_good(set, shard_names[1], (struct ggufs_options){0});
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

static void first_without_tensors(struct plan_set *set)
{
    set->plans[1].tensors[1] = set->plans[0].tensors[0];
    set->plans[1].tensors[2] = set->plans[0].tensors[1];
    set->plans[0].n_tensors = 0;
    set->plans[1].n_tensors = 3;
}

static void last_without_tensors(struct plan_set *set)
{
    set->plans[1].tensors[1] = set->plans[2].tensors[0];
    set->plans[1].tensors[2] = set->plans[2].tensors[1];
    set->plans[1].n_tensors = 3;
    set->plans[2].n_tensors = 0;
}

static void big_endian(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].big_endian = true;
}

static void version_1(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].version = 1;
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
        {first_without_tensors, "cabde"},
        {last_without_tensors, "abcde"},
        {big_endian, "abcde"},
        {version_1, "abcde"},
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
            open_good(set, shard_names[i % 3], (struct ggufs_options){.strict = true});
        expect_tensors(model, rows[i].tensors);
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
            open_good(set, rows[i][1], (struct ggufs_options){.strict = true});
        expect_tensors(model, "abcde");
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

/* n shards of one tensor each: "0", "1"... The format is a printf's, of number and
 * count. */
static void write_many(const struct plan_set *set, unsigned n, int width)
{
    for (unsigned i = 0; i < n; i++) {
        char name[64], tensor[16];
        snprintf(tensor, sizeof(tensor), "%u", i);
        snprintf(name, sizeof(name), "m-%0*u-of-%u.gguf", width, i + 1, n);
        const struct plan plan = {
            .version = 3,
            .n_keys = 3,
            .keys = {{"split.no", 2, i},
                     {"split.count", 2, n},
                     {"split.tensors.count", 5, n}},
            .n_tensors = 1,
            .tensors = {{tensor, 0, 1, {1}}},
        };
        plan_write(&plan, plan_set_path(set, name));
    }
}

static void test_unpadded_numbers(void **state)
{
    struct plan_set *set = *state;
    write_many(set, 12, 1);
    const char *const names[] = {"m-1-of-12.gguf", "m-10-of-12.gguf", "m-12-of-12.gguf"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct ggufs_model *model =
            open_good(set, names[i], (struct ggufs_options){.strict = true});
        assert_int_equal(ggufs_model_tensors(model), 12);
        assert_string_equal(model->shards[0].name, "m-1-of-12.gguf");
        assert_string_equal(model->shards[9].name, "m-10-of-12.gguf");
        ggufs_model_close(model);
    }
}

/* In the child: opens the set with so many descriptors, and expects that. */
static bool opens_with(const char *path, rlim_t soft, rlim_t hard, int expected)
{
    const struct rlimit limit = {soft, hard};
    struct ggufs_model *model = NULL;
    struct ggufs_error error = {0};
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return false;
    int rc = ggufs_model_open(path, NULL, &model, &error);
    size_t tensors = rc == 0 ? ggufs_model_tensors(model) : 0;
    ggufs_model_close(model);
    if (expected < 0)
        return rc == expected && error.code == GGUFS_SYSTEM &&
               strcmp(error.text,
                      "a set of 1148 files needs a higher limit of open files "
                      "(ulimit -n): Too many open files") == 0;
    return rc == 0 && tensors == 1148;
}

static void expect_in_child(const char *path, rlim_t soft, rlim_t hard, int expected)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(opens_with(path, soft, hard, expected) ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_1148_shards(void **state)
{
    struct plan_set *set = *state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    write_many(set, 1148, 4);
    const char *path = plan_set_path(set, "m-0700-of-1148.gguf");
    expect_in_child(path, 256, 256, -EMFILE);
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < 1300)
        return; /* not enough even for a child that may raise it */
    expect_in_child(path, 64, 1300, 0);
    expect_in_child(path, 256, limit.rlim_max, 0);
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
    struct ggufs_model *model = open_good(set, shard_names[2], (struct ggufs_options){0});
    expect_tensors(model, "abcde");
    ggufs_model_close(model);
}

/* ---- one shard alone, and files that are not split ---- */

static void test_single(void **state)
{
    struct plan_set *set = *state;
    plan_write(&set->plans[2], plan_set_path(set, shard_names[2]));
    const struct ggufs_options options = {.single = true, .strict = true};
    struct ggufs_model *model = open_good(set, shard_names[2], options);
    assert_string_equal(model->name, "m-00003-of-00003");
    assert_int_equal(ggufs_model_shards(model), 1);
    assert_int_equal(ggufs_model_keys(model), 3);
    expect_tensors(model, "de");
    ggufs_model_close(model);
    plan_write(&set->plans[2], plan_set_path(set, "odd.bin"));
    model = open_good(set, "odd.bin", options);
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
            open_good(set, rows[i].name, (struct ggufs_options){0});
        assert_string_equal(model->name, rows[i].model);
        assert_int_equal(ggufs_model_shards(model), 1);
        assert_int_equal(ggufs_model_warnings(model), rows[i].warnings);
        expect_tensors(model, "ab");
        ggufs_model_close(model);
        plan_set_free(set);
    }
}

static void text_count(struct plan_set *set)
{
    *plan_find_key(&set->plans[1], "split.count") =
        (struct plan_key){"split.count", 8, 0, "3"};
}

static void test_odd_keys_of_one_file(void **state)
{
    struct plan_set *set = *state;
    text_count(set);
    plan_write(&set->plans[1], plan_set_path(set, "m.gguf"));
    struct ggufs_model *model = open_good(set, "m.gguf", (struct ggufs_options){0});
    struct ggufs_warning warning;
    assert_int_equal(ggufs_model_warnings(model), 1);
    ggufs_model_warning(model, 0, &warning);
    assert_string_equal(
        warning.text,
        "the split.* keys are not whole numbers: shown as a model in one file");
    expect_tensors(model, "c");
    ggufs_model_close(model);
}

/* ---- missing shards ---- */

static void test_missing_is_refused(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    struct ggufs_model *model;
    struct ggufs_error error = {0};
    unlink(plan_set_path(set, shard_names[1]));
    assert_int_equal(
        ggufs_model_open(plan_set_path(set, shard_names[2]), NULL, &model, &error),
        -ENOENT);
    assert_int_equal(error.code, GGUFS_INCOMPLETE);
    assert_int_equal(error.errnum, ENOENT);
    assert_string_equal(error.text, "shard 2 of 3 is missing: 'm-00002-of-00003.gguf' "
                                    "(-o partial opens what is there)");
    unlink(plan_set_path(set, shard_names[0]));
    error = (struct ggufs_error){0};
    assert_int_equal(
        ggufs_model_open(plan_set_path(set, shard_names[2]), NULL, &model, &error),
        -ENOENT);
    assert_string_equal(error.text,
                        "shard 1 of 3 is missing: 'm-00001-of-00003.gguf' and 1 "
                        "more (-o partial opens what is there)");
    assert_int_equal(
        ggufs_model_open(plan_set_path(set, shard_names[2]), NULL, &model, NULL),
        -ENOENT);
}

static void test_partial(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    unlink(plan_set_path(set, shard_names[1]));
    assert_int_equal(symlink("gone", plan_set_path(set, shard_names[1])), 0);
    struct ggufs_model *model =
        open_good(set, shard_names[2], (struct ggufs_options){.partial = true});
    assert_int_equal(ggufs_model_shards(model), 3);
    assert_int_equal(ggufs_model_keys(model), 5);
    expect_tensors(model, "abde");
    expect_data(model, 3, &set->plans[2].tensors[1]);
    struct ggufs_shard shard;
    ggufs_model_shard(model, 1, &shard);
    assert_true(shard.missing);
    assert_string_equal(shard.name, shard_names[1]);
    assert_int_equal(shard.file_size, 0);
    assert_int_equal(model_check(model, 1), -EIO);
    assert_int_equal(ggufs_model_warnings(model), 1);
    struct ggufs_warning warning;
    ggufs_model_warning(model, 0, &warning);
    assert_string_equal(warning.text, "shard 2 of 3 is missing");
    assert_int_equal(warning.shard, 1);
    assert_true(warning.incomplete);
    assert_int_equal(warning.offset, GGUFS_NO_OFFSET);
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
        open_good(set, shard_names[2], (struct ggufs_options){.partial = true});
    assert_int_equal(model->stat.st_mode, S_IFREG | 0600);
    ggufs_model_close(model);
    unlink(plan_set_path(set, shard_names[1]));
    model = open_good(set, shard_names[2], (struct ggufs_options){.partial = true});
    assert_int_equal(model->stat.st_mode, S_IFREG | 0604);
    ggufs_model_close(model);
}

static void test_partial_without_the_first(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    unlink(plan_set_path(set, shard_names[0]));
    struct ggufs_model *model =
        open_good(set, shard_names[2], (struct ggufs_options){.partial = true});
    struct ggufs_key key;
    assert_int_equal(ggufs_model_keys(model), 3);
    ggufs_model_key(model, 0, &key);
    assert_int_equal(key.value.u, 1); /* split.no of the second shard */
    expect_tensors(model, "cde");
    ggufs_model_close(model);
}

static void test_partial_is_not_strict(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    unlink(plan_set_path(set, shard_names[1]));
    const struct ggufs_options options = {.partial = true, .strict = true};
    struct ggufs_model *model;
    struct ggufs_error error = {0};
    assert_int_equal(
        ggufs_model_open(plan_set_path(set, shard_names[0]), &options, &model, &error),
        -EBADMSG);
    assert_int_equal(error.code, GGUFS_INCOMPLETE);
    assert_string_equal(error.text, "shard 2 of 3 is missing");
    assert_string_equal(error.file, shard_names[1]);
}

/* ---- shards that do not fit each other ---- */

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

/* ---- shards that are no files ---- */

static void expect_trouble(const struct plan_set *set, enum ggufs_code code,
                           const char *text)
{
    struct ggufs_model *model;
    struct ggufs_error error = {0};
    const struct ggufs_options options = {.partial = true};
    int rc =
        ggufs_model_open(plan_set_path(set, shard_names[0]), &options, &model, &error);
    assert_true(rc < 0);
    assert_string_equal(error.text, text);
    assert_string_equal(error.file, shard_names[1]);
    assert_int_equal(error.code, code);
}

static void test_broken_files(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    const char *path = plan_set_path(set, shard_names[1]);
    assert_int_equal(truncate(path, 10), 0);
    expect_trouble(
        set, GGUFS_FORMAT,
        "the header is cut off: a count of tensors of 8 bytes does not fit in the "
        "2 bytes that are left of the file");
    assert_int_equal(truncate(path, 0), 0);
    expect_trouble(set, GGUFS_FORMAT, "the file is empty");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_trouble(set, GGUFS_FORMAT, "this is a FIFO; a model is a regular file");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_trouble(set, GGUFS_FORMAT, "this is a directory; a model is a regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink(shard_names[1], path), 0);
    expect_trouble(set, GGUFS_SYSTEM, "cannot open: Too many levels of symbolic links");
}

/* In the child, which stops being root first: 0 as it should be, 1 not so, 2 it stays
 * root. */
static int open_unreadable(const struct plan_set *set)
{
    struct ggufs_model *model;
    struct ggufs_error error = {0};
    const char *path = plan_set_path(set, shard_names[0]);
    if (geteuid() == 0 && (seteuid(65534) < 0 || eaccess(path, R_OK) < 0))
        return 2;
    int rc = ggufs_model_open(path, NULL, &model, &error);
    bool good = rc == -EACCES && error.code == GGUFS_SYSTEM &&
                strcmp(error.text, "cannot open: Permission denied") == 0 &&
                strcmp(error.file, shard_names[1]) == 0;
    return good ? 0 : 1;
}

static void test_unreadable_file(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    assert_int_equal(chmod(set->directory, 0755), 0);
    assert_int_equal(chmod(plan_set_path(set, shard_names[0]), 0644), 0);
    assert_int_equal(chmod(plan_set_path(set, shard_names[1]), 0), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(open_unreadable(set));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        print_message("# root cannot stop being root here\n");
    else
        assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- warnings of shards ---- */

static void test_warnings_name_their_shard(void **state)
{
    struct plan_set *set = *state;
    set->plans[1].tensors[0].type = 999;
    plan_set_write(set);
    struct ggufs_model *model = open_good(set, shard_names[0], (struct ggufs_options){0});
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

static void test_twins_in_one_shard_are_shown(void **state)
{
    struct plan_set *set = *state;
    set->plans[2].tensors[1].name = "d";
    plan_set_write(set);
    struct ggufs_model *model = open_good(set, shard_names[0], (struct ggufs_options){0});
    size_t found;
    assert_int_equal(ggufs_model_tensors(model), 5);
    assert_int_equal(ggufs_model_warnings(model), 1);
    assert_int_equal(ggufs_model_find_tensor(model, "d", 1, &found), 0);
    assert_int_equal(found, 3);
    assert_int_equal(ggufs_model_find_tensor(model, "e", 1, &found), -ENOENT);
    ggufs_model_close(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_any_shard_opens_the_set),
        TEST(test_facts_of_shards),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_widths),
        TEST(test_unpadded_numbers),
        TEST(test_1148_shards),
        TEST(test_links_to_files_without_names),
        TEST(test_single),
        cmocka_unit_test(test_not_split),
        TEST(test_odd_keys_of_one_file),
        TEST(test_missing_is_refused),
        TEST(test_partial),
        TEST(test_modes),
        TEST(test_partial_without_the_first),
        TEST(test_partial_is_not_strict),
        cmocka_unit_test(test_disagreement),
        TEST(test_the_named_file_goes_without_saying),
        TEST(test_name_without_suffix),
        TEST(test_broken_files),
        TEST(test_unreadable_file),
        TEST(test_warnings_name_their_shard),
        TEST(test_twins_in_one_shard_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
