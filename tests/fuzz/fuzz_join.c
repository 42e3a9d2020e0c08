/* SPDX-License-Identifier: MIT */
/* Sets of shards of any bytes: opened as one model, merged into model.gguf, and that opened
 * again: the same keys but for those that make it a shard, the same tensors, the same data.
 *
 * Input: the shards one behind the other; each begins with the magic. The last byte also says
 * how they are opened, and whether one of them is missing. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "reading.h"
#include "seeds.h"
#include "shards.h"

/* Of those that are opened with partial, and some others. */
static size_t missing_of(uint8_t choice)
{
    return (choice & 7) == 3 || (choice & 7) == 5 ? (1 + choice / 8) % 4 : SHARDS_MAX;
}

/* ---- comparing ---- */

static bool key_is(const struct ggufs_key *key, const char *name)
{
    return key->name_length == strlen(name) &&
           memcmp(key->name, name, key->name_length) == 0;
}

static bool is_dropped(const struct ggufs_key *key)
{
    return key_is(key, "split.count") || key_is(key, "general.split_count");
}

static void check_keys(const struct ggufs_model *set, const struct ggufs_model *merged)
{
    size_t k = 0;
    for (size_t i = 0; i < ggufs_model_keys(set); i++) {
        struct ggufs_key a, b;
        ggufs_model_key(set, i, &a);
        if (is_dropped(&a))
            continue;
        ggufs_model_key(merged, k++, &b);
        expect(a.name_length == b.name_length);
        expect(memcmp(a.name, b.name, a.name_length) == 0);
        expect(a.value.type == b.value.type);
        if (a.value.type == GGUFS_ARR)
            expect(a.value.arr.count == b.value.arr.count &&
                   a.value.arr.size == b.value.arr.size &&
                   memcmp(a.value.arr.bytes, b.value.arr.bytes, a.value.arr.size) == 0);
    }
    expect(ggufs_model_keys(merged) == k + 1);
}

static void check_data(const struct ggufs_model *set, const struct ggufs_model *merged,
                       size_t i, size_t size)
{
    char *a = exact_alloc(size), *b = exact_alloc(size);
    if (ggufs_tensor_read(set, i, 0, a, size) == 0) {
        expect(ggufs_tensor_read(merged, i, 0, b, size) == 0);
        expect(memcmp(a, b, size) == 0);
    }
    free(a);
    free(b);
}

/* An extent reaches to the next tensor, which the merged file may place otherwise. */
static void check_tensor(const struct ggufs_model *set, const struct ggufs_model *merged,
                         size_t i)
{
    struct ggufs_tensor a, b;
    ggufs_model_tensor(set, i, &a);
    ggufs_model_tensor(merged, i, &b);
    expect(a.name_length == b.name_length && memcmp(a.name, b.name, a.name_length) == 0);
    expect(a.type_id == b.type_id && a.n_elements == b.n_elements);
    expect(memcmp(a.dims, b.dims, sizeof(a.dims)) == 0);
    expect(a.extent == b.extent);
    expect(a.extent ? b.size >= a.size : b.size == a.size);
    check_data(set, merged, i, (size_t)a.size);
}

static void check_same(const struct ggufs_model *set, const struct ggufs_model *merged)
{
    expect(ggufs_model_shards(merged) == 1);
    expect(ggufs_model_tensors(merged) == ggufs_model_tensors(set));
    check_keys(set, merged);
    for (size_t i = 0; i < ggufs_model_tensors(set); i++)
        check_tensor(set, merged, i);
}

static void check_merged(struct ggufs_tree *tree)
{
    char *text, path[64];
    struct ggufs_model *merged;
    const struct ggufs_model *set = ggufs_tree_model(tree);
    struct ggufs_error error = {0};
    ssize_t size = reading_whole(tree, "model.gguf", &text);
    if (size < 0)
        return;
    int fd = memory_file(text, (size_t)size, path);
    expect(ggufs_model_open(path, NULL, &merged, &error) == 0);
    check_same(set, merged);
    ggufs_model_close(merged);
    close(fd);
    free(text);
}

static void check_set(const struct shards *shards, const struct ggufs_options *options,
                      size_t named)
{
    char path[SHARD_ROOM];
    struct ggufs_tree *tree;
    struct ggufs_error error = {0};
    shards_path(shards, named, path);
    int rc = ggufs_tree_open((const char *const[]){path}, 1, options, &tree, &error);
    if (rc < 0) {
        expect_error(rc, &error);
        return;
    }
    reading_check(tree, GGUFS_ROOT);
    if (ggufs_model_shards(ggufs_tree_model(tree)) > 1)
        check_merged(tree);
    ggufs_tree_close(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct shards shards;
    if (size == 0)
        return 0;
    struct ggufs_options options = options_of(bytes[size - 1]);
    shards_write(&shards, bytes, size, missing_of(bytes[size - 1]));
    check_set(&shards, &options, bytes[size - 1] / 64 % shards.n);
    shards_remove(&shards);
    return 0;
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    seeds_sets(visit, data);
}
