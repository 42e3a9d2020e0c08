/* SPDX-License-Identifier: MIT */
/* A hash table from a name to the number of the thing that bears it. It keeps numbers
 * only: the owner says, through a callback, what name a number has. Of several things
 * with one name the first that went in is found. Keyed (siphash), open addressing, 4
 * bytes a slot. */

#ifndef GGUFS_BASE_TABLE_H
#define GGUFS_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"

struct name {
    const char *bytes;
    size_t length;
};

typedef struct name table_name_fn(const void *owner, uint32_t number);

struct table {
    uint32_t *slots; /* number + 1 and a piece of the name's hash, or 0 */
    uint32_t number_bits;
    size_t mask;
    size_t count;
    struct siphash_key key;
    table_name_fn *name_of;
    const void *owner;
};

#define TABLE_NONE  UINT32_MAX
#define TABLE_BATCH 32

/* Room for count names (it does not grow beyond); numbers are below count. 0 or -ENOMEM. */
int table_init(struct table *table, size_t count, table_name_fn *name_of,
               const void *owner);
void table_done(struct table *table);
/* Puts number in, unless its name is there: the number that the table has for that
 * name then, which is number itself where it went in. */
uint32_t table_add(struct table *table, uint32_t number);
/* The same for count numbers (at most TABLE_BATCH) from first on, one after the other. The slots
 * of a big table are nowhere near: here the wait for one is the wait for all. */
void table_add_batch(struct table *table, uint32_t first, size_t count,
                     uint32_t holders[TABLE_BATCH]);
/* The number of that name, or TABLE_NONE. */
uint32_t table_find(const struct table *table, const char *bytes, size_t length);

#endif
