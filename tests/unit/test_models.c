/* SPDX-License-Identifier: MIT */
/* src/forest/models.c: the models of a tree over many, as a caller of the library sees them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "support/grove.h"

static int setup(void **state)
{
    struct grove *grove = calloc(1, sizeof(*grove));
    grove_new(grove);
    grove_model(grove, "m/a.gguf", "llama", 4);
    *state = grove;
    return 0;
}

static int teardown(void **state)
{
    grove_free(*state);
    free(*state);
    return 0;
}

/* ---- visitors ---- */

/* "NAME STATE CODE PATH ARCHITECTURE/TYPES/PARAMETERS TROUBLE", a line a model. */
static int note(void *data, const struct ggufs_summary *model)
{
    static const char *const states[] = {"shown", "skipped", "unreadable"};
    fprintf(data, "%s %s %d %s %s/%s/%ju %s\n", model->name, states[model->state],
            (int)model->code, model->path, model->architecture, model->types,
            (uintmax_t)model->parameters, model->trouble ? model->trouble : "-");
    return 0;
}

static void expect_models(struct grove *grove, const char *expected)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ggufs_tree_models(grove->tree, note, out), 0);
    fclose(out);
    grove_strip(grove, text);
    assert_string_equal(text, expected);
    free(text);
}

struct visits {
    unsigned count;
    unsigned stop_at;
    struct grove *grove;
    const char *first; /* the first model's path */
};

static int count(void *data, const struct ggufs_summary *model)
{
    struct visits *visits = data;
    if (visits->count++ == 0)
        visits->first = model->path;
    return visits->count == visits->stop_at ? 42 : 0;
}

/* ---- tests ---- */

static void test_states(void **state)
{
    struct grove *grove = *state;
    layout_file(&grove->layout, "m/b.gguf", "GG");
    layout_link(&grove->layout, "m/c\t.gguf", "nowhere");
    grove_open(grove, "m");
    expect_models(
        grove, "a shown 0 m/a.gguf llama/F32/4 -\n"
               "b skipped 3 m/b.gguf //0 m/b.gguf: the header is cut off: a magic of 4 "
               "bytes does "
               "not fit in the 2 bytes that are left of the file (at byte 0)\n"
               "c%09.gguf skipped 1 m/c\t.gguf //0 m/c\\x09.gguf: a link to nothing\n");
}

/* A folder that cannot be searched is no model, and is not taken for one that could be opened. */
static void test_folder(void **state)
{
    struct grove *grove = *state;
    layout_link(&grove->layout, "m/up", "../m");
    grove_open(grove, "m");
    expect_models(grove, "a shown 0 m/a.gguf llama/F32/4 -\n"
                         "up skipped 1 m/up //0 m/up: not searched: a cycle of links, it "
                         "lies in itself\n");
}

/* What goes wrong for the moment is found out again the next time. */
static void test_unreadable(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m");
    struct plot *plot = find_plot(grove->tree, "a");
    char *right = plot->path;
    plot->path = strdup("/proc/self/mem/a.gguf"); /* ENOTDIR */
    expect_models(grove,
                  "a unreadable 1 /proc/self/mem/a.gguf //0 unreadable at the moment\n");
    free(plot->path);
    plot->path = right;
    expect_models(grove, "a shown 0 m/a.gguf llama/F32/4 -\n");
}

/* Files that come and go are noticed. */
static void test_again(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m");
    expect_models(grove, "a shown 0 m/a.gguf llama/F32/4 -\n");
    assert_int_equal(unlink(layout_path(&grove->layout, "m/a.gguf")), 0);
    grove_model(grove, "m/b.gguf", "gpt2", 2);
    grove_wait(grove);
    expect_models(grove, "b shown 0 m/b.gguf gpt2/F32/2 -\n");
}

/* The visitor's answer ends the walk; strings outlive the model that they speak of. */
static void test_stop(void **state)
{
    struct grove *grove = *state;
    struct visits visits = {.stop_at = 2};
    grove_model(grove, "m/b.gguf", "gpt2", 2);
    grove_model(grove, "m/c.gguf", "gpt2", 2);
    grove_open(grove, "m");
    assert_int_equal(ggufs_tree_models(grove->tree, count, &visits), 42);
    assert_int_equal(visits.count, 2);
    assert_int_equal(unlink(layout_path(&grove->layout, "m/a.gguf")), 0);
    grove_wait(grove);
    expect_models(grove, "b shown 0 m/b.gguf gpt2/F32/2 -\n"
                         "c shown 0 m/c.gguf gpt2/F32/2 -\n");
    assert_string_equal(visits.first, layout_path(&grove->layout, "m/a.gguf"));
}

/* While it is visited the tree can be used: no lock is held. */
static int use(void *data, const struct ggufs_summary *model)
{
    struct visits *visits = data;
    char path[100];
    snprintf(path, sizeof(path), "%s/metadata/general.architecture", model->name);
    char *text = grove_read(visits->grove, path);
    assert_memory_equal(text, model->architecture, strlen(model->architecture));
    free(text);
    free(grove_read(visits->grove, "models.tsv"));
    return count(visits, model);
}

static void test_use(void **state)
{
    struct grove *grove = *state;
    struct visits visits = {.grove = grove};
    grove_model(grove, "m/b.gguf", "gpt2", 2);
    grove_open(grove, "m");
    assert_int_equal(ggufs_tree_models(grove->tree, use, &visits), 0);
    assert_int_equal(visits.count, 2);
}

static void test_single(void **state)
{
    struct grove *grove = *state;
    grove_open(grove, "m/a.gguf");
    expect_models(grove, "");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_states), TEST(test_folder), TEST(test_unreadable), TEST(test_again),
        TEST(test_stop),   TEST(test_use),    TEST(test_single),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
