/* SPDX-License-Identifier: MIT */
/* The file names of a whole directory, made of a list of raw names (of keys, of tensors): each
 * legal, each another one, and the same whenever they are made of the same list. */

#ifndef GGUFS_TREE_NAMING_H
#define GGUFS_TREE_NAMING_H

#include "base/arena.h"
#include "base/table.h"

/* Names that stand for themselves stay where the owner has them; only others take memory. */
struct naming {
    size_t count;
    size_t room;             /* bytes that a name may have */
    table_name_fn *raw_name; /* of the i-th, from the owner */
    const void *owner;
    char **changed; /* by number: the name where it is not the raw one; or NULL */
    const struct table *table; /* by file name */
    struct table own;          /* what table points to, where no other could be used */
    struct arena arena;
};

/* Names that need no change have first claim on themselves, then come those with escapes or a
 * cut; what is taken by then gets %2, %3 ... in order (at the end, the name being cut further
 * where that passes room). known is a table of the raw names by number, or NULL; it and owner
 * outlive the naming, which must not be moved. 0 or -ENOMEM; naming_done in any case. */
int naming_init(struct naming *naming, size_t count, size_t room, table_name_fn *raw_name,
                const void *owner, const struct table *known);
void naming_done(struct naming *naming);

/* The i-th file name; no NUL at its end. */
struct name naming_name(const struct naming *naming, uint32_t i);
/* The number of that file name, or TABLE_NONE. */
uint32_t naming_find(const struct naming *naming, const char *bytes, size_t length);
/* The i-th file name is the raw name itself. */
static inline bool naming_is_raw(const struct naming *naming, uint32_t i)
{
    return !naming->changed || !naming->changed[i];
}

#endif
