/* SPDX-License-Identifier: MIT */
/* The scenes: one model with some of everything, an odd one with its data cut off, a big-endian
 * one, a set of shards, a directory of models good and bad, names in stores, a pair to compare. */

#include "scenes.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/build.h"

/* Makes the directories that lead to a path, and the file, empty. */
static const char *make_place(const struct layout *layout, const char *path)
{
    layout_file(layout, path, "");
    return layout_path(layout, path);
}

static void write_model(const struct layout *layout, const char *path,
                        struct build *build)
{
    assert_int_equal(build_write(build, make_place(layout, path)), 0);
    build_done(build);
}

/* The file less its last bytes. */
static void write_cut(const struct layout *layout, const char *path, struct build *build,
                      off_t less)
{
    size_t size;
    build_bytes(build, &size);
    write_model(layout, path, build);
    assert_int_equal(truncate(layout_path(layout, path), (off_t)size - less), 0);
}

/* ---- what models are made of ---- */

static void add_strings(struct build *build, const char *key, uint64_t n)
{
    char text[32];
    build_key(build, key, GGUFS_ARR);
    build_array(build, GGUFS_STR, n);
    for (uint64_t i = 0; i < n; i++) {
        int length = snprintf(text, sizeof(text), "t\xc3\xb6ken \"%ju\"\n", (uintmax_t)i);
        build_string(build, text, (size_t)length);
    }
}

static void add_numbers(struct build *build, const char *key, uint64_t n)
{
    build_key(build, key, GGUFS_ARR);
    build_array(build, GGUFS_U32, n);
    for (uint64_t i = 0; i < n; i++)
        build_u32(build, (uint32_t)i * 2654435761U);
}

/* More than 64 KiB of text among it, so that reads have a place to start from. */
static void add_keys(struct build *build)
{
    build_key_str(build, "general.architecture", "llama");
    build_key_str(build, "general.name", "A model");
    build_key_str(build, "tokenizer.chat_template", "{{ messages }}");
    build_key_str(build, "tokenizer.chat_template.tool", "{{ tools }}\n");
    build_key_bool(build, "a.bool", 1);
    build_key_f32(build, "a.f32", 1e-5F);
    build_key_f64(build, "a.f64", 0.1);
    build_key_number(build, "a.u64", GGUFS_U64, UINT64_MAX);
    add_strings(build, "tokenizer.ggml.tokens", 200);
    add_numbers(build, "numbers", 7000);
    build_key_strings(build, "few", 2, (const char *const[]){"a", "b"});
    build_key_strings(build, "none", 0, NULL);
    build_key(build, "nested", GGUFS_ARR);
    build_array(build, GGUFS_ARR, 2);
    build_array(build, GGUFS_U8, 2);
    build_raw(build, "\1\2", 2);
    build_array(build, GGUFS_U8, 0);
}

static void add_odd_keys(struct build *build)
{
    char name[400];
    memset(name, 'n', sizeof(name));
    build_key_bytes(build, name, sizeof(name), GGUFS_U8);
    build_u8(build, 1);
    build_key_str(build, "dir/key", "b\xff");
    build_key_str(build, "general.name", "again");
    build_key_str(build, "", "no name");
    build_key_bool(build, "odd.bool", 7);
}

static void add_tensors(struct build *build)
{
    build_tensor(build, "f32", 0, 2, (uint64_t[]){4, 3});
    build_tensor(build, "f16", 1, 1, (uint64_t[]){8});
    build_tensor(build, "q4_0", 2, 2, (uint64_t[]){64, 2});
    build_tensor(build, "q8_0", 8, 1, (uint64_t[]){32});
    build_tensor(build, "q6_k", 14, 1, (uint64_t[]){256});
    build_tensor(build, "bf16", 30, 2, (uint64_t[]){5, 1000});
}

static void add_odd_tensors(struct build *build)
{
    build_tensor(build, "f32", 0, 1, (uint64_t[]){2});
    build_tensor(build, "a/b", 0, 1, (uint64_t[]){2});
    build_tensor(build, "empty", 0, 2, (uint64_t[]){0, 4});
    build_tensor(build, "unknown", 999, 1, (uint64_t[]){4});
    build_tensor(build, "cut", 0, 1, (uint64_t[]){100});
}

static void add_small(struct build *build, const char *name)
{
    build_init(build, 3, false);
    build_key_str(build, "general.architecture", "llama");
    build_key_str(build, "general.name", name);
    build_tensor(build, "t", 0, 1, (uint64_t[]){3});
}

static void write_small(const struct layout *layout, const char *path)
{
    struct build build;
    add_small(&build, path);
    write_model(layout, path, &build);
}

/* ---- the scenes ---- */

static void lay_out_model(const struct layout *layout)
{
    struct build build;
    build_init(&build, 3, false);
    add_keys(&build);
    add_tensors(&build);
    write_model(layout, "model.gguf", &build);
}

static void lay_out_odd(const struct layout *layout)
{
    struct build build;
    build_init(&build, 2, false);
    build_key_str(&build, "general.name", "first");
    add_odd_keys(&build);
    add_tensors(&build);
    add_odd_tensors(&build);
    write_cut(layout, "odd.gguf", &build, 200);
}

static void lay_out_big_endian(const struct layout *layout)
{
    struct build build;
    build_init(&build, 3, true);
    add_keys(&build);
    add_tensors(&build);
    write_model(layout, "big.gguf", &build);
}

static void lay_out_shard(const struct layout *layout, uint16_t i, uint16_t n)
{
    struct build build;
    char path[64], tensor[16];
    build_init(&build, 3, false);
    if (i == 0)
        build_key_str(&build, "general.architecture", "llama");
    build_key_number(&build, "split.no", GGUFS_U16, i);
    build_key_number(&build, "split.count", GGUFS_U16, n);
    build_key_number(&build, "split.tensors.count", GGUFS_I32, 2U * n);
    for (int k = 0; k < 2; k++) {
        snprintf(tensor, sizeof(tensor), "t%u", 2U * i + (unsigned)k);
        build_tensor(&build, tensor, k == 0 ? 0 : 8, 1, (uint64_t[]){32});
    }
    snprintf(path, sizeof(path), "set-%05u-of-%05u.gguf", i + 1U, n);
    write_model(layout, path, &build);
}

static void lay_out_set(const struct layout *layout)
{
    for (uint16_t i = 0; i < 3; i++)
        lay_out_shard(layout, i, 3);
}

static void lay_out_directory(const struct layout *layout)
{
    struct build build;
    write_small(layout, "models/a.gguf");
    write_small(layout, "models/sub/c.gguf");
    write_small(layout, "models/with\ttab/b.gguf");
    add_small(&build, "cut");
    build.claim_keys = 1000;
    write_model(layout, "models/bad.gguf", &build);
    layout_file(layout, "models/html.gguf", "<!DOCTYPE html>");
    layout_link(layout, "models/link.gguf", "../elsewhere/c.gguf");
    write_small(layout, "elsewhere/c.gguf");
    for (uint16_t i = 0; i < 2; i++)
        lay_out_shard(layout, i, 2);
}

#define DIGEST "dde5aa3fc5ffc17176b5e8bdc82f587b24b2678c6c66101bf7da77af9f7ccdff"

static void lay_out_stores(const struct layout *layout)
{
    write_small(layout, "ollama/blobs/sha256-" DIGEST);
    layout_file(layout, "ollama/manifests/registry.ollama.ai/library/m/latest",
                "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
                "\"digest\":\"sha256:" DIGEST "\"}]}");
    layout_file(layout, "hub/models--o--r/refs/main", "abc");
    write_small(layout, "hub/models--o--r/blobs/1");
    layout_link(layout, "hub/models--o--r/snapshots/abc/r-Q8_0.gguf", "../../blobs/1");
    write_small(layout, ".lmstudio/models/p/r/f.gguf");
}

static void lay_out_pair(const struct layout *layout)
{
    struct build build;
    lay_out_model(layout);
    build_init(&build, 3, false);
    build_key_str(&build, "general.architecture", "llama");
    build_key_str(&build, "general.name", "Another");
    add_numbers(&build, "numbers", 6999);
    build_tensor(&build, "more", 0, 1, (uint64_t[]){4});
    build_tensor(&build, "f32", 0, 2, (uint64_t[]){4, 3});
    build_tensor(&build, "q4_0", 8, 2, (uint64_t[]){64, 2});
    build_tensor(&build, "bf16", 30, 2, (uint64_t[]){5, 1000});
    write_model(layout, "other.gguf", &build);
}

static const struct scene scenes[] = {
    {"model", lay_out_model, {"model.gguf"}},
    {"as f16", lay_out_model, {"model.gguf"}, {.dequant = GGUFS_DEQUANT_F16}},
    {"odd and cut off", lay_out_odd, {"odd.gguf"}},
    {"big-endian", lay_out_big_endian, {"big.gguf"}},
    {"set of shards", lay_out_set, {"set-00002-of-00003.gguf"}},
    {"directory", lay_out_directory, {"models"}, .searches = true},
    {"several", lay_out_directory, {"models/a.gguf", "elsewhere"}, .searches = true},
    {"ollama", lay_out_stores, {"ollama:m"}, .searches = true},
    {"hf", lay_out_stores, {"hf:o/r"}, .searches = true},
    {"stores", lay_out_stores, {"ollama:", "hf:", "lmstudio:"}, .searches = true},
    {"diff", lay_out_pair, {"model.gguf", "other.gguf"}, .diff = true},
};

const struct scene *scene_at(size_t i)
{
    return i < sizeof(scenes) / sizeof(scenes[0]) ? &scenes[i] : NULL;
}

void scene_init(const struct scene *scene, struct layout *layout)
{
    layout_new(layout);
    setenv("HOME", layout->root, 1);
    setenv("OLLAMA_MODELS", layout_path(layout, "ollama"), 1);
    setenv("HF_HUB_CACHE", layout_path(layout, "hub"), 1);
    scene->lay_out(layout);
}

const char *scene_model(const struct scene *scene, const struct layout *layout, size_t i)
{
    const char *model = i < 3 ? scene->models[i] : NULL;
    return model == NULL || strchr(model, ':') ? model : layout_path(layout, model);
}
