/* SPDX-License-Identifier: MIT */
/* Every allocation and every system call of the library fails once in turn, while each scene is
 * opened, listed, read whole and closed again. Each answer is then the right one or a clean
 * error; when no call fails any more, all answers are right again; and nothing is left behind:
 * no descriptor, no map, no memory. Only some of the calls fail unless GGUFS_FAULTS is "all". */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "diff/diff.h"
#include "forest/forest.h"
#include "inject.h"
#include "record.h"
#include "scenes.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_do_recoverable_leak_check() 0
#endif

/* How many of a scene's calls of one kind fail in a test, unless all do. */
#define SOME 12

static const struct inject_fault faults[] = {
    {"an allocation", INJECT_ALLOC, ENOMEM},
    {"allocations from one on", INJECT_ALLOC, ENOMEM, .lasting = true},
    {"open: too many files", INJECT_OPEN, EMFILE},
    {"open: not allowed", INJECT_OPEN, EACCES},
    {"read: disk error", INJECT_READ, EIO},
    {"read: disk errors from one on", INJECT_READ, EIO, .lasting = true},
    {"read: interrupted", INJECT_READ, EINTR},
    {"read: short", INJECT_READ, 0, .shorter = true},
    {"stat: disk error", INJECT_STAT, EIO},
    {"mmap: no memory", INJECT_MAP, ENOMEM},
    {"mmap: none at all", INJECT_MAP, ENODEV, .lasting = true},
    {"readdir: disk error", INJECT_LIST, EIO},
    {"realpath, getcwd: no memory", INJECT_PATH, ENOMEM},
    {"getrandom: none", INJECT_RANDOM, EAGAIN},
    {"pthread_create: none", INJECT_THREAD, EAGAIN, .lasting = true},
};

#define FAULTS (sizeof(faults) / sizeof(faults[0]))

/* A scene, laid out, with what it answers when nothing fails. */
struct stage {
    const struct scene *scene;
    struct layout layout;
    const char *models[3];
    size_t n_models;
    struct record *record; /* of a tree */
    char *lines;           /* of a comparison */
    int verdict;
};

/* One test: a fault, tried in a scene. */
struct trial {
    struct stage *stage;
    const struct inject_fault *fault;
};

/* ---- opening ---- */

/* What is looked for and cannot be read on the way is not found, or no model: the text says
 * more. */
static void check_error(const struct stage *stage, const struct inject_fault *fault,
                        int r, const struct ggufs_error *error, struct outcome *outcome)
{
    bool missed =
        stage->scene->searches && inject_fired() && (r == -ENOENT || r == -EBADMSG);
    outcome->errors++;
    if (!missed && !outcome_allows(fault, r))
        outcome_wrong(outcome, "opening: %d (%s)", r, error->text);
    if (error->text[0] == '\0' || error->code == GGUFS_OK)
        outcome_wrong(outcome, "opening: %d without a text", r);
    else if (error->errnum != -r)
        outcome_wrong(outcome, "opening: %d, and the error says %d (%s)", r,
                      error->errnum, error->text);
}

static void expect_line(void *data, const char *line)
{
    unsigned *lines = data;
    if (line[0] == '\0' || strchr(line, '\n') != NULL)
        abort();
    ++*lines;
}

/* NULL where it could not be opened. */
static struct ggufs_tree *open_tree(const struct stage *stage, size_t first, size_t n,
                                    const struct inject_fault *fault,
                                    struct outcome *outcome)
{
    struct ggufs_options options = stage->scene->options;
    struct ggufs_error error = {0};
    struct ggufs_tree *tree = NULL;
    static unsigned lines;
    lines = 0;
    options.log = expect_line;
    options.log_data = &lines;
    int r = ggufs_tree_open(stage->models + first, n, &options, &tree, &error);
    if (r == 0 && (stage->record == NULL || record_fits(stage->record, tree)))
        return tree;
    if (r == 0) {
        /* What could not be read on the way stands in its place, and is told. */
        outcome->errors++;
        if (!stage->scene->searches || !inject_fired() || lines == 0)
            outcome_wrong(outcome, "opening: another tree");
        ggufs_tree_close(tree);
        return NULL;
    }
    if (tree != NULL)
        outcome_wrong(outcome, "opening: %d, and a tree", r);
    check_error(stage, fault, r, &error, outcome);
    return NULL;
}

/* ---- one run over a tree ---- */

static int ignore_entry(void *data, const struct ggufs_entry *entry)
{
    (void)data;
    (void)entry;
    return 0;
}

/* Lists the tree as if the last time had been long ago. */
static void look_again(struct ggufs_tree *tree)
{
    tree->found_at = (struct timespec){0};
    ggufs_tree_list(tree, GGUFS_ROOT, 0, ignore_entry, NULL);
}

static unsigned long run_tree(const struct stage *stage, const struct inject_fault *fault,
                              unsigned long nth, unsigned long limit,
                              struct outcome *outcome)
{
    inject_arm(fault, nth, limit);
    struct ggufs_tree *tree = open_tree(stage, 0, stage->n_models, fault, outcome);
    if (tree != NULL)
        record_compare(stage->record, tree, fault, outcome);
    unsigned long calls = inject_disarm();
    if (tree != NULL) {
        look_again(tree);
        record_compare(stage->record, tree, NULL, outcome);
    }
    ggufs_tree_close(tree);
    return calls;
}

/* ---- one run over a comparison ---- */

#define LINES_ROOM 65536

static void keep_line(void *data, const char *line)
{
    char *lines = data;
    size_t length = strlen(lines);
    snprintf(lines + length, LINES_ROOM - length, "%s\n", line);
}

static int compare_pair(struct ggufs_tree *const trees[2], bool json, char *lines,
                        struct ggufs_error *error)
{
    const struct diff_options options = {.json = json, .line = keep_line, .data = lines};
    return diff_models(trees[0], trees[1], &options, error);
}

/* For people, then for programs. The verdict is the second's, or an error. */
static int compare_twice(struct ggufs_tree *const trees[2], char *lines,
                         struct ggufs_error *error)
{
    lines[0] = '\0';
    int r = compare_pair(trees, false, lines, error);
    return r < 0 || r == 2 ? r : compare_pair(trees, true, lines, error);
}

/* The first line that is not the same. */
static const char *first_difference(const char *lines, const char *others)
{
    const char *start = lines;
    for (; *lines != '\0' && *lines == *others; lines++, others++)
        if (*lines == '\n')
            start = lines + 1;
    return start;
}

/* 2 is what a comparison answers that could not read a tensor, and has named it. */
static void check_verdict(const struct stage *stage, const struct inject_fault *fault,
                          int r, const char *lines, const struct ggufs_error *error,
                          struct outcome *outcome)
{
    if (r < 0) {
        check_error(stage, fault, r, error, outcome);
    } else if (r == 2 && outcome_allows(fault, fault ? -fault->errnum : 0)) {
        outcome->errors++;
    } else if (r == stage->verdict && fault && strstr(lines, "(cannot be read: ")) {
        outcome->errors++;
    } else if (r != stage->verdict || strcmp(lines, stage->lines) != 0) {
        const char *line = first_difference(lines, stage->lines);
        outcome_wrong(outcome, "compared: %d, not %d: %.*s", r, stage->verdict,
                      (int)strcspn(line, "\n"), line);
    }
}

static unsigned long run_diff(const struct stage *stage, const struct inject_fault *fault,
                              unsigned long nth, unsigned long limit,
                              struct outcome *outcome)
{
    static char lines[LINES_ROOM];
    struct ggufs_error error = {0};
    struct ggufs_tree *trees[2];
    for (size_t i = 0; i < 2; i++)
        trees[i] = open_tree(stage, i, 1, NULL, outcome);
    assert_non_null(trees[0]);
    assert_non_null(trees[1]);
    inject_arm(fault, nth, limit);
    int r = compare_twice(trees, lines, &error);
    unsigned long calls = inject_disarm();
    check_verdict(stage, fault, r, lines, &error, outcome);
    r = compare_twice(trees, lines, &error);
    check_verdict(stage, NULL, r, lines, &error, outcome);
    ggufs_tree_close(trees[0]);
    ggufs_tree_close(trees[1]);
    return calls;
}

/* ---- one test: a fault, call by call ---- */

/* The lowest descriptor that is free. */
static int free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

static unsigned long run(const struct stage *stage, const struct inject_fault *fault,
                         unsigned long nth, unsigned long limit, struct outcome *outcome)
{
    int descriptor = free_descriptor();
    long maps = inject_maps();
    unsigned long calls =
        (stage->scene->diff ? run_diff : run_tree)(stage, fault, nth, limit, outcome);
    if (free_descriptor() != descriptor)
        outcome_wrong(outcome, "a descriptor was left open");
    if (inject_maps() != maps)
        outcome_wrong(outcome, "%ld maps were left", inject_maps() - maps);
    return calls;
}

static bool run_all(void)
{
    const char *wish = getenv("GGUFS_FAULTS");
    return wish != NULL && strcmp(wish, "all") == 0;
}

/* Says what went wrong with call nth, the first ten times. */
static void tell(unsigned long nth, const struct outcome *outcome, unsigned *told)
{
    if (outcome->wrong > 0 && ++*told <= 10)
        printf("# call %lu: %s (%lu wrong)\n", nth, outcome->first, outcome->wrong);
}

static void test_fault(void **state)
{
    const struct trial *trial = *state;
    struct outcome outcome = {0};
    unsigned long calls = run(trial->stage, trial->fault, 0, 0, &outcome);
    unsigned long stride = run_all() ? 1 : calls / SOME + 1;
    unsigned long errors = 0, injected = 0;
    unsigned told = 0;
    tell(0, &outcome, &told);
    for (unsigned long nth = 1; nth <= calls; nth += stride) {
        outcome = (struct outcome){0};
        run(trial->stage, trial->fault, nth, 20 * calls + 100, &outcome);
        injected += inject_fired();
        errors += outcome.errors > 0;
        tell(nth, &outcome, &told);
    }
    printf("# %lu calls, %lu made to fail, %lu runs with an error\n", calls, injected,
           errors);
    if (__lsan_do_recoverable_leak_check())
        fail_msg("memory was left");
    if (told > 0)
        fail_msg("%u runs went wrong", told);
}

/* ---- all of them ---- */

static void stage_init(struct stage *stage, const struct scene *scene)
{
    struct outcome outcome = {0};
    struct ggufs_error error = {0};
    *stage = (struct stage){.scene = scene};
    scene_init(scene, &stage->layout);
    while (scene_model(scene, &stage->layout, stage->n_models) != NULL) {
        stage->models[stage->n_models] =
            strdup(scene_model(scene, &stage->layout, stage->n_models));
        stage->n_models++;
    }
    struct ggufs_tree *trees[2] = {0};
    for (size_t i = 0; i < (scene->diff ? 2 : 1); i++) {
        trees[i] = open_tree(stage, i, scene->diff ? 1 : stage->n_models, NULL, &outcome);
        if (trees[i] == NULL)
            fail_msg("%s: %s", scene->name, outcome.first);
    }
    if (scene->diff) {
        stage->lines = malloc(LINES_ROOM);
        stage->verdict = compare_twice(trees, stage->lines, &error);
    } else {
        stage->record = record_new(trees[0]);
    }
    ggufs_tree_close(trees[0]);
    ggufs_tree_close(trees[1]);
}

static void stage_done(struct stage *stage)
{
    if (stage->record)
        record_free(stage->record);
    free(stage->lines);
    for (size_t i = 0; i < stage->n_models; i++)
        free((void *)(uintptr_t)stage->models[i]);
    layout_free(&stage->layout);
}

static int run_scene(const struct scene *scene)
{
    struct stage stage;
    struct trial trials[FAULTS];
    struct CMUnitTest tests[FAULTS];
    char names[FAULTS][100];
    stage_init(&stage, scene);
    for (size_t i = 0; i < FAULTS; i++) {
        trials[i] = (struct trial){&stage, &faults[i]};
        snprintf(names[i], sizeof(names[i]), "%s: %s", scene->name, faults[i].name);
        tests[i] = (struct CMUnitTest){names[i], test_fault, NULL, NULL, &trials[i]};
    }
    int failed = cmocka_run_group_tests_name(scene->name, tests, NULL, NULL);
    stage_done(&stage);
    return failed;
}

/* A scene's name: that one alone. (One program runs one: TAP has one plan.) */
int main(int argc, char **argv)
{
    inject_init();
    for (size_t i = 0; argc == 2 && scene_at(i) != NULL; i++) {
        if (strcmp(scene_at(i)->name, argv[1]) == 0)
            return run_scene(scene_at(i));
    }
    fprintf(stderr, "usage: test_faults SCENE, where SCENE is one of\n");
    for (size_t i = 0; scene_at(i) != NULL; i++)
        fprintf(stderr, "  %s\n", scene_at(i)->name);
    return 2;
}
