/* SPDX-License-Identifier: MIT */
/* src/stores/store.c: what was typed, whatever it is, comes to one list of models. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stores/store.h"
#include "support/layout.h"

struct scene {
    struct layout layout;
    struct stores *stores;
    struct found_list list;
    struct ggufs_error error;
};

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    layout_new(&scene->layout);
    setenv("OLLAMA_MODELS", layout_path(&scene->layout, "ollama"), 1);
    setenv("HF_HUB_CACHE", layout_path(&scene->layout, "hub"), 1);
    setenv("HOME", scene->layout.root, 1);
    *state = scene;
    return 0;
}

static void forget(struct scene *scene)
{
    found_done(&scene->list);
    stores_close(scene->stores);
    scene->stores = NULL;
    scene->error = (struct ggufs_error){0};
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    forget(scene);
    layout_free(&scene->layout);
    free(scene);
    return 0;
}

/* A name in a store is typed as it is, all else as a path in the layout. */
static const char *typed(const struct scene *scene, const char *spec)
{
    return strchr(spec, ':') ? spec : layout_path(&scene->layout, spec);
}

/* Opens and searches for up to three things; NULL: no more. */
static int find(struct scene *scene, const char *a, const char *b, const char *c)
{
    const char *specs[3] = {typed(scene, a), b ? typed(scene, b) : NULL,
                            c ? typed(scene, c) : NULL};
    forget(scene);
    int rc = stores_open(specs, 1 + !!b + !!c, &scene->stores, &scene->error);
    return rc < 0 ? rc : stores_find(scene->stores, &scene->list, &scene->error);
}

static int find_again(struct scene *scene)
{
    found_done(&scene->list);
    return stores_find(scene->stores, &scene->list, &scene->error);
}

static void expect_text(struct scene *scene, const char *expected)
{
    char *text = layout_text(&scene->layout, &scene->list);
    assert_string_equal(text, expected);
    free(text);
}

static void lay_out(struct scene *scene)
{
    const struct layout *layout = &scene->layout;
    layout_file(layout, "models/a.gguf", "1");
    layout_file(layout, "models/sub/b.gguf", "12");
    layout_file(layout, "more/a.gguf", "123");
    layout_file(layout, "set/m-00001-of-00002.gguf", "1");
    layout_file(layout, "set/m-00002-of-00002.gguf", "1");
    layout_file(layout, "plain", "1");
    layout_file(layout, "hub/models--o--r/refs/main", "abc");
    layout_file(layout, "hub/models--o--r/blobs/1", "1");
    layout_link(layout, "hub/models--o--r/snapshots/abc/r-Q8_0.gguf", "../../blobs/1");
    layout_link(layout, "hub/models--o--r/snapshots/abc/r-Q4_0.gguf", "../../blobs/1");
    layout_file(layout, ".lmstudio/models/p/r/f.gguf", "1");
    layout_file(layout,
                "ollama/blobs/sha256-"
                "dde5aa3fc5ffc17176b5e8bdc82f587b24b2678c6c66101bf7da77af9f7ccdff",
                "1");
    layout_file(layout, "ollama/manifests/registry.ollama.ai/library/m/latest",
                "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
                "\"digest\":\"sha256:"
                "dde5aa3fc5ffc17176b5e8bdc82f587b24b2678c6c66101bf7da77af9f7ccdff\"}]}");
}

#define BLOB                                                                             \
    "ollama/blobs/sha256-"                                                               \
    "dde5aa3fc5ffc17176b5e8bdc82f587b24b2678c6c66101bf7da77af9f7ccdff"

struct spec_case {
    const char *specs[3];
    bool single;
    const char *name;
    const char *found;
};

static const struct spec_case spec_cases[] = {
    /* One file is that file, whatever it is called; its size is not asked for. */
    {{"models/a.gguf"}, true, "a", "a = models/a.gguf 0\n"},
    {{"plain"}, true, "plain", "plain = plain 0\n"},
    {{"missing.gguf"}, true, "missing", "missing = missing.gguf 0\n"},
    {{"set/m-00002-of-00002.gguf"}, true, "m", "m = set/m-00002-of-00002.gguf 0\n"},
    /* A directory is never one model. */
    {{"models"}, false, "models", "a = models/a.gguf 1\nb = models/sub/b.gguf 2\n"},
    {{"models/"}, false, "models", "a = models/a.gguf 1\nb = models/sub/b.gguf 2\n"},
    {{"more"}, false, "more", "a = more/a.gguf 3\n"},
    {{"set"}, false, "set", "m = set/m-00001-of-00002.gguf 2 (2 files)\n"},
    /* Several things. */
    {{"models/a.gguf", "more/a.gguf"},
     false,
     "models",
     "models-a = models/a.gguf 1\nmore-a = more/a.gguf 3\n"},
    {{"models", "more"},
     false,
     "models",
     "b = models/sub/b.gguf 2\nmodels-a = models/a.gguf 1\nmore-a = more/a.gguf 3\n"},
    {{"more/a.gguf", "missing.gguf", "plain"},
     false,
     "models",
     "a = more/a.gguf 3\n"
     "missing.gguf ! missing.gguf: No such file or directory\n"
     "plain = plain 1\n"},
    {{"more/a.gguf", "more/a.gguf"}, true, "a", "a = more/a.gguf 3\n"},
    {{"set/m-00002-of-00002.gguf", "set/m-00001-of-00002.gguf"},
     true,
     "m",
     "m = set/m-00001-of-00002.gguf 2 (2 files)\n"},
    {{"ollama:m", "ollama:x", "models/a.gguf"},
     false,
     "models",
     "a = models/a.gguf 1\n"
     "m:latest = " BLOB " 1\n"
     "ollama:x ! ollama:x: no model 'x' in '%s/ollama'; there are: 'm:latest'\n"},
    /* Stores. */
    {{"ollama:"}, false, "ollama", "m:latest = " BLOB " 1\n"},
    {{"ollama:m"}, true, "m:latest", "m:latest = " BLOB " 1\n"},
    {{"hf:"},
     false,
     "hf",
     "r-Q4_0 = hub/models--o--r/snapshots/abc/r-Q4_0.gguf 1\n"
     "r-Q8_0 = hub/models--o--r/snapshots/abc/r-Q8_0.gguf 1\n"},
    {{"hf:o/r"},
     false,
     "r",
     "r-Q4_0 = hub/models--o--r/snapshots/abc/r-Q4_0.gguf 1\n"
     "r-Q8_0 = hub/models--o--r/snapshots/abc/r-Q8_0.gguf 1\n"},
    {{"hf:o/r:Q8_0"},
     true,
     "r-Q8_0",
     "r-Q8_0 = hub/models--o--r/snapshots/abc/r-Q8_0.gguf 1\n"},
    {{"lmstudio:"}, false, "lmstudio", "f = .lmstudio/models/p/r/f.gguf 1\n"},
    {{"lmstudio:p/"}, false, "p", "f = .lmstudio/models/p/r/f.gguf 1\n"},
    {{"lmstudio:p/r"}, true, "f", "f = .lmstudio/models/p/r/f.gguf 1\n"},
};

/* The layout's root is the only thing in the table that differs from run to run. */
static void with_root(const struct scene *scene, const char *text, char *out, size_t size)
{
    const char *mark = strstr(text, "%s");
    if (mark)
        snprintf(out, size, "%.*s%s%s", (int)(mark - text), text, scene->layout.root,
                 mark + 2);
    else
        snprintf(out, size, "%s", text);
}

static void everything_that_can_be_typed(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    for (size_t i = 0; i < sizeof(spec_cases) / sizeof(*spec_cases); i++) {
        const struct spec_case *row = &spec_cases[i];
        char expected[2048];
        assert_int_equal(find(scene, row->specs[0], row->specs[1], row->specs[2]), 0);
        with_root(scene, row->found, expected, sizeof(expected));
        expect_text(scene, expected);
        assert_int_equal(stores_is_single(scene->stores), row->single);
        assert_string_equal(stores_name(scene->stores), row->name);
    }
}

static void one_thing_that_is_not_there_is_an_error(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    assert_int_equal(find(scene, "ollama:x", NULL, NULL), -ENOENT);
    assert_non_null(strstr(scene->error.text, "no model 'x' in '"));
    assert_int_equal(find(scene, "hf:o/x", NULL, NULL), -ENOENT);
    assert_int_equal(find(scene, "lmstudio:x", NULL, NULL), -ENOENT);
    assert_int_equal(find(scene, "ollama:..", NULL, NULL), -EINVAL);
    assert_int_equal(scene->error.code, GGUFS_USAGE);
    /* Nor do several that are all not there make a mount. */
    assert_int_equal(find(scene, "x.gguf", "y.gguf", NULL), -ENOENT);
    assert_non_null(strstr(scene->error.text, "x.gguf: No such file or directory"));
}

static void an_empty_name_is_refused(void **state)
{
    struct scene *scene = *state;
    const char *specs[] = {""};
    assert_int_equal(stores_open(specs, 1, &scene->stores, &scene->error), -EINVAL);
    assert_int_equal(scene->error.code, GGUFS_USAGE);
    assert_null(scene->stores);
}

static void relative_paths_survive_a_change_of_directory(void **state)
{
    struct scene *scene = *state;
    const char *specs[] = {"models", "ollama:", "./more/a.gguf"};
    lay_out(scene);
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(here >= 0);
    assert_int_equal(chdir(scene->layout.root), 0);
    setenv("OLLAMA_MODELS", "ollama", 1);
    int rc = stores_open(specs, 3, &scene->stores, &scene->error);
    assert_int_equal(chdir("/"), 0);
    if (rc == 0)
        rc = stores_find(scene->stores, &scene->list, &scene->error);
    assert_int_equal(fchdir(here), 0);
    close(here);
    assert_int_equal(rc, 0);
    expect_text(scene, "b = models/sub/b.gguf 2\n"
                       "m:latest = " BLOB " 1\n"
                       "models-a = models/a.gguf 1\n"
                       "more-a = more/a.gguf 3\n");
}

static void what_comes_and_goes_is_found_again(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    assert_int_equal(find(scene, "models", NULL, NULL), 0);
    layout_file(&scene->layout, "models/new/c.gguf", "1");
    assert_int_equal(unlink(layout_path(&scene->layout, "models/a.gguf")), 0);
    assert_true(stores_changed(scene->stores));
    assert_int_equal(find_again(scene), 0);
    expect_text(scene, "b = models/sub/b.gguf 2\nc = models/new/c.gguf 1\n");
}

/* A repository with one model was mounted as many: a second search must not make it
 * one. */
static void many_stay_many(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    assert_int_equal(find(scene, "hf:o/r", NULL, NULL), 0);
    assert_int_equal(
        unlink(layout_path(&scene->layout, "hub/models--o--r/snapshots/abc/r-Q8_0.gguf")),
        0);
    layout_link(&scene->layout, "hub/models--o--r/snapshots/abc/mmproj.gguf",
                "../../blobs/1");
    assert_int_equal(find_again(scene), 0);
    assert_false(stores_is_single(scene->stores));
    expect_text(scene, "mmproj = hub/models--o--r/snapshots/abc/mmproj.gguf 1 projector\n"
                       "r-Q4_0 = hub/models--o--r/snapshots/abc/r-Q4_0.gguf 1\n");
}

/* Such as the mount of these very models. A link stands for one: mounting takes
 * rights. */
static void what_is_mounted_later_is_left_alone(void **state)
{
    struct scene *scene = *state;
    struct stat here, there;
    assert_int_equal(stat(scene->layout.root, &here), 0);
    if (stat("/proc/self", &there) < 0 || here.st_dev == there.st_dev) {
        print_message("# there is no second filesystem\n");
        return;
    }
    lay_out(scene);
    assert_int_equal(find(scene, "more", NULL, NULL), 0);
    layout_link(&scene->layout, "more/status.gguf", "/proc/self/status");
    assert_int_equal(find_again(scene), 0);
    expect_text(scene, "a = more/a.gguf 3\n");
}

static void folders_are_what_must_stay_readable(void **state)
{
    struct scene *scene = *state;
    lay_out(scene);
    layout_link(&scene->layout, "models/link.gguf", "../more/a.gguf");
    assert_int_equal(find(scene, "models", "set/m-00001-of-00002.gguf", "hf:"), 0);
    static const char *const expected[] = {"hub", "models", "more", "set"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(stores_folder(scene->stores, i),
                            layout_path(&scene->layout, expected[i]));
    assert_null(stores_folder(scene->stores, 4));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(everything_that_can_be_typed),
        CASE(one_thing_that_is_not_there_is_an_error),
        CASE(an_empty_name_is_refused),
        CASE(relative_paths_survive_a_change_of_directory),
        CASE(what_comes_and_goes_is_found_again),
        CASE(many_stay_many),
        CASE(what_is_mounted_later_is_left_alone),
        CASE(folders_are_what_must_stay_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
