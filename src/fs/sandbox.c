/* SPDX-License-Identifier: MIT */
/* The sandbox as a whole: the order of its layers, and what is said where one is missing.
 * The layers with rules of their own are in landlock.c and filter.c. */

#include "fs/sandbox.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void *end_thread(void *data)
{
    pthread_exit(data);
}

/* The C library loads its unwinder from a file when a thread is first cancelled, and
 * aborts where it cannot. So that it is there when no file can be opened any more: */
static void load_unwinder(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, end_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static int no_new_privileges(const struct sandbox *sandbox)
{
    (void)sandbox;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

/* Neither a core file nor a debugger of the same user: the head of a model is in
 * memory. */
static int no_dump(const struct sandbox *sandbox)
{
    static const struct rlimit none = {0, 0};

    (void)sandbox;
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return -errno;
    return 0;
}

/* In this order: Landlock and the filter need no_new_privs, and the filter, which comes
 * last, refuses the calls that set up the others. */
static const struct {
    int (*enter)(const struct sandbox *sandbox);
    const char *missing;
} layers[] = {
    {no_new_privileges, "new privileges are not ruled out"},
    {no_dump, "core dumps are not ruled out"},
    {landlock_enter, "files and network are not closed off by Landlock"},
    {filter_enter, "system calls are not filtered by seccomp"},
};

static void enter(const struct sandbox *sandbox, size_t n_layers)
{
    for (size_t i = 0; i < n_layers; i++) {
        char line[160];
        int result = layers[i].enter(sandbox);

        if (result == 0 || !sandbox->warn)
            continue;
        snprintf(line, sizeof line, "warning: sandbox: %s: %s", layers[i].missing,
                 strerror(-result));
        sandbox->warn(sandbox->warn_data, line);
    }
}

void sandbox_enter(const struct sandbox *sandbox)
{
    load_unwinder();
    enter(sandbox, sizeof layers / sizeof *layers);
}

void sandbox_begin(const struct sandbox *sandbox)
{
    struct sandbox quiet = *sandbox;

    quiet.warn = NULL;
    enter(&quiet, sizeof layers / sizeof *layers - 1);
}
