/* SPDX-License-Identifier: MIT */
/* Sets of many shards: numbers of other widths, and more files than may be open. */

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
#include <sys/wait.h>
#include <unistd.h>

#include "model/model.h"
#include "support/shards.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

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
            shards_open(set, names[i], (struct ggufs_options){.strict = true});
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, shards_setup, shards_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_unpadded_numbers),
        TEST(test_1148_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
