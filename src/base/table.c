/* SPDX-License-Identifier: MIT */
/* Open addressing with linear steps, at most two thirds full. Names are compared byte for
 * byte with what the owner says; nothing of them is kept here but, in the bits of a slot
 * that no number needs, a piece of the name's hash: most slots with another name are then
 * passed by without asking the owner, whose names lie all over memory. */

#include "base/table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int table_init(struct table *table, size_t count, table_name_fn *name_of,
               const void *owner)
{
    memset(table, 0, sizeof(*table));
    if (count >= TABLE_NONE || count > SIZE_MAX / 16)
        return -ENOMEM;
    size_t size = 4;
    while (size < count + count / 2 + 1)
        size *= 2;
    table->slots = calloc(size, sizeof(*table->slots));
    if (!table->slots)
        return -ENOMEM;
    table->mask = size - 1;
    /* All numbers below count, and one more. size is a power of two above count. */
    table->number_bits = (uint32_t)(size - 1);
    table->key = siphash_random_key();
    table->name_of = name_of;
    table->owner = owner;
    return 0;
}

void table_done(struct table *table)
{
    free(table->slots);
    memset(table, 0, sizeof(*table));
}

static bool has_name(const struct table *table, uint32_t slot, const char *bytes,
                     size_t length)
{
    uint32_t number = (slot & table->number_bits) - 1;
    struct name name = table->name_of(table->owner, number);
    return name.length == length &&
           (length == 0 || memcmp(name.bytes, bytes, length) == 0);
}

static uint64_t hash_of(const struct table *table, struct name name)
{
    return siphash(table->key, name.bytes, name.length);
}

/* What a slot with a name of that hash has in the bits that are no number's. */
static uint32_t piece_of(const struct table *table, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ~table->number_bits;
}

/* The slot that holds the name, or the empty one where it would go. */
static uint32_t *find_slot(const struct table *table, struct name name, uint64_t hash)
{
    uint32_t piece = piece_of(table, hash);
    size_t i = hash & table->mask;
    for (; table->slots[i] != 0; i = (i + 1) & table->mask) {
        if ((table->slots[i] & ~table->number_bits) == piece &&
            has_name(table, table->slots[i], name.bytes, name.length))
            break;
    }
    return &table->slots[i];
}

static uint32_t add_hashed(struct table *table, uint32_t number, struct name name,
                           uint64_t hash)
{
    uint32_t *slot = find_slot(table, name, hash);
    if (*slot == 0) {
        assert(table->count < table->mask && number < table->number_bits);
        *slot = piece_of(table, hash) | (number + 1);
        table->count++;
    }
    return (*slot & table->number_bits) - 1;
}

uint32_t table_add(struct table *table, uint32_t number)
{
    struct name name = table->name_of(table->owner, number);
    return add_hashed(table, number, name, hash_of(table, name));
}

void table_add_batch(struct table *table, uint32_t first, size_t count,
                     uint32_t holders[TABLE_BATCH])
{
    struct name names[TABLE_BATCH];
    uint64_t hashes[TABLE_BATCH];
    for (size_t i = 0; i < count; i++) {
        names[i] = table->name_of(table->owner, first + (uint32_t)i);
        hashes[i] = hash_of(table, names[i]);
        __builtin_prefetch(&table->slots[hashes[i] & table->mask], 1);
    }
    for (size_t i = 0; i < count; i++)
        holders[i] = add_hashed(table, first + (uint32_t)i, names[i], hashes[i]);
}

uint32_t table_find(const struct table *table, const char *bytes, size_t length)
{
    if (!table->slots)
        return TABLE_NONE;
    struct name name = {bytes, length};
    uint32_t slot = *find_slot(table, name, hash_of(table, name));
    return slot ? (slot & table->number_bits) - 1 : TABLE_NONE;
}
