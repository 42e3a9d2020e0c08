/* SPDX-License-Identifier: MIT */
/* Comparing, and what both sides are built of. */

#include "support/pair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "diff/diff.h"

int pair_setup(void **state)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    layout_new(&pair->layout);
    build_init(&pair->old, 3, false);
    build_init(&pair->new, 3, false);
    *state = pair;
    return 0;
}

int pair_teardown(void **state)
{
    struct pair *pair = *state;
    build_done(&pair->old);
    build_done(&pair->new);
    layout_free(&pair->layout);
    free(pair);
    return 0;
}

void pair_line(void *data, const char *line)
{
    struct pair *pair = data;
    size_t used = strlen(pair->text);
    assert_in_range(snprintf(pair->text + used, sizeof(pair->text) - used, "%s\n", line),
                    0, sizeof(pair->text) - used - 1);
}

static void note_progress(void *data, uint64_t done, uint64_t total)
{
    struct pair *pair = data;
    pair->other_thread |= !pthread_equal(pthread_self(), pair->caller);
    pair->backwards |= done < pair->done || done > total;
    pair->done = done;
    pair->total = total;
    pair->calls++;
}

struct ggufs_tree *pair_open(struct pair *pair, struct build *build, const char *name)
{
    struct ggufs_tree *tree;
    struct ggufs_error error = {0};
    const char *path = layout_path(&pair->layout, name);
    if (access(path, F_OK) < 0)
        assert_int_equal(build_write(build, path), 0);
    if (ggufs_tree_open(&path, 1, NULL, &tree, &error) < 0)
        fail_msg("%s", error.text);
    return tree;
}

int pair_compare_cut(struct pair *pair, bool brief, bool json, off_t truncate_new)
{
    struct ggufs_error error = {0};
    struct diff_options options = {.brief = brief,
                                   .json = json,
                                   .line = pair_line,
                                   .progress = note_progress,
                                   .data = pair};
    struct ggufs_tree *old = pair_open(pair, &pair->old, "old.gguf");
    struct ggufs_tree *new = pair_open(pair, &pair->new, "new.gguf");
    if (truncate_new)
        assert_int_equal(truncate(layout_path(&pair->layout, "new.gguf"), truncate_new),
                         0);
    pair->text[0] = '\0';
    pair->caller = pthread_self();
    pair->done = 0;
    int r = diff_models(old, new, &options, &error);
    ggufs_tree_close(old);
    ggufs_tree_close(new);
    return r;
}

int pair_compare(struct pair *pair, bool brief, bool json)
{
    return pair_compare_cut(pair, brief, json, 0);
}

void pair_floats(struct build *build, const char *name, uint64_t n, const float *values)
{
    build_add(build, &(struct build_tensor){.name = name,
                                            .name_length = BUILD_AUTO,
                                            .n_dims = 1,
                                            .dims = {n},
                                            .offset = BUILD_AUTO,
                                            .size = n * sizeof(float),
                                            .data = values});
}

void pair_bytes(struct build *build, const char *name, uint32_t type, uint64_t n,
                const void *data, uint64_t size)
{
    build_add(build, &(struct build_tensor){.name = name,
                                            .name_length = BUILD_AUTO,
                                            .type = type,
                                            .n_dims = 1,
                                            .dims = {n},
                                            .offset = BUILD_AUTO,
                                            .size = size,
                                            .data = data});
}

void pair_numbers(struct pair *pair)
{
    struct build *old = &pair->old, *new = &pair->new;
    pair_floats(old, "apart", 4, (float[]){1, 2, 3, 4});
    pair_floats(new, "apart", 4, (float[]){1, 2, 3, 2});
    pair_floats(old, "zero", 2, (float[]){0, 0});
    pair_floats(new, "zero", 2, (float[]){0, 1});
    pair_floats(old, "nan", 2, (float[]){NAN, 1});
    pair_floats(new, "nan", 2, (float[]){2, 1});
    pair_floats(old, "inf", 2, (float[]){INFINITY, 1});
    pair_floats(new, "inf", 2, (float[]){INFINITY, 2});
    /* The same numbers in another type. */
    pair_floats(old, "type", 2, (float[]){1, -2});
    pair_bytes(new, "type", 1, 2, "\x00\x3c\x00\xc0", 4);
}

void pair_tensors(struct pair *pair)
{
    struct build *old = &pair->old, *new = &pair->new;
    build_tensor(old, "same", 0, 2, (uint64_t[]){4, 2});
    build_tensor(new, "same", 0, 2, (uint64_t[]){4, 2});
    build_tensor(old, "gone", 8, 1, (uint64_t[]){32});
    build_tensor(old, "shape", 0, 2, (uint64_t[]){4, 2});
    build_tensor(new, "shape", 0, 2, (uint64_t[]){2, 4});
    pair_bytes(old, "unknown", 99, 4, "abcdabcdabcdabcdabcdabcdabcdabc", 32);
    pair_bytes(new, "unknown", 99, 4, "abcdabcdabcdabcdabcdabcdabcdabC", 32);
    static const char zeros[96];
    pair_bytes(old, "extent", 99, 4, zeros, 32);
    pair_bytes(new, "extent", 99, 4, zeros, 96);
    build_tensor(new, "come", 0, 0, NULL);
}
