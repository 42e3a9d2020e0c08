/* SPDX-License-Identifier: MIT */
/* Makes the n-th call of a kind fail. The test programs are linked with --wrap, so that calls
 * out of the library's layers (and the tests) come here first; those that jansson and libcrypto
 * make for memory come through their own hooks. What is counted is made between inject_arm and
 * inject_disarm, in any thread. */

#ifndef GGUFS_TESTS_INJECT_H
#define GGUFS_TESTS_INJECT_H

#include <stdbool.h>

/* Calls that fail in the same way, and are numbered together. */
enum inject_call {
    INJECT_ALLOC,  /* malloc, calloc, realloc, strdup, asprintf, open_memstream ... */
    INJECT_OPEN,   /* open, fdopendir */
    INJECT_READ,   /* read, pread */
    INJECT_STAT,   /* stat, lstat, fstat, statx */
    INJECT_MAP,    /* mmap */
    INJECT_LIST,   /* readdir */
    INJECT_PATH,   /* realpath, getcwd */
    INJECT_RANDOM, /* getrandom */
    INJECT_THREAD, /* pthread_create */
};

struct inject_fault {
    const char *name;
    enum inject_call call;
    int errnum;   /* what errno is then */
    bool shorter; /* of a read: half of it succeeds */
    bool lasting; /* all calls behind the n-th fail too */
};

/* Hooks jansson and libcrypto up; once, before either is used. */
void inject_init(void);

/* Call number nth (from 1) fails; none with 0. After limit calls (0: any number) the program
 * ends: it runs in circles. */
void inject_arm(const struct inject_fault *fault, unsigned long nth, unsigned long limit);
/* Returns how many calls of the fault's kind were made. */
unsigned long inject_disarm(void);
/* Whether a call was made to fail since inject_arm. */
bool inject_fired(void);

/* Maps made and not unmapped, since the program began. */
long inject_maps(void);

#endif
