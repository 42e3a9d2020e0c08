/* SPDX-License-Identifier: MIT */
/* The names of the files of a split model: PREFIX-00001-of-00005.gguf, counted from
 * one. The tool that splits writes five digits; others any number of them, and some do
 * not pad. */

#ifndef GGUFS_MODEL_SHARD_NAME_H
#define GGUFS_MODEL_SHARD_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARDS_MAX 65535 /* what the u16 of split.count can say */

struct shard_name {
    const char *name;     /* what was parsed, and what other names are made of */
    size_t prefix_length; /* of name, up to the '-' before the number */
    int width;            /* digits that the number is padded to */
    bool padded;          /* the number starts with a 0, so that width is certain */
    uint32_t number;      /* 1 to count */
    uint32_t count;
    const char *count_text; /* in name: from "-of-" to its end */
};

/* True where name (of a file, no directory) is of that form; parts then refers to it. */
bool shard_name_parse(const char *name, struct shard_name *parts);

/* The name of another shard of the same set. Allocated; NULL where memory is out. */
char *shard_name_make(const struct shard_name *parts, uint32_t number);

#endif
