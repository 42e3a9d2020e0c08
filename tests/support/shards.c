/* SPDX-License-Identifier: MIT */
/* Opening a set, and what it must hold. */

#include "support/shards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int shards_setup(void **state)
{
    *state = plan_set_new();
    return 0;
}

int shards_teardown(void **state)
{
    plan_set_free(*state);
    return 0;
}

const char *const shard_names[3] = {
    "m-00001-of-00003.gguf",
    "m-00002-of-00003.gguf",
    "m-00003-of-00003.gguf",
};

struct ggufs_model *shards_open(const struct plan_set *set, const char *name,
                                struct ggufs_options options)
{
    struct ggufs_model *model = NULL;
    struct ggufs_error error = {0};
    if (ggufs_model_open(plan_set_path(set, name), &options, &model, &error) < 0)
        fail_msg("%s: %s", name, error.text);
    return model;
}

void shards_expect(const struct ggufs_model *model, const char *names)
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

void shards_expect_data(const struct ggufs_model *model, size_t i,
                        const struct plan_tensor *tensor)
{
    uint8_t buffer[1024];
    uint64_t size = plan_data_size(tensor);
    assert_true(size <= sizeof(buffer));
    assert_int_equal(ggufs_tensor_read(model, i, 0, buffer, size), 0);
    for (uint64_t k = 0; k < size; k++)
        assert_int_equal(buffer[k], plan_data_byte(tensor, k));
}

void shards_big_endian(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].big_endian = true;
}

void shards_version_1(struct plan_set *set)
{
    for (size_t i = 0; i < 3; i++)
        set->plans[i].version = 1;
}

void shards_first_without_tensors(struct plan_set *set)
{
    set->plans[1].tensors[1] = set->plans[0].tensors[0];
    set->plans[1].tensors[2] = set->plans[0].tensors[1];
    set->plans[0].n_tensors = 0;
    set->plans[1].n_tensors = 3;
}
