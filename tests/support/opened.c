/* SPDX-License-Identifier: MIT */
/* Opening models for tests, reading whole files of their trees. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "support/opened.h"

void opened_file(struct opened *opened, const char *path,
                 const struct ggufs_options *options)
{
    struct ggufs_error error = {0};

    opened->directory[0] = '\0';
    if (ggufs_model_open(path, options, &opened->model, &error) < 0)
        fail_msg("%s: %s", path, error.text);
    if (tree_build(opened->model, &opened->tree, &error) < 0)
        fail_msg("%s: %s", path, error.text);
}

static void model_path(char path[512], const char *directory)
{
    snprintf(path, 512, "%s/model.gguf", directory);
}

void opened_build(struct opened *opened, struct build *build,
                  const struct ggufs_options *options)
{
    const char *tmp = getenv("TMPDIR");
    char directory[256], path[512];

    snprintf(directory, sizeof(directory), "%s/ggufs-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(directory));
    model_path(path, directory);
    assert_int_equal(build_write(build, path), 0);
    build_done(build);
    opened_file(opened, path, options);
    memcpy(opened->directory, directory, sizeof(directory));
}

void opened_close(struct opened *opened)
{
    char path[512];

    tree_free(opened->tree);
    ggufs_model_close(opened->model);
    if (opened->directory[0] == '\0')
        return;
    model_path(path, opened->directory);
    unlink(path);
    assert_int_equal(rmdir(opened->directory), 0);
}

uint32_t opened_node(const struct opened *opened, const char *path)
{
    const char *slash = strchr(path, '/');
    char first[256];
    uint32_t node = 0;

    snprintf(first, sizeof(first), "%.*s", slash ? (int)(slash - path) : 255, path);
    if (first[0] != '\0' && tree_lookup(opened->tree, 0, first, &node) < 0)
        fail_msg("no %s", path);
    if (slash && tree_lookup(opened->tree, node, slash + 1, &node) < 0)
        fail_msg("no %s", path);
    return node;
}

char *opened_read(const struct opened *opened, const char *path, size_t *size)
{
    struct content *content;
    uint64_t length = 0;

    assert_int_equal(tree_content(opened->tree, opened_node(opened, path), &content), 0);
    assert_int_equal(content_size(content, &length), 0);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    assert_int_equal(content_read(content, NULL, 0, text, (size_t)length), length);
    text[length] = '\0';
    if (size)
        *size = (size_t)length;
    return text;
}

json_t *opened_json(const struct opened *opened, const char *path)
{
    json_error_t error;
    size_t size;
    char *text = opened_read(opened, path, &size);
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);

    if (!json)
        fail_msg("%s: %s at line %d", path, error.text, error.line);
    free(text);
    return json;
}
