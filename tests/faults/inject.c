/* SPDX-License-Identifier: MIT */
/* The wrappers: each asks whether it is its turn to fail, and else does what it stands for. The
 * names are those that glibc's headers turn the calls into where off_t has 64 bits. */

#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything but the counters is set while nothing else runs. */
static struct {
    const struct inject_fault *fault;
    unsigned long nth, limit;
    atomic_ulong calls;
    atomic_bool fired;
    atomic_long maps;
} state;

/* Whether the call fails; errno is set then. */
static bool strikes(enum inject_call call)
{
    const struct inject_fault *fault = state.fault;
    if (fault == NULL || fault->call != call)
        return false;
    unsigned long n = atomic_fetch_add(&state.calls, 1) + 1;
    if (state.limit != 0 && n > state.limit) {
        printf("Bail out! %s %lu: %lu calls, in circles\n", fault->name, state.nth, n);
        fflush(stdout);
        abort();
    }
    if (n != state.nth && !(fault->lasting && state.nth != 0 && n > state.nth))
        return false;
    atomic_store(&state.fired, true);
    errno = fault->errnum;
    return true;
}

void inject_arm(const struct inject_fault *fault, unsigned long nth, unsigned long limit)
{
    state.nth = nth;
    state.limit = limit;
    atomic_store(&state.calls, 0);
    atomic_store(&state.fired, false);
    state.fault = fault;
}

unsigned long inject_disarm(void)
{
    state.fault = NULL;
    return atomic_load(&state.calls);
}

bool inject_fired(void)
{
    return atomic_load(&state.fired);
}

long inject_maps(void)
{
    return atomic_load(&state.maps);
}

/* Declares what is wrapped and its wrapper, and begins the wrapper. */
#define WRAP(type, name, ...)                                                            \
    type __real_##name(__VA_ARGS__);                                                     \
    type __wrap_##name(__VA_ARGS__);                                                     \
    type __wrap_##name(__VA_ARGS__)

/* ---- memory ---- */

WRAP(void *, malloc, size_t size)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_malloc(size);
}

WRAP(void *, calloc, size_t n, size_t size)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_calloc(n, size);
}

WRAP(void *, realloc, void *old, size_t size)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_realloc(old, size);
}

WRAP(void *, reallocarray, void *old, size_t n, size_t size)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_reallocarray(old, n, size);
}

WRAP(char *, strdup, const char *string)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_strdup(string);
}

WRAP(char *, strndup, const char *string, size_t size)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_strndup(string, size);
}

WRAP(int, posix_memalign, void **memory, size_t alignment, size_t size)
{
    return strikes(INJECT_ALLOC) ? errno : __real_posix_memalign(memory, alignment, size);
}

WRAP(__attribute__((format(printf, 2, 3))) int, asprintf, char **text, const char *format,
     ...)
{
    if (strikes(INJECT_ALLOC))
        return -1;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

WRAP(FILE *, open_memstream, char **text, size_t *size)
{
    return strikes(INJECT_ALLOC) ? NULL : __real_open_memstream(text, size);
}

static void *crypto_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return size == 0 ? NULL : malloc(size);
}

static void *crypto_realloc(void *old, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return realloc(old, size);
}

static void crypto_free(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    free(memory);
}

void inject_init(void)
{
    json_set_alloc_funcs(malloc, free);
    CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free);
}

/* ---- files ---- */

WRAP(int, open64, const char *path, int flags, ...)
{
    if (strikes(INJECT_OPEN))
        return -1;
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return __real_open64(path, flags, mode);
}

WRAP(DIR *, fdopendir, int fd)
{
    return strikes(INJECT_OPEN) ? NULL : __real_fdopendir(fd);
}

WRAP(struct dirent *, readdir64, DIR *stream)
{
    return strikes(INJECT_LIST) ? NULL : __real_readdir64(stream);
}

/* What is left of a read's size: all, half, or nothing (0) where it fails. */
static size_t size_left(size_t size)
{
    if (!strikes(INJECT_READ))
        return size;
    if (!state.fault->shorter)
        return 0;
    return size > 1 ? size / 2 : size;
}

WRAP(ssize_t, read, int fd, void *buffer, size_t size)
{
    size_t left = size_left(size);
    return left == 0 && size > 0 ? -1 : __real_read(fd, buffer, left);
}

WRAP(ssize_t, pread64, int fd, void *buffer, size_t size, off_t offset)
{
    size_t left = size_left(size);
    return left == 0 && size > 0 ? -1 : __real_pread64(fd, buffer, left, offset);
}

WRAP(int, stat64, const char *path, struct stat *st)
{
    return strikes(INJECT_STAT) ? -1 : __real_stat64(path, st);
}

WRAP(int, lstat64, const char *path, struct stat *st)
{
    return strikes(INJECT_STAT) ? -1 : __real_lstat64(path, st);
}

WRAP(int, fstat64, int fd, struct stat *st)
{
    return strikes(INJECT_STAT) ? -1 : __real_fstat64(fd, st);
}

WRAP(int, statx, int fd, const char *path, int flags, unsigned mask, struct statx *st)
{
    return strikes(INJECT_STAT) ? -1 : __real_statx(fd, path, flags, mask, st);
}

WRAP(void *, mmap64, void *address, size_t size, int protection, int flags, int fd,
     off_t offset)
{
    if (strikes(INJECT_MAP))
        return MAP_FAILED;
    void *map = __real_mmap64(address, size, protection, flags, fd, offset);
    if (map != MAP_FAILED)
        atomic_fetch_add(&state.maps, 1);
    return map;
}

WRAP(int, munmap, void *address, size_t size)
{
    atomic_fetch_sub(&state.maps, 1);
    return __real_munmap(address, size);
}

WRAP(char *, realpath, const char *path, char *resolved)
{
    return strikes(INJECT_PATH) ? NULL : __real_realpath(path, resolved);
}

WRAP(char *, getcwd, char *buffer, size_t size)
{
    return strikes(INJECT_PATH) ? NULL : __real_getcwd(buffer, size);
}

/* ---- the rest ---- */

WRAP(ssize_t, getrandom, void *buffer, size_t size, unsigned flags)
{
    return strikes(INJECT_RANDOM) ? -1 : __real_getrandom(buffer, size, flags);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
     void *(*start)(void *), void *data)
{
    return strikes(INJECT_THREAD)
               ? errno
               : __real_pthread_create(thread, attributes, start, data);
}
