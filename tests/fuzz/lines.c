/* SPDX-License-Identifier: MIT */
/* A mutator of texts whose lines each do something (ground.h): lines are put in, taken out,
 * repeated and joined to others, so that changes make places of models and not noise. */

#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define HEX  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HOST "ollama/manifests/registry.ollama.ai/"
#define HUB  "hub/models--a--b/"

static const char *const fresh[] = {
    "g m.gguf",
    "g a/m-Q4_0.gguf",
    "g a/m-00001-of-00002.gguf",
    "g a/m-00002-of-00002.gguf",
    "g a/mmproj-m.gguf",
    "g a/odd-Q8_0.gguf",
    "f a/m.gguf\tGGUF",
    "l b/m.gguf\t../a/m.gguf",
    "l c\t.",
    "d a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t",
    "p a/m.gguf",
    "x a/m.gguf",
    "x m.gguf",
    "n",
    "s ",
    "s a",
    "r a",
    "r .",
    "s ollama:",
    "s ollama:m",
    "s ollama:lib/m:q4",
    "s ollama:host/lib/m:tag",
    "f " HOST "library/m/latest\t{\"layers\":[{\"mediaType\":\"application/"
    "vnd.ollama.image.model\",\"digest\":\"sha256:" HEX "\"}]}",
    "l " HOST "library/m/q4\tlatest",
    "d " HOST "library/m/d/e",
    "p " HOST "lib/m/q8",
    "g ollama/blobs/sha256-" HEX,
    "s hf:",
    "s hf:a/b",
    "s hf:a/b:Q8_0",
    "s hf:a/b@main:m-Q4_0.gguf",
    "f " HUB "refs/main\tc",
    "g " HUB "snapshots/c/m-Q4_0.gguf",
    "g " HUB "snapshots/d/x/m-Q8_0.gguf",
    "l " HUB "snapshots/c/n.gguf\t../../blobs/0",
    "g " HUB "blobs/0",
    "f " HUB "snapshots/f\tfile",
    "s lmstudio:",
    "s lmstudio:p/r",
    "s lmstudio:p/r/m",
    "g .lmstudio/models/p/r/m-Q8_0.gguf",
    "g .lmstudio/models/p/r/m-Q4_0.gguf",
    "f .lmstudio/settings.json\t{\"downloadsFolder\":\"@ROOT@/a\"}",
    "f .lmstudio-home-pointer\t@ROOT@/.lmstudio",
    "e h",
    "e x",
    "e c",
    "e ~",
    "e o",
    "e O",
};

#define N_FRESH (sizeof(fresh) / sizeof(fresh[0]))

/* The start of a line, at random, or the end. */
static size_t some_line(const uint8_t *bytes, size_t size)
{
    size_t at = size > 0 ? (size_t)rand() % (size + 1) : 0;
    while (at > 0 && bytes[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const uint8_t *bytes, size_t size, size_t at)
{
    const uint8_t *end = memchr(bytes + at, '\n', size - at);
    return end ? (size_t)(end - bytes) + 1 : size;
}

/* Puts a line in, with its newline. The new size; the old one where there is no room. */
static size_t put_in(uint8_t *bytes, size_t size, size_t room, const void *line,
                     size_t length)
{
    size_t at = some_line(bytes, size);
    if (room < size || room - size <= length)
        return size;
    memmove(bytes + at + length + 1, bytes + at, size - at);
    memcpy(bytes + at, line, length);
    bytes[at + length] = '\n';
    return size + length + 1;
}

static size_t take_out(uint8_t *bytes, size_t size)
{
    size_t at = some_line(bytes, size), end = line_end(bytes, size, at);
    memmove(bytes + at, bytes + end, size - end);
    return size - (end - at);
}

static size_t repeat(uint8_t *bytes, size_t size, size_t room)
{
    size_t at = some_line(bytes, size), end = line_end(bytes, size, at);
    uint8_t *line = exact_copy(bytes + at, end - at);
    size_t length = end - at > 0 && line[end - at - 1] == '\n' ? end - at - 1 : end - at;
    size = put_in(bytes, size, room, line, length);
    free(line);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    srand(seed);
    for (int i = rand() % 3; i >= 0; i--) {
        const char *line = fresh[(size_t)rand() % N_FRESH];
        switch (rand() % 6) {
        case 0:
        case 1: size = put_in(bytes, size, room, line, strlen(line)); break;
        case 2: size = take_out(bytes, size); break;
        case 3: size = repeat(bytes, size, room); break;
        default: size = LLVMFuzzerMutate(bytes, size < room ? size : room, room); break;
        }
    }
    return size < room ? size : room;
}
