/* SPDX-License-Identifier: MIT */
/* Searches for models in folders and in the stores of other programs, whatever is in them and
 * whatever was asked for: nothing outside of them is found, names differ, the same search finds
 * the same, and the tree of all that was found holds what every tree does; then something is
 * changed, and it does so again.
 *
 * Input: lines as ground.h has them, and
 *
 *     s NAME              what is asked for (a path is below the place)
 *     r PATH              the same, as a path that is relative
 *     e LETTER            another surrounding: see set_places
 *     n                   what comes behind is done when all was looked at once */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forest/forest.h"
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

static void specs_done(struct specs *specs)
{
    for (size_t i = 0; i < specs->n; i++)
        free(specs->list[i]);
}

static bool in_a_store(const char *spec)
{
    return strncmp(spec, "ollama:", 7) == 0 || strncmp(spec, "hf:", 3) == 0 ||
           strncmp(spec, "lmstudio:", 9) == 0;
}

static void add_spec(struct specs *specs, const struct ground *ground, const char *spec,
                     bool relative)
{
    bool as_it_is = in_a_store(spec) || (relative && spec[0] != '\0');
    if (specs->n == SPECS || strlen(spec) > 1024 ||
        (!in_a_store(spec) && !ground_is_inside(spec)))
        return;
    size_t room = strlen(ground->root) + strlen(spec) + 2;
    char *path = exact_alloc(room);
    snprintf(path, room, "%s%s%s", as_it_is ? "" : ground->root, as_it_is ? "" : "/",
             spec);
    specs->list[specs->n++] = path;
}

enum variable { HOME, OLLAMA, HUB, OLD_HUB, HF, CACHE, VARIABLES };

static const char *const variables[VARIABLES] = {
    "HOME",    "OLLAMA_MODELS",  "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",
    "HF_HOME", "XDG_CACHE_HOME",
};

/* Not by setenv, which keeps memory: libFuzzer would look for a leak each time. */
static void set(enum variable variable, const char *front, const char *back)
{
    static char strings[VARIABLES][DIRECTORY_ROOM + 64];
    snprintf(strings[variable], sizeof(strings[variable]), "%s=%s%s", variables[variable],
             front, back);
    expect(putenv(strings[variable]) == 0);
}

/* Where the stores are. */
static void set_places(const struct ground *ground, char letter)
{
    const char *root = ground->root;
    for (int i = 0; i < VARIABLES; i++)
        unsetenv(variables[i]);
    set(HOME, root, "");
    if (letter != 'O')
        set(OLLAMA, letter == 'o' ? "ollama" : root, letter == 'o' ? "" : "/ollama");
    switch (letter) {
    case 'c': break; /* below the home */
    case 'h': set(HF, root, "/."); break;
    case 'x': set(CACHE, root, "/."); break;
    case '~': set(HUB, "~", "/hub"); break;
    case 'u': set(OLD_HUB, root, "/hub"); break;
    default: set(HUB, root, "/hub"); break;
    }
}

static void do_line(struct ground *ground, struct specs *specs, char *line)
{
    bool is_spec = strncmp(line, "s ", 2) == 0, is_relative = strncmp(line, "r ", 2) == 0;
    if (is_spec || is_relative)
        add_spec(specs, ground, line + 2, is_relative);
    else if (strncmp(line, "e ", 2) == 0 && line[2] != '\0')
        set_places(ground, line[2]);
    else
        ground_line(ground, line);
}

/* The lines up to one that is "n", or the end; those behind it. */
static char *lay_out(struct ground *ground, struct specs *specs, char *text)
{
    char *line;
    for (unsigned n = 0; n < LINES && (line = strsep(&text, "\n")); n++) {
        if (strcmp(line, "n") == 0)
            break;
        do_line(ground, specs, line);
    }
    if (specs->n == 0)
        add_spec(specs, ground, "", false);
    return text;
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

static void check_tree(const struct specs *specs, struct ground *ground, char *later)
{
    struct ggufs_tree *tree;
    struct ggufs_error error = {0};
    struct ggufs_options options = options_of(0);
    struct specs ignored = {.n = 0};
    int rc = ggufs_tree_open((const char *const *)specs->list, specs->n, &options, &tree,
                             &error);
    if (rc < 0) {
        expect_error(rc, &error);
        return;
    }
    reading_check(tree, GGUFS_ROOT);
    expect(ggufs_tree_name(tree)[0] != '\0');
    const char *folder;
    for (size_t i = 0; (folder = ggufs_tree_folder(tree, i)); i++)
        expect(strncmp(folder, ground->root, strlen(ground->root)) == 0);
    if (later && ggufs_tree_model(tree) == NULL) {
        lay_out(ground, &ignored, later);
        tree->found_at = (struct timespec){0}; /* as if that had been long ago */
        reading_check(tree, GGUFS_ROOT);
    }
    specs_done(&ignored);
    ggufs_tree_close(tree);
}

static void run_in(struct ground *ground, char *text)
{
    struct specs specs = {.n = 0};
    set_places(ground, 0);
    char *later = lay_out(ground, &specs, text);
    check_search(&specs, ground);
    check_tree(&specs, ground, later);
    specs_done(&specs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ground ground;
    char *text = exact_alloc(size + 1);
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    ground_init(&ground);
    expect(here >= 0 && fchdir(ground.fd) == 0);
    run_in(&ground, text);
    expect(fchdir(here) == 0);
    close(here);
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
    {"lmstudio-settings",
     "f .lmstudio/settings.json\t{\"downloadsFolder\":\"@ROOT@/dl\"}\n"
     "g dl/p/r/m-Q8_0.gguf\ng dl/p/r/m-Q4_0.gguf\ns lmstudio:p/r/m\n"},
    {"lmstudio-pointer", "f .lmstudio-home-pointer\t@ROOT@/lm \ng lm/models/p/r/m.gguf\n"
                         "s lmstudio:p/../r\ns lmstudio:p/r\n"},
    {"lmstudio-older", "g .cache/lm-studio/models/p/r/m.gguf\ns lmstudio:p//\n"},
    {"ollama-home", "f .ollama/models/manifests/registry.ollama.ai/library/m/latest\t{}\n"
                    "e O\ns ollama:m\n"},
    {"hf-home", "g hub/models--a--b/snapshots/c/m.gguf\ne h\ns hf:a/b\n"},
    {"hf-cache", "g huggingface/hub/models--a--b/snapshots/c/m.gguf\ne x\ns hf:a/b\n"},
    {"hf-user", "g .cache/huggingface/hub/models--a--b/snapshots/c/m.gguf\ne c\ns hf:\n"},
    {"hf-tilde", "g hub/models--a--b/snapshots/c/m.gguf\ne ~\ns hf:a/b\n"},
    {"hf-several",
     "g hub/models--a--b/snapshots/c/m-Q4_0.gguf\n"
     "g hub/models--a--b/snapshots/c/m-Q8_0.gguf\n"
     "g hub/models--a--b/snapshots/d/n-Q8_0.gguf\ns hf:a/b:Q8_0\ns hf:a/b:m\n"},
    {"relative", "g a/m.gguf\nr a\nr ./a/m.gguf\nr .\n"},
    {"fifo", "p a/m.gguf\ng b/n.gguf\ns a/m.gguf\ns \n"},
    {"changed", "g a/m.gguf\ng b/n.gguf\nn\nx a/m.gguf\ng c/o.gguf\nx b/n.gguf\n"
                "g b/n.gguf\n"},
    {"gone", "g a/m.gguf\ns a\nn\nx a/m.gguf\nx a\nf a\tfile\n"},
    {"replaced", "g m.gguf\ng n.gguf\nn\nx m.gguf\nf m.gguf\tGGUX\nx n.gguf\nd n.gguf\n"},
    {"shards-changed", "g m-00001-of-00002.gguf\ng n.gguf\nn\ng m-00002-of-00002.gguf\n"},
};

void harness_seeds(seed_visit_fn *visit, void *data)
{
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        visit(data, seeds[i].name, seeds[i].text, strlen(seeds[i].text));
}
