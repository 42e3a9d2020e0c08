/* SPDX-License-Identifier: MIT */
/* Looking at a model for the first time: is it one, and what does its line in models.tsv say?
 * The answer is kept when the model is closed again. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forest/forest.h"

/* The architecture as the file spells it, fit for a table: "" where there is none. */
static char *architecture_of(const struct ggufs_model *model)
{
    static const char name[] = "general.architecture";
    struct ggufs_key key = {0};
    size_t i;
    if (ggufs_model_find_key(model, name, sizeof(name) - 1, &i) == 0)
        ggufs_model_key(model, i, &key);
    if (key.value.type != GGUFS_STR)
        return strdup("");
    char text[128];
    ggufs_quote(text, sizeof(text), key.value.str.bytes, key.value.str.length);
    return strdup(text);
}

struct share {
    char name[24];
    uint32_t id;
    uint64_t bytes;
};

#define SHARES_MAX 64

/* Adds to the share of a type; kinds beyond the room (of unknown types) share the last. */
static void share_add(struct share *shares, size_t *n, const struct ggufs_tensor *tensor)
{
    size_t i = 0;
    while (i < *n && i < SHARES_MAX - 1 && shares[i].id != tensor->type_id)
        i++;
    if (i == *n) {
        shares[i] = (struct share){.id = tensor->type_id};
        if (tensor->type)
            snprintf(shares[i].name, sizeof(shares[i].name), "%s", tensor->type->name);
        else
            snprintf(shares[i].name, sizeof(shares[i].name), "%u", tensor->type_id);
        ++*n;
    }
    if (__builtin_add_overflow(shares[i].bytes, tensor->size, &shares[i].bytes))
        shares[i].bytes = UINT64_MAX;
}

static int by_bytes(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* "Q4_K,F32": most bytes first. */
static char *types_text(struct share *shares, size_t n)
{
    char *text = calloc(n + 1, sizeof(shares->name) + 1);
    if (text == NULL)
        return NULL;
    qsort(shares, n, sizeof(*shares), by_bytes);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            strcat(text, ",");
        strcat(text, shares[i].name);
    }
    return text;
}

int look_summarise(struct plot *plot, const struct ggufs_model *model)
{
    struct share shares[SHARES_MAX];
    size_t n = 0;
    uint64_t parameters = 0;
    for (size_t i = 0; i < ggufs_model_tensors(model); i++) {
        struct ggufs_tensor tensor;
        ggufs_model_tensor(model, i, &tensor);
        share_add(shares, &n, &tensor);
        if (__builtin_add_overflow(parameters, tensor.n_elements, &parameters))
            parameters = UINT64_MAX;
    }
    struct summary summary = {
        .architecture = architecture_of(model),
        .types = types_text(shares, n),
        .parameters = parameters,
        .bytes = model_size(model),
    };
    if (summary.architecture == NULL || summary.types == NULL) {
        free(summary.architecture);
        free(summary.types);
        return -ENOMEM;
    }
    plot->summary = summary;
    return 0;
}

int look_at(struct ggufs_tree *tree, struct plot *plot)
{
    pthread_mutex_lock(&tree->lock);
    enum plot_state state = plot->state;
    pthread_mutex_unlock(&tree->lock);
    if (state != PLOT_UNSEEN)
        return state == PLOT_FINE ? 0 : -ENOENT;
    int r = plot_pin(tree, plot, NULL);
    if (r == 0) {
        plot_unpin(tree, plot);
        return 0;
    }
    pthread_mutex_lock(&tree->lock);
    bool broken = plot->state == PLOT_BROKEN;
    pthread_mutex_unlock(&tree->lock);
    return broken ? -ENOENT : r;
}
