/* SPDX-License-Identifier: MIT */
/* Takes the names of shards apart and makes them. Looks at no file. */

#include "model/shard_name.h"

#include <stdio.h>
#include <string.h>

static const char of_text[] = "-of-";
static const char suffix[] = ".gguf";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The run of digits that ends before *end: its value, with *end moved to its first
 * digit; 0 where there is none, or one that no set is as large as. */
static uint32_t digits_before(const char *name, const char **end)
{
    const char *first = *end;
    while (first > name && is_digit(first[-1]))
        first--;
    uint32_t value = 0;
    for (const char *p = first; p < *end; p++) {
        value = value * 10 + (uint32_t)(*p - '0');
        if (value > SHARDS_MAX)
            return 0;
    }
    *end = first;
    return value;
}

static bool ends_in(const char *name, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - name) >= length && memcmp(end - length, text, length) == 0;
}

bool shard_name_parse(const char *name, struct shard_name *parts)
{
    const char *end = name + strlen(name);
    if (!ends_in(name, end, suffix))
        return false;
    end -= sizeof(suffix) - 1;
    uint32_t count = digits_before(name, &end);
    if (!ends_in(name, end, of_text))
        return false;
    end -= sizeof(of_text) - 1;
    const char *count_text = end;
    uint32_t number = digits_before(name, &end);
    if (number == 0 || number > count || end == name || end[-1] != '-')
        return false;
    *parts = (struct shard_name){
        .name = name,
        .prefix_length = (size_t)(end - 1 - name),
        .width = (int)(count_text - end),
        .padded = *end == '0',
        .number = number,
        .count = count,
        .count_text = count_text,
    };
    return true;
}

char *shard_name_make(const struct shard_name *parts, uint32_t number)
{
    char *name;
    int length = asprintf(&name, "%.*s-%0*u%s", (int)parts->prefix_length, parts->name,
                          parts->width, number, parts->count_text);
    return length < 0 ? NULL : name;
}
