/* SPDX-License-Identifier: MIT */
/* Runs a harness without libFuzzer: over its seeds, and over files and all files of
 * directories. TAP, a line an input; where a promise does not hold the program ends there.
 *
 *     fuzz_NAME [--mutations N] [FILE | DIRECTORY]...     a directory need not be there
 *     fuzz_NAME --write DIRECTORY                         the seeds, as files
 *
 * With --mutations each input is also run in N changed forms, the same ones each time. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"

#define ROOM (64 << 10) /* of an input that was changed */

struct run {
    unsigned mutations;
    unsigned count;
    bool failed; /* something could not be read */
};

#pragma weak LLVMFuzzerCustomMutator

/* ---- mutations ---- */

/* libFuzzer's in small. rand is the C library's: the same numbers each time. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room)
{
    size_t at = size > 0 ? (size_t)rand() % size : 0;
    switch (rand() % 4) {
    case 0: /* insert */
        if (size == room)
            break;
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = (uint8_t)rand();
        return size + 1;
    case 1: /* remove */
        if (size < 2)
            break;
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - 1;
    case 2: /* cut */ return size > 8 && rand() % 8 == 0 ? at : size;
    }
    if (size > 0)
        bytes[at] ^= (uint8_t)(1 << rand() % 8);
    return size;
}

static size_t mutate(uint8_t *bytes, size_t size, unsigned seed)
{
    srand(seed);
    return LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(bytes, size, ROOM, seed)
                                   : LLVMFuzzerMutate(bytes, size, ROOM);
}

/* ---- one input ---- */

static void run_bytes(const void *bytes, size_t size)
{
    uint8_t *own = exact_copy(bytes, size);
    LLVMFuzzerTestOneInput(own, size);
    free(own);
}

/* Each changes what the one before left. */
static void run_mutations(const struct run *run, const void *bytes, size_t size)
{
    uint8_t *changed = exact_alloc(ROOM);
    size = size < ROOM ? size : ROOM;
    if (size > 0)
        memcpy(changed, bytes, size);
    for (unsigned i = 0; i < run->mutations; i++) {
        size = mutate(changed, size, i + 1);
        run_bytes(changed, size);
    }
    free(changed);
}

static void run_input(void *data, const char *name, const void *bytes, size_t size)
{
    struct run *run = data;
    printf("# %s\n", name);
    fflush(stdout);
    run_bytes(bytes, size);
    run_mutations(run, bytes, size);
    printf("ok %u - %s\n", ++run->count, name);
}

/* ---- files ---- */

static void trouble(struct run *run, const char *path)
{
    printf("not ok %u - %s: %s\n", ++run->count, path, strerror(errno));
    run->failed = true;
}

static void run_file(struct run *run, const char *path)
{
    struct stat st;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &st) < 0) {
        trouble(run, path);
    } else {
        uint8_t *bytes = exact_alloc((size_t)st.st_size);
        size_t size = fread(bytes, 1, (size_t)st.st_size, file);
        run_input(run, path, bytes, size);
        free(bytes);
    }
    if (file)
        fclose(file);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_path(struct run *run, const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, is_visible, alphasort);
    if (n < 0 && errno == ENOTDIR)
        run_file(run, path);
    else if (n < 0 && errno != ENOENT)
        trouble(run, path);
    for (int i = 0; i < n; i++) {
        char inner[4096];
        snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
        run_file(run, inner);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void write_seed(void *data, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", (const char *)data, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    struct run run = {0};
    int i = 1;
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        harness_seeds(write_seed, argv[2]);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--mutations") == 0) {
        run.mutations = (unsigned)strtoul(argv[2], NULL, 10);
        i = 3;
    }
    harness_seeds(run_input, &run);
    for (; i < argc; i++)
        run_path(&run, argv[i]);
    printf("1..%u\n", run.count);
    return run.failed;
}
