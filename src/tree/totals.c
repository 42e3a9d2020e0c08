/* SPDX-License-Identifier: MIT */
/* Sums by type. A file may name any number of types that nobody knows: they are found by hash,
 * like names. */

#include "tree/totals.h"

#include <errno.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/table.h"

#define ROOM_FIRST 16

static void add(uint64_t *sum, uint64_t value)
{
    if (!checked_add(*sum, value, sum))
        *sum = UINT64_MAX;
}

static void count(struct type_total *total, const struct ggufs_tensor *tensor)
{
    total->tensors++;
    add(&total->parameters, tensor->n_elements);
    add(&total->bytes, tensor->size);
}

static struct name id_of(const void *owner, uint32_t number)
{
    const struct totals *totals = owner;

    return (struct name){(const char *)&totals->types[number].type_id, sizeof(uint32_t)};
}

/* Adds a type to the list, which doubles: *room is what it has room for. */
static int append(struct totals *totals, uint32_t type_id, size_t *room)
{
    if (totals->n_types == *room) {
        size_t wanted = *room ? *room * 2 : ROOM_FIRST;
        struct type_total *types = realloc(totals->types, wanted * sizeof(*types));
        if (!types)
            return -ENOMEM;
        totals->types = types;
        *room = wanted;
    }
    totals->types[totals->n_types++] = (struct type_total){.type_id = type_id};
    return 0;
}

static int count_all(struct totals *totals, const struct ggufs_model *model,
                     struct table *by_id)
{
    size_t room = 0;

    for (size_t i = 0; i < ggufs_model_tensors(model); i++) {
        struct ggufs_tensor tensor;
        ggufs_model_tensor(model, i, &tensor);
        uint32_t at = table_find(by_id, (const char *)&tensor.type_id, sizeof(uint32_t));
        if (at == TABLE_NONE) {
            if (append(totals, tensor.type_id, &room) < 0)
                return -ENOMEM;
            at = table_add(by_id, (uint32_t)totals->n_types - 1);
        }
        count(&totals->types[at], &tensor);
        count(&totals->all, &tensor);
    }
    return 0;
}

static int by_type_id(const void *a, const void *b)
{
    const struct type_total *x = a, *y = b;

    return (x->type_id > y->type_id) - (x->type_id < y->type_id);
}

int totals_init(struct totals *totals, const struct ggufs_model *model)
{
    struct table by_id;

    *totals = (struct totals){0};
    int rc = table_init(&by_id, ggufs_model_tensors(model), id_of, totals);
    if (rc < 0)
        return rc;
    rc = count_all(totals, model, &by_id);
    table_done(&by_id);
    if (rc < 0)
        totals_done(totals);
    else if (totals->n_types > 0)
        qsort(totals->types, totals->n_types, sizeof(*totals->types), by_type_id);
    return rc;
}

void totals_done(struct totals *totals)
{
    free(totals->types);
    *totals = (struct totals){0};
}
