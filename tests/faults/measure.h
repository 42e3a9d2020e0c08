/* SPDX-License-Identifier: MIT */
/* What opening a model and working with its tree takes of memory: the peak of a process that
 * does nothing else, beside what it had at its start. */

#ifndef GGUFS_TESTS_MEASURE_H
#define GGUFS_TESTS_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "ggufs.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

/* What a program may take beside its head and its tensors. */
#define BESIDE (8 * MIB)

/* In a child there is no test to go back to. */
#define must(condition)                                                                  \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);              \
            _exit(1);                                                                    \
        }                                                                                \
    } while (0)

/* What a file of /proc says of a field ("VmHWM:", in KiB there), in bytes; 0 where it is silent. */
uint64_t proc_bytes(const char *path, const char *field);

/* The most that this process ever had in memory, in bytes. */
uint64_t peak_now(void);

/* How much the peak grew: until the tree was open, and until all was done. */
struct growth {
    uint64_t open, work;
};

/* What is done with a tree that was opened from a file. */
typedef void work_fn(struct ggufs_tree *tree);

/* Opens the file, works, closes, in a process of its own. */
struct growth measure(const char *path, work_fn *work);

/* head: bytes; n: tensors and keys, each of which may take so much. Reading needs a fixed
 * buffer more. Fails the test; of sanitized builds nothing is expected. */
void expect_growth(const char *what, struct growth growth, uint64_t head, uint64_t n,
                   uint64_t each);

/* -- for work in such a process -- */

struct ggufs_file *must_open_file(struct ggufs_tree *tree, const char *path);
uint64_t must_size(struct ggufs_tree *tree, const char *path);
/* Reads the whole file in pieces: as many bytes as its size says. Returns its lines. */
uint64_t must_read(struct ggufs_tree *tree, const char *path);
/* How many entries a directory has. */
uint64_t must_list(struct ggufs_tree *tree, const char *path);

#endif
