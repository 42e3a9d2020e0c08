/* SPDX-License-Identifier: MIT */
/* Shards that are missing, that are no files or cannot be read, and what -o partial shows. */

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
#include <sys/wait.h>
#include <unistd.h>

#include "model/model.h"
#include "support/shards.h"

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
        shards_open(set, shard_names[2], (struct ggufs_options){.partial = true});
    assert_int_equal(ggufs_model_shards(model), 3);
    assert_int_equal(ggufs_model_keys(model), 5);
    shards_expect(model, "abde");
    shards_expect_data(model, 3, &set->plans[2].tensors[1]);
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

static void test_partial_without_the_first(void **state)
{
    struct plan_set *set = *state;
    plan_set_write(set);
    unlink(plan_set_path(set, shard_names[0]));
    struct ggufs_model *model =
        shards_open(set, shard_names[2], (struct ggufs_options){.partial = true});
    struct ggufs_key key;
    assert_int_equal(ggufs_model_keys(model), 3);
    ggufs_model_key(model, 0, &key);
    assert_int_equal(key.value.u, 1); /* split.no of the second shard */
    shards_expect(model, "cde");
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, shards_setup, shards_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_missing_is_refused),
        TEST(test_partial),
        TEST(test_partial_without_the_first),
        TEST(test_partial_is_not_strict),
        TEST(test_broken_files),
        TEST(test_unreadable_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
