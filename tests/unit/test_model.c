/* SPDX-License-Identifier: MIT */
/* One model in one file: what is asked of it, reads of its tensors, and what happens
 * when the file changes under it. Sets are in test_join. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "support/plan.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct plan plan = {
    .version = 3,
    .n_keys = 4,
    .keys = {{"general.architecture", 8, 0, "llama"},
             {"llama.block_count", 4, 7},
             {"", 2, 1},
             {"llama.block_count", 4, 8}},
    .n_tensors = 3,
    .tensors = {{"a", 0, 2, {5, 3}}, {"b", 8, 2, {64, 2}}, {"z", 0, 2, {4, 0}}},
};

struct logged {
    int lines;
    char line[256];
};

static void keep_line(void *data, const char *line)
{
    struct logged *logged = data;
    snprintf(logged->line, sizeof(logged->line), "%s", line);
    logged->lines++;
}

static int setup(void **state)
{
    struct plan_set *set = plan_set_new();
    plan_write(&plan, plan_set_path(set, "x.gguf"));
    *state = set;
    return 0;
}

static int teardown(void **state)
{
    plan_set_free(*state);
    return 0;
}

static struct ggufs_model *open_it(struct plan_set *set, struct logged *logged)
{
    const struct ggufs_options options = {.log = logged ? keep_line : NULL,
                                          .log_data = logged};
    struct ggufs_model *model = NULL;
    struct ggufs_error error = {0};
    if (ggufs_model_open(plan_set_path(set, "x.gguf"), &options, &model, &error) < 0)
        fail_msg("%s", error.text);
    return model;
}

static void test_facts(void **state)
{
    struct ggufs_model *model = open_it(*state, NULL);
    struct ggufs_shard shard;
    struct stat st;
    const char *path = plan_set_path(*state, "x.gguf");
    assert_int_equal(stat(path, &st), 0);
    assert_string_equal(model->name, "x");
    assert_int_equal(ggufs_model_shards(model), 1);
    ggufs_model_shard(model, 0, &shard);
    assert_string_equal(shard.name, "x.gguf");
    assert_false(shard.missing);
    assert_false(shard.big_endian);
    assert_int_equal(shard.version, 3);
    assert_int_equal(shard.file_size, st.st_size);
    assert_int_equal(shard.alignment, 32);
    assert_int_equal(shard.data_offset % 32, 0);
    assert_int_equal(shard.n_keys, 4);
    assert_int_equal(shard.n_tensors, 3);
    assert_int_equal(model_size(model), st.st_size);
    assert_int_equal(model->stat.st_ino, st.st_ino);
    ggufs_model_close(model);
}

static void test_keys(void **state)
{
    struct ggufs_model *model = open_it(*state, NULL);
    struct ggufs_key key;
    size_t i = 99;
    assert_int_equal(ggufs_model_keys(model), 4);
    ggufs_model_key(model, 0, &key);
    assert_memory_equal(key.name, "general.architecture", key.name_length);
    assert_int_equal(key.offset, 24);
    assert_int_equal(key.value.type, GGUFS_STR);
    assert_memory_equal(key.value.str.bytes, "llama", key.value.str.length);
    assert_int_equal(ggufs_model_find_key(model, "llama.block_count", 17, &i), 0);
    assert_int_equal(i, 1);
    ggufs_model_key(model, 3, &key);
    assert_int_equal(key.value.u, 8);
    assert_int_equal(ggufs_model_find_key(model, "", 0, &i), 0);
    assert_int_equal(i, 2);
    assert_int_equal(ggufs_model_find_key(model, "llama.block", 11, &i), -ENOENT);
    assert_int_equal(i, 2);
    ggufs_model_close(model);
}

static void test_tensors(void **state)
{
    struct ggufs_model *model = open_it(*state, NULL);
    struct ggufs_tensor tensor;
    size_t i, local = 99;
    assert_int_equal(ggufs_model_tensors(model), 3);
    assert_int_equal(ggufs_model_find_tensor(model, "b", 1, &i), 0);
    assert_int_equal(i, 1);
    assert_int_equal(ggufs_model_find_tensor(model, "c", 1, &i), -ENOENT);
    ggufs_model_tensor(model, 1, &tensor);
    assert_memory_equal(tensor.name, "b", tensor.name_length);
    assert_int_equal(tensor.type_id, 8);
    assert_string_equal(tensor.type->name, "Q8_0");
    assert_int_equal(tensor.n_dims, 2);
    assert_int_equal(tensor.dims[0], 64);
    assert_int_equal(tensor.dims[1], 2);
    assert_int_equal(tensor.dims[2], 1);
    assert_int_equal(tensor.n_elements, 128);
    assert_int_equal(tensor.size, 136);
    assert_int_equal(tensor.offset, model->shards[0].head.data_offset + 64);
    assert_false(tensor.extent);
    assert_int_equal(tensor.shard, 0);
    assert_ptr_equal(model_shard_of(model, 1, &local), &model->shards[0]);
    assert_int_equal(local, 1);
    assert_int_equal(model_tensor_record(model, 1)->size, 136);
    assert_int_equal(model_tensor_name(model, 2).bytes[0], 'z');
    ggufs_model_close(model);
}

static void test_warnings(void **state)
{
    struct ggufs_model *model = open_it(*state, NULL);
    struct ggufs_warning warning;
    size_t n = ggufs_model_warnings(model);
    assert_int_equal(n, 2); /* the empty name, the name that is there twice */
    for (size_t i = 0; i < n; i++) {
        ggufs_model_warning(model, i, &warning);
        assert_int_equal(warning.shard, 0);
        assert_false(warning.incomplete);
        assert_true(strlen(warning.text) > 0);
    }
    const struct ggufs_options options = {.strict = true};
    struct ggufs_error error = {0};
    struct ggufs_model *none;
    ggufs_model_warning(model, 0, &warning);
    assert_int_equal(
        ggufs_model_open(plan_set_path(*state, "x.gguf"), &options, &none, &error),
        -EBADMSG);
    assert_int_equal(error.code, GGUFS_FORMAT);
    assert_string_equal(error.text, warning.text);
    assert_int_equal(error.offset, warning.offset);
    assert_string_equal(error.file, "");
    ggufs_model_close(model);
}

static void test_reads(void **state)
{
    struct ggufs_model *model = open_it(*state, NULL);
    const struct {
        size_t tensor;
        uint64_t offset;
        size_t size;
        int rc;
    } rows[] = {
        {0, 0, 60, 0},
        {0, 59, 1, 0},
        {0, 60, 0, 0},
        {0, 60, 1, -EINVAL},
        {0, 59, 2, -EINVAL},
        {0, 61, 0, -EINVAL},
        {0, UINT64_MAX, 2, -EINVAL},
        {0, 1, SIZE_MAX, -EINVAL},
        {1, 7, 129, 0},
        {2, 0, 0, 0},
        {2, 0, 1, -EINVAL},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint8_t bytes[256];
        const struct plan_tensor *tensor = &plan.tensors[rows[i].tensor];
        assert_int_equal(
            ggufs_tensor_read(model, rows[i].tensor, rows[i].offset, bytes, rows[i].size),
            rows[i].rc);
        for (size_t k = 0; rows[i].rc == 0 && k < rows[i].size; k++)
            assert_int_equal(bytes[k], plan_data_byte(tensor, rows[i].offset + k));
    }
    ggufs_model_close(model);
}

static void test_data_cut_off(void **state)
{
    struct ggufs_model *model = open_it(*state, NULL);
    uint64_t offset = model_tensor_record(model, 1)->offset;
    ggufs_model_close(model);
    assert_int_equal(truncate(plan_set_path(*state, "x.gguf"), (off_t)offset + 100), 0);
    struct logged logged = {0};
    uint8_t bytes[256];
    model = open_it(*state, &logged);
    assert_int_equal(ggufs_model_warnings(model), 3);
    assert_int_equal(ggufs_tensor_read(model, 0, 0, bytes, 60), 0);
    assert_int_equal(ggufs_tensor_read(model, 1, 0, bytes, 100), 0);
    assert_int_equal(ggufs_tensor_read(model, 1, 0, bytes, 101), -EIO);
    assert_int_equal(ggufs_tensor_read(model, 1, 136, bytes, 0), -EIO);
    assert_int_equal(model_check(model, 0), 0);
    assert_int_equal(logged.lines, 0); /* a warning told it */
    ggufs_model_close(model);
}

static void test_truncated_while_open(void **state)
{
    struct logged logged = {0};
    uint8_t bytes[256];
    struct ggufs_model *model = open_it(*state, &logged);
    uint64_t offset = model_tensor_record(model, 1)->offset;
    assert_int_equal(truncate(plan_set_path(*state, "x.gguf"), (off_t)offset), 0);
    assert_int_equal(ggufs_tensor_read(model, 1, 0, bytes, 1), -EIO);
    assert_int_equal(ggufs_tensor_read(model, 1, 0, bytes, 136), -EIO);
    assert_int_equal(logged.lines, 1);
    ggufs_model_close(model);
}

static void test_rewritten_while_open(void **state)
{
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};
    const char *path = plan_set_path(*state, "x.gguf");
    struct logged logged = {0};
    uint8_t bytes[256];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    struct ggufs_model *model = open_it(*state, &logged);
    assert_int_equal(model_check(model, 0), 0);
    plan_write(&plan, path);
    assert_int_equal(model_check(model, 0), -ESTALE);
    assert_int_equal(ggufs_tensor_read(model, 0, 0, bytes, 1), -ESTALE);
    assert_int_equal(logged.lines, 1);
    assert_string_equal(
        logged.line, "x.gguf: was changed since it was opened: it is not read any more");
    ggufs_model_close(model);
}

static void test_nobody_asks(void **state)
{
    struct ggufs_model *model = NULL;
    assert_int_equal(ggufs_model_open(plan_set_path(*state, "gone"), NULL, &model, NULL),
                     -ENOENT);
    assert_null(model);
    assert_int_equal(
        ggufs_model_open(plan_set_path(*state, "x.gguf"), NULL, &model, NULL), 0);
    ggufs_model_close(model);
    ggufs_model_close(NULL);
}

static void test_empty_model(void **state)
{
    const struct plan empty = {.version = 3};
    plan_write(&empty, plan_set_path(*state, "x.gguf"));
    struct ggufs_model *model = open_it(*state, NULL);
    size_t i;
    assert_int_equal(ggufs_model_keys(model), 0);
    assert_int_equal(ggufs_model_tensors(model), 0);
    assert_int_equal(ggufs_model_warnings(model), 0);
    assert_int_equal(ggufs_model_find_tensor(model, "a", 1, &i), -ENOENT);
    assert_int_equal(ggufs_model_find_key(model, "a", 1, &i), -ENOENT);
    ggufs_model_close(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_facts),
        TEST(test_keys),
        TEST(test_tensors),
        TEST(test_warnings),
        TEST(test_reads),
        TEST(test_data_cut_off),
        TEST(test_truncated_while_open),
        TEST(test_rewritten_while_open),
        TEST(test_nobody_asks),
        TEST(test_empty_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
