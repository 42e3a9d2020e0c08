/* SPDX-License-Identifier: MIT */
/* The split.* keys, and the two that the first splitting tool wrote under other names.
 * Whether they fit each other is join.c's to see. */

#include "model/split.h"

#include <string.h>

#include "base/error.h"
#include "gguf/value.h"

struct number {
    bool found;
    uint64_t value;
    uint64_t offset;
};

static int read_number(const struct head *head, const char *name, struct number *number,
                       struct ggufs_error *error)
{
    uint32_t i = table_find(&head->keys_by_name, name, strlen(name));
    if (number->found || i == TABLE_NONE)
        return 0;
    struct ggufs_key key;
    head_key(head, i, &key);
    if (!value_as_u64(&key.value, &number->value))
        return error_set(error, GGUFS_FORMAT, key.offset,
                         "key '%s': a whole number is needed, not below 0", name);
    number->found = true;
    number->offset = key.offset;
    return 0;
}

int split_read(const struct head *head, struct split *split, struct ggufs_error *error)
{
    struct number no = {0}, count = {0}, tensors = {0};
    const struct {
        const char *key;
        struct number *number;
    } rows[] = {
        {"split.count", &count},
        {"split.no", &no},
        {"split.tensors.count", &tensors},
        {"general.split_count", &count},
        {"general.split", &no},
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
        rc = read_number(head, rows[i].key, rows[i].number, error);
    *split = (struct split){
        .count = count.value,
        .no = no.value,
        .tensors = tensors.value,
        .has_no = no.found,
        .has_tensors = tensors.found,
        .count_offset = count.offset,
        .no_offset = no.offset,
        .tensors_offset = tensors.offset,
    };
    return rc;
}
