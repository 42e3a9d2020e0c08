/* SPDX-License-Identifier: MIT */
/* The mount, as the command line sees it: a tree that is open, a directory, and how. What
 * serves it, in which processes and how locked up, is fs's own business.
 *
 *     struct mount_log log = {.report = print_line};
 *     struct ggufs_options how = {.log = mount_log, .log_data = &log};
 *     ggufs_tree_open(..., &how, &tree, &error);
 *     struct mount_options mount = {.tree = tree, .log = &log, .mountpoint = "mnt", ...};
 *     return mount_serve(&mount, &error);
 *
 * Descriptors 0 to 2 must be open before the tree is (to /dev/null, if need be): whoever
 * goes to the background takes them over, and a model must not be one of them. */

#ifndef FS_MOUNT_H
#define FS_MOUNT_H

#include "ggufs.h"

/* Exit status: the mount cannot be made. */
#define MOUNT_FAILED 6

/* Where lines for people go: to report as long as there is a terminal, to syslog
 * (facility daemon) once the program is in the background. All zero but for report and
 * report_data at the start; it must outlive the tree and the mount. */
struct mount_log {
    void (*report)(void *data, const char *line); /* one line, no newline at its end */
    void *report_data;
    enum { MOUNT_LOG_REPORT, MOUNT_LOG_KEEPER, MOUNT_LOG_SYSLOG } where; /* fs's own */
    int keeper;                                                          /* fs's own */
};

/* Says one line. Fits struct ggufs_options: log is a struct mount_log. Any thread. */
void mount_log(void *log, const char *line);

/* Whether reads go through the kernel's page cache. Auto is the kernel's cache: maps that are
 * shared and small reads need it. */
enum mount_cache {
    MOUNT_CACHE_AUTO,
    MOUNT_CACHE_ALWAYS,
    MOUNT_CACHE_NEVER,
};

struct mount_options {
    struct ggufs_tree *tree; /* mount_serve closes it, whatever comes of the mount */
    const char *source;      /* the model's name, as /proc/mounts is to show it */
    const char *mountpoint;
    bool make_mountpoint; /* make it where it is missing; one that was made goes again */
    bool nonempty;        /* hide what is in the mountpoint */
    bool foreground;
    bool debug; /* libfuse's own, on standard error; implies foreground */
    bool single_threaded;
    bool no_sandbox;
    enum mount_cache cache;
    /* What follows -o and is not the program's: libfuse's, the kernel's, and of fs's own
     * drop_privileges, setuid=USER, max_threads=N, max_idle_threads=N, clone_fd,
     * io_uring. NULL: none. */
    const char *fuse_options;
    struct mount_log *log;
};

/* Mounts and serves. Returns an exit status, 0 or one with error filled: in the
 * foreground when the mount is gone again; in the background as soon as it is usable (in
 * the process that called; the others end in here). Flush stdio before. */
int mount_serve(const struct mount_options *options, struct ggufs_error *error);

#endif
