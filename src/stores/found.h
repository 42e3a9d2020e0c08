/* SPDX-License-Identifier: MIT */
/* The list of models that were found: what each is called, which file to open, and, for
 * what cannot be opened, why. Opens no model. */

#ifndef GGUFS_STORES_FOUND_H
#define GGUFS_STORES_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "ggufs.h"

enum found_kind {
    FOUND_MODEL,
    FOUND_PROJECTOR, /* the part of a model that sees or hears (mmproj) */
    FOUND_ADAPTER,   /* a LoRA */
};

struct found {
    const char
        *name; /* readable, raw bytes; after found_finish no two usable ones share it */
    const char
        *path; /* absolute: the file to open; of a set, its first shard that is there */
    const char *folder; /* where it stands ("a/b", or ""): tells two of one name apart */
    const char
        *trouble;   /* NULL; or "PATH: why it cannot be opened", fit for a terminal */
    uint64_t size;  /* bytes, of all shards that are there */
    uint32_t files; /* 1, or how many shards of a set are there */
    bool set;       /* path is one of its shards, the others are beside it */
    enum found_kind kind;
};

/* A zeroed one is an empty list. */
struct found_list {
    struct found *items;
    size_t count, room;
    bool single; /* what was asked for is one model: items[0], and nothing else */
    struct arena arena;
};

/* Adds a copy of item, strings too. 0 or -ENOMEM. */
int found_add(struct found_list *list, const struct found *item);
/* Adds something that cannot be opened, called name; its trouble is "PATH: " and the
 * text, into which names go through quoted(). 0 or -ENOMEM. */
int found_add_broken(struct found_list *list, const char *name, const char *folder,
                     const char *path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Makes the names of what can be opened differ: those that share one get as many of
 * their folders before it as it takes ("a-model", "b-model"), a set beside a single file
 * of its name its first shard's whole name, and what is the same even then a number
 * ("model-2"). Sorts by name, bytewise. 0 or -ENOMEM. */
int found_finish(struct found_list *list);

/* Leaves item i alone in the list, which is single then. 0, or, where it cannot be
 * opened, -ENOENT with error saying why. */
int found_take(struct found_list *list, size_t i, struct ggufs_error *error);

/* Fills error: something that was asked for is not there. Returns -ENOENT. */
int found_missing(struct ggufs_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void found_done(struct found_list *list);

#endif
