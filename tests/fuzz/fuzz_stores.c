/* SPDX-License-Identifier: MIT */
/* Searches for models in folders and in the stores of other programs, whatever is in them and
 * whatever was asked for: nothing outside of them is found, names differ, the same search finds
 * the same, and the tree of all that was found holds what every tree does.
 *
 * Input: lines as ground.h has them, and "s NAME": what is asked for (a path is below the
 * place). */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground.h"
#include "harness.h"
#include "reading.h"
#include "stores/store.h"

#define SPECS 4
#define LINES 64

struct specs {
    char *list[SPECS];
    size_t n;
};

static bool in_a_store(const char *spec)
{
    return strncmp(spec, "ollama:", 7) == 0 || strncmp(spec, "hf:", 3) == 0 ||
           strncmp(spec, "lmstudio:", 9) == 0;
}

static void add_spec(struct specs *specs, const struct ground *ground, const char *spec)
{
    bool store = in_a_store(spec);
    if (specs->n == SPECS || strlen(spec) > 1024 || (!store && !ground_is_inside(spec)))
        return;
    size_t room = strlen(ground->root) + strlen(spec) + 2;
    char *path = exact_alloc(room);
    snprintf(path, room, "%s%s%s", store ? "" : ground->root, store ? "" : "/", spec);
    specs->list[specs->n++] = path;
}

/* Where the stores are. */
static void set_places(const struct ground *ground)
{
    char path[DIRECTORY_ROOM + 16];
    setenv("HOME", ground->root, 1);
    unsetenv("HUGGINGFACE_HUB_CACHE");
    snprintf(path, sizeof(path), "%s/ollama", ground->root);
    setenv("OLLAMA_MODELS", path, 1);
    snprintf(path, sizeof(path), "%s/hub", ground->root);
    setenv("HF_HUB_CACHE", path, 1);
}

static void lay_out(struct ground *ground, struct specs *specs, char *text)
{
    unsigned n = 0;
    for (char *line = strtok(text, "\n"); line && n < LINES;
         line = strtok(NULL, "\n"), n++)
        if (strncmp(line, "s ", 2) == 0)
            add_spec(specs, ground, line + 2);
        else
            ground_line(ground, line);
    if (specs->n == 0)
        add_spec(specs, ground, "");
}

/* ---- what was found ---- */

static void check_found(const struct ground *ground, const struct found_list *list)
{
    size_t length = strlen(ground->root);
    const char *before = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct found *found = &list->items[i];
        if (found->trouble) {
            expect_line(found->trouble);
            continue;
        }
        expect(strncmp(found->path, ground->root, length) == 0);
        expect(found->path[length] == '/' && found->files >= 1);
        expect(found->name[0] != '\0');
        if (before)
            expect(strcmp(before, found->name) < 0);
        before = found->name;
    }
    expect(!list->single || list->count == 1);
}

static void check_same(const struct found_list *a, const struct found_list *b)
{
    expect(a->count == b->count && a->single == b->single);
    for (size_t i = 0; i < a->count; i++) {
        expect(strcmp(a->items[i].name, b->items[i].name) == 0);
        expect(strcmp(a->items[i].path, b->items[i].path) == 0);
        expect(!a->items[i].trouble == !b->items[i].trouble);
    }
}

static void find(struct stores *stores, const struct ground *ground)
{
    struct found_list list = {0}, again = {0};
    struct ggufs_error error = {0};
    int rc = stores_find(stores, &list, &error);
    if (rc < 0)
        expect_error(rc, &error);
    else
        check_found(ground, &list);
    expect(stores_find(stores, &again, NULL) == rc);
    if (rc == 0)
        check_same(&list, &again);
    for (size_t i = 0; rc == 0 && stores_folder(stores, i) != NULL; i++)
        expect(strncmp(stores_folder(stores, i), ground->root, strlen(ground->root)) ==
               0);
    expect(stores_name(stores)[0] != '\0');
    found_done(&list);
    found_done(&again);
}

static void check_search(const struct specs *specs, const struct ground *ground)
{
    struct stores *stores;
    struct ggufs_error error = {0};
    int rc = stores_open((const char *const *)specs->list, specs->n, &stores, &error);
    if (rc < 0) {
        expect_error(rc, &error);
        return;
    }
    find(stores, ground);
    stores_close(stores);
}

static void check_tree(const struct specs *specs)
{
    struct ggufs_tree *tree;
    struct ggufs_error error = {0};
    int rc =
        ggufs_tree_open((const char *const *)specs->list, specs->n, NULL, &tree, &error);
    if (rc < 0) {
        expect_error(rc, &error);
        return;
    }
    reading_check(tree, GGUFS_ROOT);
    ggufs_tree_close(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ground ground;
    struct specs specs = {.n = 0};
    char *text = exact_alloc(size + 1);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    ground_init(&ground);
    set_places(&ground);
    lay_out(&ground, &specs, text);
    check_search(&specs, &ground);
    check_tree(&specs);
    for (size_t i = 0; i < specs.n; i++)
        free(specs.list[i]);
    ground_done(&ground);
    free(text);
    return 0;
}

#define HEX  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HOST "ollama/manifests/registry.ollama.ai/library/"
#define TYPE "application/vnd.ollama.image."

static const struct {
    const char *name;
    const char *text;
} seeds[] = {
    {"folder", "g a/m.gguf\ng b/m.gguf\ng b/n-Q4_0.gguf\nf b/bad.gguf\tGGUX\nd c\ns \n"},
    {"shards", "g m-00001-of-00002.gguf\ng m-00002-of-00002.gguf\ng m.gguf\n"},
    {"links", "g a/m.gguf\nl b/x.gguf\t../a/m.gguf\nl c\ta\nl a/loop\t.\nl d\tnone\n"},
    {"one", "g m.gguf\ns m.gguf\n"},
    {"several", "g m.gguf\ng n.gguf\ns m.gguf\ns n.gguf\ns none\n"},
    {"ollama", "f " HOST "m/latest\t{\"layers\":[{\"mediaType\":\"" TYPE
               "model\",\"digest\":\"sha256:" HEX "\"},{\"mediaType\":\"" TYPE
               "projector\",\"digest\":\"sha256:no\"}]}\ng ollama/blobs/sha256-" HEX
               "\ns ollama:m\n"},
    {"ollama-all", "f " HOST "m/q4\t{}\nf " HOST "n/latest\t[\ns ollama:\n"},
    {"hf", "f hub/models--org--name/refs/main\tabc\ng hub/blobs/0\n"
           "l hub/models--org--name/snapshots/abc/m-Q4_K_M.gguf\t../../../blobs/0\n"
           "g hub/models--org--name/snapshots/abc/mmproj-m.gguf\ns hf:org/name\n"},
    {"hf-file", "g hub/models--a--b/snapshots/c/d/e.gguf\ns hf:a/b@c:d/e.gguf\n"},
    {"hf-none", "d hub/models--a--b/snapshots\ns hf:a/c\ns hf:../x@../y:z\n"},
    {"lmstudio", "g .lmstudio/models/pub/repo/m-Q8_0.gguf\ns lmstudio:pub/repo\n"},
    {"lmstudio-all",
     "g .lmstudio/models/p/r/m.gguf\nd .lmstudio/models/q\ns lmstudio:\n"},
};

void harness_seeds(seed_visit_fn *visit, void *data)
{
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        visit(data, seeds[i].name, seeds[i].text, strlen(seeds[i].text));
}
