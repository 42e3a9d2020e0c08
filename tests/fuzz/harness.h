/* SPDX-License-Identifier: MIT */
/* What the fuzz harnesses share. A harness is a file fuzz_NAME.c with two functions: one takes
 * any bytes and ends the program where a promise does not hold, one gives the inputs to begin
 * with. libFuzzer drives it, or main.c, which runs files and seeds and needs no clang. */

#ifndef GGUFS_FUZZ_HARNESS_H
#define GGUFS_FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ggufs.h"

/* -- libFuzzer's names -- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
/* Where a harness has none, libFuzzer's and main.c's own are used. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
                                 size_t b_size, uint8_t *out, size_t room, unsigned seed);
/* libFuzzer's, and in its absence main.c's: changes some bytes. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

/* -- seeds -- */

typedef void seed_visit_fn(void *data, const char *name, const void *bytes, size_t size);

/* Calls visit with each input to begin with. name is fit for a file's. */
void harness_seeds(seed_visit_fn *visit, void *data);

/* -- promises -- */

/* Also with NDEBUG. */
#define expect(condition)                                                                \
    ((condition) ? (void)0 : expect_failed(__FILE__, __LINE__, #condition))
void expect_failed(const char *file, int line, const char *condition)
    __attribute__((noreturn));

/* One line, not empty, that a terminal shows and does not obey. */
void expect_line(const char *text);
/* The error that a function left that returned rc, which is below 0. */
void expect_error(int rc, const struct ggufs_error *error);

/* -- helpers; memory running out ends the program -- */

/* A copy in memory of exactly that size, so that a sanitizer sees a read beyond it. */
void *exact_copy(const void *bytes, size_t size);
void *exact_alloc(size_t size);

/* A file in memory with these bytes; path is how to open it. The descriptor is the caller's. */
int memory_file(const void *bytes, size_t size, char path[64]);

/* A new directory below $TMPDIR or /tmp. A promise that does not hold leaves it behind. */
#define DIRECTORY_ROOM 512
void temporary_directory(char path[DIRECTORY_ROOM]);

/* Options out of one byte; what is logged must be lines. */
struct ggufs_options options_of(uint8_t choice);

#endif
