/* SPDX-License-Identifier: MIT */
/* Writes GGUF files from a description, so that a script can make sets of shards, broken ones
 * too, and the file that they must merge to. It knows the format and nothing of ggufs. Standard
 * input has one directive a line; a word ends at a space, the value of a string at the line's
 * end:
 *
 *     file NAME                    begins a file; what follows is about it
 *     big                          big-endian
 *     version N                    3 unless told; 1 has 32-bit lengths
 *     alignment N                  of the data: 32 unless told; writes no key
 *     key TYPE NAME VALUE          u8 u16 u32 u64 i8 i16 i32 i64 str
 *     tensor NAME TYPE SEED DIM... F32 F16 Q4_0 Q8_0 I32 BF16; same seed, same bytes
 *     tensor NAME F32 =X DIM...    all its values are X */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 4096, DIMS = 4 };

static const struct {
    const char *name;
    uint32_t id;
    size_t size; /* 0: a string */
} key_types[] = {
    {"u8", 0, 1},  {"i8", 1, 1},  {"u16", 2, 2},  {"i16", 3, 2},  {"u32", 4, 4},
    {"i32", 5, 4}, {"str", 8, 0}, {"u64", 10, 8}, {"i64", 11, 8},
};

static const struct {
    const char *name;
    uint32_t id;
    uint32_t elements; /* of a block */
    uint32_t bytes;
} tensor_types[] = {
    {"F32", 0, 1, 4},    {"F16", 1, 1, 2},  {"Q4_0", 2, 32, 18},
    {"Q8_0", 8, 32, 34}, {"I32", 26, 1, 4}, {"BF16", 30, 1, 2},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A key or a tensor: the words of its line. */
struct item {
    char *name;
    size_t type; /* place in the table of types */
    char *value; /* of a key */
    uint32_t seed;
    bool filled; /* with one value, and seed is its bits */
    uint32_t n_dims;
    uint64_t dims[DIMS];
};

struct file {
    FILE *out;
    bool big;
    uint32_t version;
    uint64_t alignment;
    size_t n_keys, n_tensors;
    struct item keys[ITEMS], tensors[ITEMS];
};

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "make_gguf: %s: %s\n", what, text);
    exit(1);
}

static void put_number(struct file *file, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t place = file->big ? size - 1 - i : i;
        /* What is wider than a number (zeros of padding and data) has nothing up there. */
        putc(place < 8 ? (int)(number >> 8 * place & 0xff) : 0, file->out);
    }
}

static void put_length(struct file *file, uint64_t length)
{
    put_number(file, length, file->version == 1 ? 4 : 8);
}

static void put_string(struct file *file, const char *string)
{
    put_length(file, strlen(string));
    fputs(string, file->out);
}

static uint64_t padded(const struct file *file, uint64_t size)
{
    return (size + file->alignment - 1) / file->alignment * file->alignment;
}

static void put_padding(struct file *file)
{
    uint64_t at = (uint64_t)ftell(file->out);
    put_number(file, 0, padded(file, at) - at);
}

static void put_key(struct file *file, const struct item *key)
{
    put_string(file, key->name);
    put_number(file, key_types[key->type].id, 4);
    if (key_types[key->type].size == 0)
        put_string(file, key->value);
    else
        put_number(file, strtoull(key->value, NULL, 10), key_types[key->type].size);
}

static uint64_t tensor_size(const struct item *tensor)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->n_dims; i++)
        elements *= tensor->dims[i];
    return elements / tensor_types[tensor->type].elements *
           tensor_types[tensor->type].bytes;
}

static void put_infos(struct file *file)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < file->n_tensors; i++) {
        const struct item *tensor = &file->tensors[i];
        put_string(file, tensor->name);
        put_number(file, tensor->n_dims, 4);
        for (uint32_t j = 0; j < tensor->n_dims; j++)
            put_length(file, tensor->dims[j]);
        put_number(file, tensor_types[tensor->type].id, 4);
        put_number(file, offset, 8);
        offset += padded(file, tensor_size(tensor));
    }
}

/* Bit 6 is clear in all bytes, so that whatever floats they are part of are finite. */
static void put_data(struct file *file, const struct item *tensor)
{
    uint32_t state = tensor->seed;
    uint64_t size = tensor_size(tensor);
    for (uint64_t left = tensor->filled ? size / 4 : 0; left > 0; left--)
        put_number(file, tensor->seed, 4);
    for (uint64_t left = tensor->filled ? 0 : size; left > 0; left--) {
        state = state * 1664525 + 1013904223;
        putc((int)(state >> 24 & 0xbf), file->out);
    }
    put_padding(file);
}

static void free_items(struct item *items, size_t *count)
{
    for (; *count > 0; --*count) {
        free(items[*count - 1].name);
        free(items[*count - 1].value);
    }
}

/* Writes the file that was described so far, if any. */
static void write_file(struct file *file)
{
    if (!file->out)
        return;
    fputs("GGUF", file->out);
    put_number(file, file->version, 4);
    put_length(file, file->n_tensors);
    put_length(file, file->n_keys);
    for (size_t i = 0; i < file->n_keys; i++)
        put_key(file, &file->keys[i]);
    put_infos(file);
    put_padding(file);
    for (size_t i = 0; i < file->n_tensors; i++)
        put_data(file, &file->tensors[i]);
    if (ferror(file->out) || fclose(file->out))
        fail("writing", strerror(errno));
    free_items(file->keys, &file->n_keys);
    free_items(file->tensors, &file->n_tensors);
    file->out = NULL;
}

static void begin_file(struct file *file, const char *name)
{
    write_file(file);
    file->out = fopen(name, "wb");
    if (!file->out)
        fail(name, strerror(errno));
    file->big = false;
    file->version = 3;
    file->alignment = 32;
}

/* The next word of a line, which may be missing. */
static const char *word(char **line)
{
    const char *found = strsep(line, " ");
    return found ? found : "";
}

static char *copied(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        fail("memory", strerror(errno));
    return copy;
}

static void add_key(struct file *file, char *line)
{
    struct item *key = &file->keys[file->n_keys];
    const char *type = word(&line);
    *key = (struct item){.name = NULL};
    while (key->type < COUNT(key_types) && strcmp(key_types[key->type].name, type) != 0)
        key->type++;
    if (key->type == COUNT(key_types) || file->n_keys == ITEMS)
        fail("key", type);
    key->name = copied(word(&line));
    key->value = copied(line ? line : "");
    file->n_keys++;
}

/* SEED or =X. */
static void set_seed(struct item *tensor, const char *text)
{
    float value = strtof(text + 1, NULL);
    tensor->filled = text[0] == '=';
    tensor->seed = (uint32_t)strtoul(text, NULL, 10);
    if (tensor->filled)
        memcpy(&tensor->seed, &value, sizeof(value));
}

static void add_tensor(struct file *file, char *line)
{
    struct item *tensor = &file->tensors[file->n_tensors];
    *tensor = (struct item){.name = copied(word(&line))};
    const char *type = word(&line);
    while (tensor->type < COUNT(tensor_types) &&
           strcmp(tensor_types[tensor->type].name, type) != 0)
        tensor->type++;
    if (tensor->type == COUNT(tensor_types) || file->n_tensors == ITEMS)
        fail("tensor", type);
    set_seed(tensor, word(&line));
    while (line && tensor->n_dims < DIMS)
        tensor->dims[tensor->n_dims++] = strtoull(word(&line), NULL, 10);
    file->n_tensors++;
}

static void obey(struct file *file, char *line)
{
    const char *directive = word(&line);
    if (strcmp(directive, "file") == 0)
        begin_file(file, line);
    else if (!file->out)
        fail("no file is begun", directive);
    else if (strcmp(directive, "big") == 0)
        file->big = true;
    else if (strcmp(directive, "version") == 0)
        file->version = (uint32_t)strtoul(word(&line), NULL, 10);
    else if (strcmp(directive, "alignment") == 0)
        file->alignment = strtoull(word(&line), NULL, 10);
    else if (strcmp(directive, "key") == 0)
        add_key(file, line);
    else if (strcmp(directive, "tensor") == 0)
        add_tensor(file, line);
    else
        fail("unknown directive", directive);
}

int main(void)
{
    struct file *file = calloc(1, sizeof(*file));
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (!file)
        fail("memory", strerror(errno));
    while ((length = getline(&line, &room, stdin)) > 0) {
        line[length - 1] = '\0';
        if (line[0] != '\0')
            obey(file, line);
    }
    write_file(file);
    free(line);
    free(file);
    return 0;
}
