/* SPDX-License-Identifier: MIT */
/* From what the stores find to plots, the first time and again: a file that is new gets a plot,
 * one that was replaced a new one, one that vanished loses its name. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "forest/forest.h"
#include "tree/names.h"

static struct name plot_name(const void *owner, uint32_t number)
{
    const struct ggufs_tree *tree = owner;
    const char *name = tree->plots[number]->name;
    return (struct name){name, strlen(name)};
}

static struct name plot_key(const void *owner, uint32_t number)
{
    const struct ggufs_tree *tree = owner;
    const struct found_as *found = &tree->plots[number]->found;
    return (struct name){found->key, found->key_length};
}

/* Several names may mean one file, and one name several files in turn: both together say what
 * was found. */
static char *key_of(const struct found *found, size_t *length)
{
    size_t name = strlen(found->name) + 1, path = strlen(found->path);
    char *key = malloc(name + path + 1);
    if (key == NULL)
        return NULL;
    memcpy(key, found->name, name);
    memcpy(key + name, found->path, path + 1);
    *length = name + path;
    return key;
}

/* The number of the plot that was found as this, or TABLE_NONE. 0 or -ENOMEM. */
static int number_of_found(const struct ggufs_tree *tree, const struct found *found,
                           uint32_t *number)
{
    size_t length;
    char *key = key_of(found, &length);
    if (key == NULL)
        return -ENOMEM;
    *number = table_find(&tree->by_found, key, length);
    free(key);
    return 0;
}

/* Both tables anew, with room for more plots. The lock is held. */
static int index_plots(struct ggufs_tree *tree, size_t more)
{
    struct table names, keys;
    if (table_init(&names, tree->n_plots + more, plot_name, tree) < 0)
        return -ENOMEM;
    if (table_init(&keys, tree->n_plots + more, plot_key, tree) < 0) {
        table_done(&names);
        return -ENOMEM;
    }
    for (uint32_t i = 1; i < tree->n_plots; i++) {
        if (tree->plots[i]->state == PLOT_GONE)
            continue;
        table_add(&names, i);
        table_add(&keys, i);
    }
    table_done(&tree->by_name);
    table_done(&tree->by_found);
    tree->by_name = names;
    tree->by_found = keys;
    return 0;
}

static bool name_is_free(const struct ggufs_tree *tree, const char *name)
{
    return strcmp(name, "models.tsv") != 0 &&
           table_find(&tree->by_name, name, strlen(name)) == TABLE_NONE;
}

/* A name in the top directory that nobody has. The stores keep their names apart: what is left
 * are clashes with names that were given before. */
static char *free_name(const struct ggufs_tree *tree, const char *raw)
{
    char name[NAME_MAX_BYTES + 1];
    name_escape(raw, strlen(raw), name, NAME_MAX_BYTES);
    if (name_is_free(tree, name))
        return strdup(name);
    size_t length = name_escape(raw, strlen(raw), name, NAME_MAX_BYTES - 12);
    unsigned k = 2;
    do
        snprintf(name + length, sizeof(name) - length, "%%%u", k++);
    while (!name_is_free(tree, name));
    return strdup(name);
}

bool find_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Errors that pass say nothing about the file. */
bool find_is_stale(const struct plot *plot)
{
    struct stat now;
    if (atomic_load(&plot->replaced))
        return true;
    if (stat(plot->path, &now) == 0)
        return !find_same_file(&plot->file, &now);
    return (errno == ENOENT || errno == ENOTDIR) && plot->file.st_mode != 0;
}

static int sprout(struct ggufs_tree *tree, const struct found *found)
{
    struct found_as as = {
        .size = found->size,
        .files = found->files,
        .unsettled = found->set || found->trouble,
    };
    as.key = key_of(found, &as.key_length);
    char *name = free_name(tree, found->name);
    char *path = strdup(found->path);
    char *trouble = found->trouble ? strdup(found->trouble) : NULL;
    bool copied = as.key && name && path && !trouble == !found->trouble;
    struct plot *plot = copied ? plot_add(tree, name, path) : NULL;
    if (plot == NULL) {
        free(trouble);
        free(as.key);
        free(name);
        free(path);
        return -ENOMEM;
    }
    plot->found = as;
    if (stat(path, &plot->file) < 0)
        memset(&plot->file, 0, sizeof(plot->file));
    if (trouble) {
        plot->trouble = trouble;
        plot->code = GGUFS_SYSTEM;
        plot->state = PLOT_BROKEN;
        if (tree->options.log)
            tree->options.log(tree->options.log_data, trouble);
    }
    table_add(&tree->by_name, plot->number);
    table_add(&tree->by_found, plot->number);
    tree->generation++;
    return 0;
}

static bool is_still(const struct plot *plot, const struct found *found)
{
    return plot->found.size == found->size && plot->found.files == found->files &&
           !find_is_stale(plot);
}

/* Marks what is still there in kept (by plot number); what was replaced is not. Needs no lock:
 * only who finds adds plots. 0 or -ENOMEM. */
static int recognise(const struct ggufs_tree *tree, const struct found_list *list,
                     bool *kept)
{
    for (size_t i = 0; i < list->count; i++) {
        uint32_t number;
        int r = number_of_found(tree, &list->items[i], &number);
        if (r < 0)
            return r;
        if (number != TABLE_NONE && is_still(tree->plots[number], &list->items[i]))
            kept[number] = true;
    }
    return 0;
}

static void retire_others(struct ggufs_tree *tree, const bool *kept)
{
    for (uint32_t i = 1; i < tree->n_plots; i++) {
        struct plot *plot = tree->plots[i];
        if (kept[i] || plot->state == PLOT_GONE)
            continue;
        plot->state = PLOT_GONE;
        tree->generation++;
    }
}

/* The lock is held. */
static int replant(struct ggufs_tree *tree, const struct found_list *list,
                   const bool *kept)
{
    retire_others(tree, kept);
    int r = index_plots(tree, list->count);
    for (size_t i = 0; r == 0 && i < list->count; i++) {
        uint32_t number;
        r = number_of_found(tree, &list->items[i], &number);
        if (r == 0 && number == TABLE_NONE)
            r = sprout(tree, &list->items[i]);
    }
    return r;
}

static int apply(struct ggufs_tree *tree, const struct found_list *list)
{
    bool *kept = calloc(tree->n_plots, sizeof(*kept));
    int r = kept ? recognise(tree, list, kept) : -ENOMEM;
    if (r == 0) {
        pthread_mutex_lock(&tree->lock);
        r = replant(tree, list, kept);
        pthread_mutex_unlock(&tree->lock);
    }
    free(kept);
    return r;
}

int find_first(struct ggufs_tree *tree, const struct found_list *list)
{
    clock_gettime(CLOCK_MONOTONIC, &tree->found_at);
    return apply(tree, list);
}

static bool found_just_now(const struct ggufs_tree *tree)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec == tree->found_at.tv_sec ||
           (now.tv_sec == tree->found_at.tv_sec + 1 &&
            now.tv_nsec < tree->found_at.tv_nsec);
}

/* Whether a look at the folders could find something else than the last one: they changed, or
 * a file did that stayed where it was. */
static bool is_outdated(struct ggufs_tree *tree)
{
    if (stores_changed(tree->stores))
        return true;
    for (uint32_t i = 1; i < tree->n_plots; i++) {
        const struct plot *plot = tree->plots[i];
        pthread_mutex_lock(&tree->lock);
        bool gone = plot->state == PLOT_GONE;
        pthread_mutex_unlock(&tree->lock);
        if (!gone && (plot->found.unsettled || find_is_stale(plot)))
            return true;
    }
    return false;
}

/* Reads the folders. Where descriptors or memory are out, models that idle are closed first. */
static int read_folders(struct ggufs_tree *tree, struct found_list *list)
{
    int r = stores_find(tree->stores, list, NULL);
    if (r != -EMFILE && r != -ENFILE && r != -ENOMEM)
        return r;
    found_done(list);
    plots_close_idle(tree, 0);
    return stores_find(tree->stores, list, NULL);
}

static int search(struct ggufs_tree *tree)
{
    struct found_list list = {0};
    int r = read_folders(tree, &list);
    if (r == -ENOENT || r == -ENOTDIR) {
        /* What was asked for itself is there no longer, and nothing in it. */
        found_done(&list);
        r = 0;
    }
    if (r == 0)
        r = apply(tree, &list);
    found_done(&list);
    return r;
}

int find_again(struct ggufs_tree *tree, bool now)
{
    int r = 0;
    pthread_mutex_lock(&tree->finding);
    if (now || !found_just_now(tree)) {
        if (now || is_outdated(tree))
            r = search(tree);
        clock_gettime(CLOCK_MONOTONIC, &tree->found_at);
    }
    pthread_mutex_unlock(&tree->finding);
    return r;
}

struct plot *find_plot(struct ggufs_tree *tree, const char *name)
{
    pthread_mutex_lock(&tree->lock);
    uint32_t number = table_find(&tree->by_name, name, strlen(name));
    struct plot *plot = number == TABLE_NONE ? NULL : tree->plots[number];
    if (plot && plot->state == PLOT_GONE)
        plot = NULL;
    pthread_mutex_unlock(&tree->lock);
    return plot;
}
