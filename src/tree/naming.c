/* SPDX-License-Identifier: MIT */
/* Final names for a list of raw ones. Three passes, each linear: plain names, then escaped
 * ones, then those whose name is taken. A suffix is looked for where the last one for the same
 * name was found, so that a million equal names cost a million steps. How one name is escaped
 * and cut is names.c's. */

#include "tree/naming.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "tree/names.h"

/* A name that has no file name yet. */
struct waiting {
    uint32_t number;
    uint32_t holder; /* who has the name that it should have; TABLE_NONE: not tried */
};

struct queue {
    struct waiting *items;
    size_t count;
};

struct name naming_name(const struct naming *naming, uint32_t i)
{
    if (naming_is_raw(naming, i))
        return naming->raw_name(naming->owner, i);
    return (struct name){naming->changed[i], strlen(naming->changed[i])};
}

static struct name table_name(const void *owner, uint32_t number)
{
    return naming_name(owner, number);
}

uint32_t naming_find(const struct naming *naming, const char *bytes, size_t length)
{
    return naming->count > 0 ? table_find(naming->table, bytes, length) : TABLE_NONE;
}

static bool is_plain(const struct naming *naming, uint32_t i)
{
    struct name raw = naming->raw_name(naming->owner, i);

    return name_is_plain(raw.bytes, raw.length, naming->room);
}

static bool all_plain(const struct naming *naming)
{
    for (size_t i = 0; i < naming->count; i++)
        if (!is_plain(naming, (uint32_t)i))
            return false;
    return true;
}

/* First pass: who may bear the raw name. */
static void claim_plain(struct naming *naming, struct queue *queue)
{
    for (size_t i = 0; i < naming->count; i++) {
        uint32_t number = (uint32_t)i, holder = TABLE_NONE;

        if (is_plain(naming, number))
            holder = table_add(&naming->own, number);
        if (holder != number)
            queue->items[queue->count++] = (struct waiting){number, holder};
    }
}

/* Gives the name to the number if it is free; *holder is who has it then. */
static int claim(struct naming *naming, uint32_t number, char *name, size_t length,
                 uint32_t *holder)
{
    naming->changed[number] = name; /* for as long as the table compares */
    *holder = table_add(&naming->own, number);
    naming->changed[number] = NULL;
    if (*holder != number)
        return 0;
    naming->changed[number] = arena_copy(&naming->arena, name, length);
    return naming->changed[number] ? 0 : -ENOMEM;
}

/* Second pass: who may bear the escaped name. Leaves the others in the queue. */
static int claim_escaped(struct naming *naming, struct queue *queue)
{
    char name[NAME_MAX_BYTES + 1];
    size_t kept = 0;

    for (size_t i = 0; i < queue->count; i++) {
        struct waiting item = queue->items[i];

        if (item.holder == TABLE_NONE) {
            struct name raw = naming->raw_name(naming->owner, item.number);
            size_t n = name_escape(raw.bytes, raw.length, name, naming->room);
            int rc = claim(naming, item.number, name, n, &item.holder);
            if (rc < 0)
                return rc;
        }
        if (item.holder != item.number)
            queue->items[kept++] = item;
    }
    queue->count = kept;
    return 0;
}

/* The name with a suffix, cut further where the suffix needs the room. */
static size_t suffixed(const struct naming *naming, uint32_t number, uint32_t suffix,
                       char *name)
{
    struct name raw = naming->raw_name(naming->owner, number);
    char digits[DECIMAL_MAX];
    size_t n_digits = decimal_u64(digits, suffix);
    size_t n = name_escape(raw.bytes, raw.length, name, naming->room - 1 - n_digits);

    name[n++] = '%';
    memcpy(name + n, digits, n_digits + 1);
    return n + n_digits;
}

/* Third pass: suffixes. next[holder] is the first that nobody tried for the holder's name. */
static int claim_suffixed(struct naming *naming, const struct queue *queue)
{
    char name[NAME_MAX_BYTES + 1];
    uint32_t *next = calloc(naming->count, sizeof(*next));
    int rc = next ? 0 : -ENOMEM;

    for (size_t i = 0; i < queue->count && rc == 0; i++) {
        uint32_t number = queue->items[i].number, holder = TABLE_NONE;
        uint32_t *suffix = &next[queue->items[i].holder];

        if (*suffix == 0)
            *suffix = 2;
        while (holder != number && rc == 0) {
            size_t n = suffixed(naming, number, (*suffix)++, name);
            rc = claim(naming, number, name, n, &holder);
        }
    }
    free(next);
    return rc;
}

static int settle(struct naming *naming, struct queue *queue)
{
    claim_plain(naming, queue);
    if (queue->count == 0)
        return 0;
    naming->changed = calloc(naming->count, sizeof(*naming->changed));
    if (!naming->changed)
        return -ENOMEM;
    int rc = claim_escaped(naming, queue);
    if (rc == 0 && queue->count > 0)
        rc = claim_suffixed(naming, queue);
    return rc;
}

int naming_init(struct naming *naming, size_t count, size_t room, table_name_fn *raw_name,
                const void *owner, const struct table *known)
{
    struct queue queue = {NULL, 0};

    *naming = (struct naming){count, room, raw_name, owner};
    if (count == 0)
        return 0;
    /* A full table of the raw names says that each is another one. */
    if (known && known->count == count && all_plain(naming)) {
        naming->table = known;
        return 0;
    }
    naming->table = &naming->own;
    int rc = table_init(&naming->own, count, table_name, naming);
    if (rc < 0)
        return rc;
    queue.items = malloc(count * sizeof(*queue.items));
    rc = queue.items ? settle(naming, &queue) : -ENOMEM;
    free(queue.items);
    return rc;
}

void naming_done(struct naming *naming)
{
    table_done(&naming->own);
    arena_done(&naming->arena);
    free(naming->changed);
    *naming = (struct naming){0};
}
