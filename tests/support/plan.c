/* SPDX-License-Identifier: MIT */
/* Writes model files by plan, and sets of them. Stops the test program where the
 * system does not play along. */

#include "plan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

/* ---- bytes ---- */

void put(struct plan_bytes *out, const void *bytes, size_t size)
{
    out->bytes = realloc(out->bytes, out->size + size + 1);
    need(out->bytes != NULL, "memory");
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

void put_number(struct plan_bytes *out, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t shift = out->plan->big_endian ? size - 1 - i : i;
        uint8_t byte = (uint8_t)(value >> (8 * shift));
        put(out, &byte, 1);
    }
}

void put_length(struct plan_bytes *out, uint64_t value)
{
    put_number(out, value, out->plan->version == 1 ? 4 : 8);
}

void put_string(struct plan_bytes *out, const char *string)
{
    put_length(out, strlen(string));
    put(out, string, strlen(string));
}

void put_key(struct plan_bytes *out, const struct plan_key *key)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    put_string(out, key->name);
    put_number(out, key->type, 4);
    if (key->type == 8)
        put_string(out, key->string);
    else
        put_number(out, key->number, sizes[key->type]);
}

void put_info(struct plan_bytes *out, const struct plan_tensor *tensor, uint64_t offset)
{
    put_string(out, tensor->name);
    put_number(out, tensor->n_dims, 4);
    for (uint32_t i = 0; i < tensor->n_dims; i++)
        put_length(out, tensor->dims[i]);
    put_number(out, tensor->type, 4);
    put_number(out, offset, 8);
}

static uint64_t alignment(const struct plan *plan)
{
    return plan->alignment ? plan->alignment : 32;
}

void put_padding(struct plan_bytes *out)
{
    while (out->size % alignment(out->plan) != 0)
        put(out, "", 1);
}

void put_data(struct plan_bytes *out, const struct plan_tensor *tensor)
{
    uint64_t size = plan_data_size(tensor);
    for (uint64_t i = 0; i < size; i++) {
        uint8_t byte = plan_data_byte(tensor, i);
        put(out, &byte, 1);
    }
}

/* ---- one file ---- */

uint64_t plan_data_size(const struct plan_tensor *tensor)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->n_dims; i++)
        elements *= tensor->dims[i];
    return tensor->type == 0   ? elements * 4
           : tensor->type == 8 ? elements / 32 * 34
                               : elements;
}

uint8_t plan_data_byte(const struct plan_tensor *tensor, uint64_t i)
{
    return (uint8_t)((uint64_t)tensor->name[0] * 31 + i * 7 + (i >> 8));
}

struct plan_bytes plan_build(const struct plan *plan)
{
    struct plan_bytes out = {.plan = plan};
    uint64_t offset = 0;
    put(&out, "GGUF", 4);
    put_number(&out, plan->version, 4);
    put_length(&out, plan->n_tensors);
    put_length(&out, plan->n_keys);
    for (size_t i = 0; i < plan->n_keys; i++)
        put_key(&out, &plan->keys[i]);
    for (size_t i = 0; i < plan->n_tensors; i++) {
        uint64_t pad = alignment(plan);
        put_info(&out, &plan->tensors[i], offset);
        offset += (plan_data_size(&plan->tensors[i]) + pad - 1) / pad * pad;
    }
    put_padding(&out);
    for (size_t i = 0; i < plan->n_tensors; i++) {
        put_data(&out, &plan->tensors[i]);
        put_padding(&out);
    }
    return out;
}

void plan_write(const struct plan *plan, const char *path)
{
    struct plan_bytes file = plan_build(plan);
    FILE *stream = fopen(path, "w");
    need(stream != NULL, path);
    need(fwrite(file.bytes, 1, file.size, stream) == file.size, path);
    need(fclose(stream) == 0, path);
    free(file.bytes);
}

struct plan_key *plan_find_key(struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_keys; i++)
        if (strcmp(plan->keys[i].name, name) == 0)
            return &plan->keys[i];
    return NULL;
}

void plan_drop_key(struct plan *plan, const char *name)
{
    struct plan_key *key = plan_find_key(plan, name);
    need(key != NULL, name);
    size_t i = (size_t)(key - plan->keys);
    memmove(key, key + 1, (plan->n_keys - i - 1) * sizeof(*key));
    plan->n_keys--;
}

/* ---- sets ---- */

struct plan_set *plan_set_new(void)
{
    struct plan_set *set = calloc(1, sizeof(*set));
    need(set != NULL, "memory");
    const char *base = getenv("TMPDIR");
    snprintf(set->directory, sizeof(set->directory), "%s/ggufs-set-XXXXXX",
             base ? base : "/tmp");
    need(mkdtemp(set->directory) != NULL, set->directory);
    set->n = 3;
    set->plans[0] = (struct plan){
        .version = 3,
        .n_keys = 5,
        .keys = {{"general.architecture", 8, 0, "llama"},
                 {"split.no", 2, 0},
                 {"split.count", 2, 3},
                 {"split.tensors.count", 5, 5},
                 {"general.name", 8, 0, "m"}},
        .n_tensors = 2,
        .tensors = {{"a", 0, 2, {5, 3}}, {"b", 8, 1, {64}}},
    };
    set->plans[1] = (struct plan){
        .version = 3,
        .n_keys = 3,
        .keys = {{"split.no", 2, 1},
                 {"split.count", 2, 3},
                 {"split.tensors.count", 5, 5}},
        .n_tensors = 1,
        .tensors = {{"c", 0, 1, {8}}},
    };
    set->plans[2] = (struct plan){
        .version = 3,
        .n_keys = 3,
        .keys = {{"split.no", 2, 2},
                 {"split.count", 2, 3},
                 {"split.tensors.count", 5, 5}},
        .n_tensors = 2,
        .tensors = {{"d", 0, 1, {16}}, {"e", 0, 3, {1, 3, 1}}},
    };
    return set;
}

const char *plan_set_path(const struct plan_set *set, const char *name)
{
    static char paths[8][512];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", set->directory, name);
    return path;
}

void plan_set_write(const struct plan_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        char name[64];
        snprintf(name, sizeof(name), "m-%05zu-of-%05zu.gguf", i + 1, set->n);
        plan_write(&set->plans[i], plan_set_path(set, name));
    }
}

void plan_set_free(struct plan_set *set)
{
    if (!set)
        return;
    DIR *directory = opendir(set->directory);
    need(directory != NULL, set->directory);
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(plan_set_path(set, entry->d_name));
    closedir(directory);
    need(rmdir(set->directory) == 0, set->directory);
    free(set);
}
