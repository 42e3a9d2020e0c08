/* SPDX-License-Identifier: MIT */
/* The whole tree of a model file of any bytes, through the public library. Beside what holds
 * for every tree: tensors/ and model.gguf have the file's own bytes, and what is generated can
 * be read by those for whom it is. Then something happens to the file, or to the readers.
 *
 * Input: the file. Its last byte also says how it is opened, and what happens. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "harness.h"
#include "reading.h"
#include "seeds.h"

#define JSON_FLAGS                                                                       \
    (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL)

static json_t *parse_json(const char *text, size_t size)
{
    json_error_t error;
    json_t *json = json_loadb(text, size, JSON_FLAGS, &error);
    expect(json != NULL);
    return json;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    expect(size == 0 || text[size - 1] == '\n');
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

static void check_info(struct ggufs_tree *tree)
{
    char *text;
    const struct ggufs_model *model = ggufs_tree_model(tree);
    ssize_t size = reading_whole(tree, "info.json", &text);
    if (size == -EFBIG)
        return;
    expect(size > 0);
    json_t *json = parse_json(text, (size_t)size);
    expect(json_object_size(json_object_get(json, "metadata")) ==
           ggufs_model_keys(model));
    expect(json_array_size(json_object_get(json, "tensors")) ==
           ggufs_model_tensors(model));
    expect(json_array_size(json_object_get(json, "warnings")) ==
           ggufs_model_warnings(model));
    json_decref(json);
    free(text);
}

/* Of a table with a header, or of none: a line a tensor. */
static void check_table(struct ggufs_tree *tree, const char *path, size_t header)
{
    char *text;
    size_t n = ggufs_model_tensors(ggufs_tree_model(tree));
    ssize_t size = reading_whole(tree, path, &text);
    if (size < 0) /* there are no views, or there is data missing */
        return;
    expect(count_lines(text, (size_t)size) == n + header);
    free(text);
}

/* ---- metadata/ ---- */

static void check_array_lines(const char *text, size_t size, uint64_t count)
{
    expect(count_lines(text, size) == count);
    for (uint64_t i = 0; i < count && i < 256; i++) {
        const char *end = memchr(text, '\n', size);
        size_t length = (size_t)(end - text);
        json_decref(parse_json(text, length));
        text += length + 1;
        size -= length + 1;
    }
}

static void check_value(const struct ggufs_value *value, const char *text, size_t size)
{
    if (value->type == GGUFS_ARR)
        check_array_lines(text, size, value->arr.count);
    else if (value->type == GGUFS_STR)
        expect(size == value->str.length + 1 &&
               memcmp(text, value->str.bytes, size - 1) == 0);
    else
        expect(count_lines(text, size) == 1);
}

struct walk {
    struct ggufs_tree *tree;
    const uint8_t *bytes; /* of the model file */
    size_t size;
    size_t next;
};

/* Entries stand in file order, so that the next one shows the next key. */
static int check_key(void *data, const struct ggufs_entry *entry)
{
    struct walk *walk = data;
    struct ggufs_key key;
    char path[300] = "metadata/", *text;
    strcat(path, entry->name);
    ggufs_model_key(ggufs_tree_model(walk->tree), walk->next++, &key);
    ssize_t size = reading_whole(walk->tree, path, &text);
    if (size == -EFBIG)
        return 0;
    expect(size >= 0);
    check_value(&key.value, text, (size_t)size);
    free(text);
    return 0;
}

/* ---- tensors/ ---- */

static int check_tensor(void *data, const struct ggufs_entry *entry)
{
    struct walk *walk = data;
    struct ggufs_tensor tensor;
    char path[300] = "tensors/", *text;
    strcat(path, entry->name);
    const struct ggufs_model *model = ggufs_tree_model(walk->tree);
    size_t found, i = walk->next++;
    ggufs_model_tensor(model, i, &tensor);
    expect(ggufs_model_find_tensor(model, tensor.name, tensor.name_length, &found) == 0);
    expect(found <= i);
    bool there = tensor.offset <= walk->size && tensor.size <= walk->size - tensor.offset;
    ssize_t size = reading_whole(walk->tree, path, &text);
    if (!there)
        expect(size == -EIO || (size == -EFBIG && tensor.size > READING_MAX) ||
               (size == 0 && tensor.size == 0));
    else
        expect(size == (ssize_t)tensor.size);
    if (size >= 0 && there)
        expect(memcmp(text, walk->bytes + tensor.offset, tensor.size) == 0);
    if (size >= 0)
        free(text);
    return 0;
}

static void check_directory(struct walk *walk, const char *path, size_t count,
                            int (*check)(void *data, const struct ggufs_entry *entry))
{
    uint64_t node;
    expect(ggufs_tree_resolve(walk->tree, path, &node) == 0);
    walk->next = 0;
    expect(ggufs_tree_list(walk->tree, node, 0, check, walk) == 0);
    expect(walk->next == count);
}

/* ---- views ---- */

static void check_merged(const struct walk *walk)
{
    char *text;
    ssize_t size = reading_whole(walk->tree, "model.gguf", &text);
    if (size < 0)
        return;
    expect(size == (ssize_t)walk->size && memcmp(text, walk->bytes, walk->size) == 0);
    free(text);
}

static uint64_t load_length(const char *text)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | (unsigned char)text[i];
    return value;
}

/* A header of JSON; the data of all tensors without gaps. */
static void check_safetensors(const struct walk *walk)
{
    char *text;
    ssize_t size = reading_whole(walk->tree, "model.safetensors", &text);
    if (size < 0)
        return;
    expect(size >= 8);
    uint64_t header = load_length(text);
    expect(header <= (uint64_t)size - 8 && header % 8 == 0);
    json_t *json = parse_json(text + 8, header), *tensor;
    double end = 0;
    const char *name;
    json_object_foreach(json, name, tensor)
    {
        const json_t *offsets = json_object_get(tensor, "data_offsets");
        double last = json_number_value(json_array_get(offsets, 1));
        end = last > end ? last : end;
    }
    expect(end == (double)((uint64_t)size - 8 - header));
    json_decref(json);
    free(text);
}

/* ---- all of it ---- */

static void check_model(const struct ggufs_model *model)
{
    for (size_t i = 0; i < ggufs_model_warnings(model); i++) {
        struct ggufs_warning warning;
        ggufs_model_warning(model, i, &warning);
        expect_line(warning.text);
    }
}

static void check_tree(struct ggufs_tree *tree, const uint8_t *bytes, size_t size)
{
    struct walk walk = {tree, bytes, size, 0};
    const struct ggufs_model *model = ggufs_tree_model(tree);
    struct statvfs st;
    check_model(model);
    reading_check(tree, GGUFS_ROOT);
    check_info(tree);
    check_table(tree, "tensors.tsv", 1);
    check_table(tree, "SHA256SUMS", 0);
    check_directory(&walk, "metadata", ggufs_model_keys(model), check_key);
    check_directory(&walk, "tensors", ggufs_model_tensors(model), check_tensor);
    check_merged(&walk);
    check_safetensors(&walk);
    expect(ggufs_tree_statfs(tree, &st) == 0);
}

/* ---- what happens ---- */

enum event { NOTHING, TRUNCATED, REWRITTEN, STOPPED };

static enum event event_of(uint8_t choice)
{
    return (enum event)(choice >> 6);
}

/* What is left by the event of a read that gave before: that, or the event's error. What is
 * rendered from the head is there for ever. */
static void check_read(struct ggufs_file *file, size_t size, enum event event)
{
    static const int errors[] = {0, -EIO, -ESTALE, -EINTR};
    static const volatile int stop = 1;
    struct iovec pieces[8];
    int n = 8;
    char *scratch = exact_alloc(size);
    ssize_t got = ggufs_file_gather(file, 0, size, scratch, pieces, &n,
                                    event == STOPPED ? &stop : NULL);
    expect(got <= (ssize_t)size);
    expect(got >= 0 || got == errors[event] || got == -EIO);
    free(scratch);
}

static void check_after(struct ggufs_tree *tree, uint64_t node, enum event event);

struct after {
    struct ggufs_tree *tree;
    enum event event;
    unsigned left; /* entries to look at */
};

static int check_entry_after(void *data, const struct ggufs_entry *entry)
{
    struct after *after = data;
    if (after->left == 0)
        return 0;
    after->left--;
    check_after(after->tree, entry->node, after->event);
    return 0;
}

static void check_after(struct ggufs_tree *tree, uint64_t node, enum event event)
{
    struct after after = {tree, event, 16};
    struct ggufs_file *file;
    if (ggufs_tree_list(tree, node, 0, check_entry_after, &after) == 0)
        return;
    int rc = ggufs_file_open(tree, node, &file);
    expect(rc == 0 || (rc == -ESTALE && event == REWRITTEN));
    if (rc < 0)
        return;
    check_read(file, 5000, event);
    ggufs_file_close(file);
}

static void let_happen(struct ggufs_tree *tree, int fd, size_t size, enum event event)
{
    if (event == TRUNCATED)
        expect(ftruncate(fd, (off_t)(size - size / 3)) == 0);
    if (event == REWRITTEN)
        expect(pwrite(fd, "other", 5, 0) == 5);
    check_after(tree, GGUFS_ROOT, event);
}

/* ---- one input ---- */

static int open_file(const uint8_t *bytes, size_t size, struct ggufs_tree **tree,
                     struct ggufs_error *error, int *fd)
{
    char path[64];
    struct ggufs_options options = options_of(size > 0 ? bytes[size - 1] : 0);
    *fd = memory_file(bytes, size, path);
    return ggufs_tree_open((const char *const[]){path}, 1, &options, tree, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ggufs_error error = {0};
    struct ggufs_tree *tree;
    int fd;
    int rc = open_file(bytes, size, &tree, &error, &fd);
    if (rc < 0) {
        expect_error(rc, &error);
    } else {
        check_tree(tree, bytes, size);
        if (event_of(bytes[size - 1]) != NOTHING)
            let_happen(tree, fd, size, event_of(bytes[size - 1]));
        ggufs_tree_close(tree);
    }
    close(fd);
    return 0;
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    seeds_models(visit, data);
}
