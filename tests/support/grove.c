/* SPDX-License-Identifier: MIT */
/* Making models, opening trees over them. */

#include "support/grove.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/build.h"

static void note_line(void *data, const char *line)
{
    struct grove *grove = data;
    size_t used = strlen(grove->log);
    snprintf(grove->log + used, sizeof(grove->log) - used, "%s\n", line);
    grove_strip(grove, grove->log);
}

void grove_new(struct grove *grove)
{
    memset(grove, 0, sizeof(*grove));
    layout_new(&grove->layout);
    grove->options.log = note_line;
    grove->options.log_data = grove;
}

void grove_free(struct grove *grove)
{
    ggufs_tree_close(grove->tree);
    layout_free(&grove->layout);
}

static void write_model(struct grove *grove, const char *path, struct build *build)
{
    layout_file(&grove->layout, path, "");
    assert_int_equal(build_write(build, layout_path(&grove->layout, path)), 0);
    build_done(build);
}

void grove_model(struct grove *grove, const char *path, const char *architecture,
                 uint64_t n)
{
    struct build build;
    build_init(&build, 3, false);
    build_key_str(&build, "general.architecture", architecture);
    build_tensor(&build, "w", 0, 1, &n);
    write_model(grove, path, &build);
}

void grove_shard(struct grove *grove, const char *path, uint32_t i, uint32_t n)
{
    struct build build;
    char name[16];
    build_init(&build, 3, false);
    build_key_number(&build, "split.no", GGUFS_U16, i);
    build_key_number(&build, "split.count", GGUFS_U16, n);
    build_key_number(&build, "split.tensors.count", GGUFS_I32, n);
    snprintf(name, sizeof(name), "w%u", i);
    build_tensor(&build, name, 0, 1, (uint64_t[]){8});
    write_model(grove, path, &build);
}

void grove_open(struct grove *grove, const char *what)
{
    struct ggufs_error error = {0};
    const char *model = strchr(what, ':') ? what : layout_path(&grove->layout, what);
    ggufs_tree_close(grove->tree);
    grove->tree = NULL;
    if (ggufs_tree_open(&model, 1, &grove->options, &grove->tree, &error) < 0)
        fail_msg("%s: %s", what, error.text);
}

void grove_wait(struct grove *grove)
{
    grove->tree->found_at.tv_sec -= 100;
}

static int add_name(void *data, const struct ggufs_entry *entry)
{
    fprintf(data, "%s ", entry->name);
    return 0;
}

uint64_t grove_node(struct grove *grove, const char *path)
{
    uint64_t node;
    int r = ggufs_tree_resolve(grove->tree, path, &node);
    if (r < 0)
        fail_msg("%s: %s", path, strerror(-r));
    return node;
}

char *grove_list(struct grove *grove, const char *path)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int r = ggufs_tree_list(grove->tree, grove_node(grove, path), 0, add_name, out);
    fclose(out);
    if (r < 0)
        fail_msg("%s: %s", path, strerror(-r));
    return text;
}

char *grove_read(struct grove *grove, const char *path)
{
    struct ggufs_file *file;
    uint64_t size;
    assert_int_equal(ggufs_file_open(grove->tree, grove_node(grove, path), &file), 0);
    assert_int_equal(ggufs_file_size(file, &size), 0);
    char *text = malloc((size_t)size + 1);
    assert_int_equal(ggufs_file_read(file, 0, text, (size_t)size), size);
    text[size] = '\0';
    ggufs_file_close(file);
    grove_strip(grove, text);
    return text;
}

void grove_strip(const struct grove *grove, char *text)
{
    size_t length = strlen(grove->layout.root) + 1;
    char *at = text;
    while ((at = strstr(at, grove->layout.root)) != NULL)
        memmove(at, at + length, strlen(at + length) + 1);
}

size_t grove_descriptors(const struct grove *grove)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char target[4096];
        ssize_t length =
            readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1);
        target[length > 0 ? length : 0] = '\0';
        count += strncmp(target, grove->layout.root, strlen(grove->layout.root)) == 0;
    }
    closedir(directory);
    return count;
}
