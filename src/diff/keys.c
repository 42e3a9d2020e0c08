/* SPDX-License-Identifier: MIT */
/* Comparing keys: same type and same value, floats by their bits, arrays element by element
 * (or by their bytes, where both files are written in the same way). */

#include <errno.h>
#include <string.h>

#include "diff/changes.h"

static bool values_equal(const struct ggufs_value *a, const struct ggufs_value *b);

static bool arrays_equal(struct ggufs_array a, struct ggufs_array b)
{
    if (a.type != b.type || a.count != b.count)
        return false;
    if (a.big_endian == b.big_endian && a.v1 == b.v1)
        return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
    struct ggufs_value x, y;
    while (ggufs_array_next(&a, &x) && ggufs_array_next(&b, &y)) {
        if (!values_equal(&x, &y))
            return false;
    }
    return true;
}

static bool values_equal(const struct ggufs_value *a, const struct ggufs_value *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case GGUFS_F32: return memcmp(&a->f32, &b->f32, sizeof(a->f32)) == 0;
    case GGUFS_F64: return memcmp(&a->f64, &b->f64, sizeof(a->f64)) == 0;
    case GGUFS_STR:
        return a->str.length == b->str.length &&
               (a->str.length == 0 ||
                memcmp(a->str.bytes, b->str.bytes, a->str.length) == 0);
    case GGUFS_ARR: return arrays_equal(a->arr, b->arr);
    default: return a->u == b->u;
    }
}

struct keys {
    const struct side *old, *new;
    struct changes *changes;
};

static int compare(void *data, const char *name, size_t old, size_t new)
{
    struct keys *keys = data;
    struct ggufs_key a, b;
    ggufs_model_key(keys->old->model, old, &a);
    ggufs_model_key(keys->new->model, new, &b);
    if (values_equal(&a.value, &b.value)) {
        keys->changes->same++;
        return 0;
    }
    return changes_add(keys->changes, CHANGE_CHANGED, name, old, new) ? 0 : -ENOMEM;
}

int compare_keys(const struct side *old, const struct side *new, struct changes *changes)
{
    struct keys keys = {old, new, changes};
    return pair_entries(old, new, SUBJECT_KEYS, changes, compare, &keys);
}
