/* SPDX-License-Identifier: MIT */
/* What a process that reads strangers' files gives up: all that it does not need for
 * that. Each layer that the kernel lacks costs one warning. Knows nothing of FUSE but the
 * device's name. */

#ifndef FS_SANDBOX_H
#define FS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox {
    const char *const *folders; /* below these files may be read; ends in NULL; or NULL */
    bool clone_device;          /* threads may open /dev/fuse (-o clone_fd) */
    bool rings;                 /* threads were started that wait at rings of io_uring */
    void (*warn)(void *data, const char *line);
    void *warn_data;
};

/* For the rest of this process, and of threads that it starts later (start none before):
 * no new privileges, no core dump, nobody looks into its memory, no file that is not open
 * already (but reading below the folders), no network, and only the system calls that
 * serving needs: the others give EPERM. A layer that cannot be had is left out, with a
 * warning. */
void sandbox_enter(const struct sandbox *sandbox);

/* All of it but the filter, and without a word: for a thread that is to start others,
 * which set up their rings with calls that the filter refuses. It, and they, get the
 * filter when another thread enters a sandbox with rings set. */
void sandbox_begin(const struct sandbox *sandbox);

/* One layer each. 0 or -errno. */
int landlock_enter(const struct sandbox *sandbox);
int filter_enter(const struct sandbox *sandbox);

#endif
