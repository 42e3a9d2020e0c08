/* SPDX-License-Identifier: MIT */
/* Text that is made by steps. It is measured once, by the first who asks; checkpoints
 * then never change again, and any number of readers run the maker from their own copy
 * of one. */

#include "content/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct checkpoint {
    uint64_t position; /* bytes of text before it */
    struct text_state state;
};

struct text {
    struct content content;
    text_step_fn *step;
    const void *maker;
    void (*free_maker)(void *maker);
    pthread_mutex_t lock; /* held while it is measured */
    atomic_bool measured; /* what follows is there, and stays as it is */
    uint64_t size;
    struct checkpoint *checkpoints; /* rising; the start of the text is not among them */
    size_t n_checkpoints;
    size_t room;
};

static int add_checkpoint(struct text *text, const struct text_state *state,
                          uint64_t position)
{
    if (text->n_checkpoints == text->room) {
        size_t room = text->room ? text->room * 2 : 4;
        struct checkpoint *grown = NULL;
        if (room <= SIZE_MAX / sizeof(*grown))
            grown = realloc(text->checkpoints, room * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        text->checkpoints = grown;
        text->room = room;
    }
    text->checkpoints[text->n_checkpoints++] = (struct checkpoint){position, *state};
    return 0;
}

static int run_to_end(struct text *text)
{
    struct sink sink = sink_counter();
    struct text_state state = {0};
    uint64_t next = TEXT_CHECKPOINT;
    int more;
    while ((more = text->step(text->maker, &state, &sink)) > 0) {
        if (sink.position < next)
            continue;
        int error = add_checkpoint(text, &state, sink.position);
        if (error)
            return error;
        next = sink.position + TEXT_CHECKPOINT;
    }
    text->size = sink.position;
    return more;
}

static int measure(struct text *text)
{
    if (atomic_load_explicit(&text->measured, memory_order_acquire))
        return 0;
    int error = 0;
    pthread_mutex_lock(&text->lock);
    if (!atomic_load_explicit(&text->measured, memory_order_relaxed)) {
        text->n_checkpoints = 0;
        error = run_to_end(text);
        if (!error)
            atomic_store_explicit(&text->measured, true, memory_order_release);
    }
    pthread_mutex_unlock(&text->lock);
    return error;
}

static int text_measure(struct content *content, uint64_t *size)
{
    struct text *text = (struct text *)content;
    int error = measure(text);
    if (!error)
        *size = text->size;
    return error;
}

static int text_known(struct content *content, uint64_t *size)
{
    struct text *text = (struct text *)content;
    if (!atomic_load_explicit(&text->measured, memory_order_acquire))
        return -EAGAIN;
    *size = text->size;
    return 0;
}

/* The last checkpoint at or before offset; the start where there is none. */
static struct checkpoint find_checkpoint(const struct text *text, uint64_t offset)
{
    size_t low = 0,
           high = text->n_checkpoints; /* those below low are before, or at, it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text->checkpoints[middle].position <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? text->checkpoints[low - 1] : (struct checkpoint){0};
}

static bool interrupted(const struct reading *reading)
{
    return reading && reading->interrupted && *reading->interrupted;
}

static int text_read(struct content *content, struct reading *reading, uint64_t offset,
                     char *buffer, size_t size)
{
    struct text *text = (struct text *)content;
    int error = measure(text);
    if (error)
        return error;
    struct checkpoint from = find_checkpoint(text, offset);
    struct sink sink = sink_window(from.position, offset, buffer, size);
    int more = 1;
    while (more > 0 && !sink_full(&sink)) {
        if (interrupted(reading))
            return -EINTR;
        more = text->step(text->maker, &from.state, &sink);
    }
    if (more < 0)
        return more;
    return sink_full(&sink) ? 0 : -EIO;
}

static void text_free(struct content *content)
{
    struct text *text = (struct text *)content;
    if (text->free_maker)
        text->free_maker((void *)(uintptr_t)text->maker);
    free(text->checkpoints);
    pthread_mutex_destroy(&text->lock);
    free(text);
}

static const struct content_kind text_kind = {
    .name = "text",
    .read = text_read,
    .measure = text_measure,
    .known = text_known,
    .free = text_free,
};

struct content *content_text(text_step_fn *step, const void *maker,
                             void (*free_maker)(void *maker))
{
    struct text *text = calloc(1, sizeof(*text));
    if (!text) {
        if (free_maker)
            free_maker((void *)(uintptr_t)maker);
        return NULL;
    }
    text->content.kind = &text_kind;
    text->step = step;
    text->maker = maker;
    text->free_maker = free_maker;
    pthread_mutex_init(&text->lock, NULL);
    return &text->content;
}
