/* SPDX-License-Identifier: MIT */
/* Pairing the entries of two trees by name, and the list of changes. A directory lists its
 * entries in file order and numbers them in one run, so an entry's number in the model is its
 * distance from the first. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff/changes.h"

void changes_done(struct changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        free(changes->items[i].name);
    free(changes->items);
}

static bool make_room(struct changes *changes)
{
    if (changes->count < changes->room)
        return true;
    size_t room = changes->room ? 2 * changes->room : 64;
    struct change *items = realloc(changes->items, room * sizeof(*items));
    if (items == NULL)
        return false;
    changes->items = items;
    changes->room = room;
    return true;
}

struct change *changes_add(struct changes *changes, enum change_kind kind,
                           const char *name, size_t old, size_t new)
{
    char *copy = strdup(name);
    if (copy == NULL || !make_room(changes)) {
        free(copy);
        return NULL;
    }
    struct change *change = &changes->items[changes->count++];
    *change = (struct change){.kind = kind, .name = copy, .old = old, .new = new};
    changes->by_kind[kind]++;
    return change;
}

/* One side's directory, and the number of its first entry. */
struct folder {
    struct ggufs_tree *tree;
    uint64_t node, first;
};

static int note_first(void *data, const struct ggufs_entry *entry)
{
    *(uint64_t *)data = entry->node;
    return 1;
}

static int open_folder(const struct side *side, enum subject subject,
                       struct folder *folder)
{
    folder->tree = side->tree;
    folder->first = 0;
    int r = ggufs_tree_resolve(
        side->tree, subject == SUBJECT_KEYS ? "metadata" : "tensors", &folder->node);
    if (r == 0)
        r = ggufs_tree_list(side->tree, folder->node, 0, note_first, &folder->first);
    return r < 0 ? r : 0;
}

struct walk {
    const struct folder *mine, *other;
    struct changes *changes;
    enum change_kind alone; /* what an entry is that the other side lacks */
    int (*pair)(void *data, const char *name, size_t old, size_t new);
    void *data;
};

static int visit(void *data, const struct ggufs_entry *entry)
{
    const struct walk *walk = data;
    size_t i = entry->node - walk->mine->first;
    uint64_t twin;
    int r = ggufs_tree_lookup(walk->other->tree, walk->other->node, entry->name, &twin);
    if (r == -ENOENT)
        return changes_add(walk->changes, walk->alone, entry->name, i, i) ? 0 : -ENOMEM;
    if (r < 0 || walk->pair == NULL)
        return r;
    return walk->pair(walk->data, entry->name, i, twin - walk->other->first);
}

int pair_entries(const struct side *old, const struct side *new, enum subject subject,
                 struct changes *changes,
                 int (*pair)(void *data, const char *name, size_t old, size_t new),
                 void *data)
{
    struct folder a, b;
    int r = open_folder(old, subject, &a);
    if (r == 0)
        r = open_folder(new, subject, &b);
    if (r < 0)
        return r;
    struct walk there = {&a, &b, changes, CHANGE_REMOVED, pair, data};
    r = ggufs_tree_list(a.tree, a.node, 0, visit, &there);
    if (r < 0)
        return r;
    struct walk back = {&b, &a, changes, CHANGE_ADDED, NULL, NULL};
    return ggufs_tree_list(b.tree, b.node, 0, visit, &back);
}
