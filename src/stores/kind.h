/* SPDX-License-Identifier: MIT */
/* What the stores of other programs have in common: a place on disk, and names in it. */

#ifndef GGUFS_STORES_KIND_H
#define GGUFS_STORES_KIND_H

#include "ggufs.h"
#include "stores/found.h"
#include "stores/places.h"
#include "stores/scan.h"

/* Where a search puts what it finds. */
struct search {
    struct found_list *list; /* empty at first */
    struct places *places;
    const struct scan_options *scan;
    /* A name that could mean several models gives the one, where there is but one. */
    bool one;
};

struct store_kind {
    const char *prefix; /* as typed, less the ':' */
    /* Where the store is: from the environment, else where the program puts it. *root is
     * in arena, and need not exist. 0 or -ENOMEM. */
    int (*locate)(struct arena *arena, char **root);
    /* Adds the models of that name, of all models for an empty one; makes the list
     * single where the name means one. What cannot be opened is added as broken, unless
     * it is what was asked for. 0 or -errno with error filled. */
    int (*find)(const char *root, const char *name, struct search *search,
                struct ggufs_error *error);
};

extern const struct store_kind ollama_store;
extern const struct store_kind hf_store;
extern const struct store_kind lmstudio_store;

#endif
