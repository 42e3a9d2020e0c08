/* SPDX-License-Identifier: MIT */
/* Comparing tensors: first all pairs by what their infos say, then the data of those pairs,
 * on all cores, each thread a pair at a time. Results stay with their pair, so that the order
 * of a report does not depend on who was faster. */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "diff/changes.h"

#define THREADS_MAX 64

struct task {
    char *name;
    size_t old, new;
    bool differs, bytes_differ;
    int trouble;
    struct numbers numbers;
};

struct work {
    const struct side *old, *new;
    const struct diff_options *options;
    struct task *tasks;
    size_t count, room;
    uint64_t total; /* bytes to compare */
    pthread_t caller;
    atomic_size_t next;
    atomic_uint_fast64_t done;
};

static int add_task(void *data, const char *name, size_t old, size_t new)
{
    struct work *work = data;
    if (work->count == work->room) {
        size_t room = work->room ? 2 * work->room : 256;
        struct task *tasks = realloc(work->tasks, room * sizeof(*tasks));
        if (tasks == NULL)
            return -ENOMEM;
        work->tasks = tasks;
        work->room = room;
    }
    struct ggufs_tensor tensor;
    ggufs_model_tensor(work->old->model, old, &tensor);
    work->total += tensor.size;
    char *copy = strdup(name);
    if (copy == NULL)
        return -ENOMEM;
    work->tasks[work->count++] = (struct task){.name = copy, .old = old, .new = new};
    return 0;
}

/* -- one pair -- */

static void count_bytes(void *data, uint64_t bytes)
{
    struct work *work = data;
    uint64_t done = atomic_fetch_add(&work->done, bytes) + bytes;
    if (work->options->progress && pthread_equal(pthread_self(), work->caller))
        work->options->progress(work->options->data, done, work->total);
}

static bool same_shape(const struct ggufs_tensor *a, const struct ggufs_tensor *b)
{
    return a->n_dims == b->n_dims && memcmp(a->dims, b->dims, sizeof(a->dims)) == 0;
}

static void compare_numbers(const struct work *work, struct task *task)
{
    int r = tensors_numbers(work->old, task->old, work->new, task->new, &task->numbers);
    if (r < 0 && r != -ENOTSUP)
        task->trouble = r;
}

static void compare_pair(struct work *work, struct task *task)
{
    struct ggufs_tensor a, b;
    ggufs_model_tensor(work->old->model, task->old, &a);
    ggufs_model_tensor(work->new->model, task->new, &b);
    bool shapes = same_shape(&a, &b);
    task->differs = a.type_id != b.type_id || !shapes;
    if (!task->differs) {
        /* Sizes may differ where they do not follow from the type. */
        int r = a.size != b.size ? 0
                                 : tensors_equal(work->old, task->old, work->new,
                                                 task->new, count_bytes, work);
        task->trouble = r < 0 ? r : 0;
        task->bytes_differ = task->differs = r == 0;
    }
    if (task->differs && shapes && !work->options->brief)
        compare_numbers(work, task);
}

static void *take_pairs(void *data)
{
    struct work *work = data;
    for (;;) {
        size_t i = atomic_fetch_add(&work->next, 1);
        if (i >= work->count)
            return NULL;
        compare_pair(work, &work->tasks[i]);
    }
}

static void compare_pairs(struct work *work)
{
    cpu_set_t set;
    size_t cores =
        sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (size_t)CPU_COUNT(&set);
    pthread_t threads[THREADS_MAX];
    size_t n = 0;
    while (n + 1 < cores && n < THREADS_MAX && n + 1 < work->count &&
           pthread_create(&threads[n], NULL, take_pairs, work) == 0)
        n++;
    take_pairs(work);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

/* -- all of them -- */

static int collect(const struct work *work, struct changes *changes)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct task *task = &work->tasks[i];
        if (!task->differs && task->trouble == 0) {
            changes->same++;
            continue;
        }
        struct change *change =
            changes_add(changes, CHANGE_CHANGED, task->name, task->old, task->new);
        if (change == NULL)
            return -ENOMEM;
        change->bytes_differ = task->bytes_differ;
        change->trouble = task->trouble;
        change->numbers = task->numbers;
        changes->troubles += task->trouble < 0;
    }
    return 0;
}

int compare_tensors(const struct side *old, const struct side *new,
                    const struct diff_options *options, struct changes *changes)
{
    struct work work = {
        .old = old, .new = new, .options = options, .caller = pthread_self()};
    int r = pair_entries(old, new, SUBJECT_TENSORS, changes, add_task, &work);
    if (r == 0) {
        compare_pairs(&work);
        if (options->progress)
            options->progress(options->data, work.total, work.total);
        r = collect(&work, changes);
    }
    for (size_t i = 0; i < work.count; i++)
        free(work.tasks[i].name);
    free(work.tasks);
    return r;
}
