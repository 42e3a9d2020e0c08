/* SPDX-License-Identifier: MIT */
/* The processes of a mount and what they share.
 *
 *     caller ---- keeper ---- server
 *
 * The server (session.c) mounts, locks itself up and serves. It could not unmount any
 * more: that is for the keeper (keeper.c), which also removes a mountpoint that was made,
 * passes on signals and speaks to syslog. In the foreground the caller is the keeper;
 * otherwise (background.c) it waits until the keeper says that the mount is usable, and
 * returns. Lines and news go from the server to the keeper through one channel, the
 * outcome from there to the caller through another. */

#ifndef FS_PROCESS_H
#define FS_PROCESS_H

#include "fs/channel.h"
#include "fs/mount.h"
#include "fs/mountpoint.h"
#include "fs/settings.h"

#include <signal.h>

struct process {
    const struct mount_options *options;
    struct settings *settings;
    struct mountpoint *point;
    bool background;
    int parent;        /* keeper: who waits for the outcome; -1 for nobody */
    int keeper;        /* server: where news go */
    sigset_t old_mask; /* server: signals that were blocked before the keeper came */
};

/* The server's life: ends the process. */
void session_run(struct process *process) __attribute__((noreturn));

/* The keeper's: starts the server and returns when all is over. An exit status, with
 * error filled unless it is 0. */
int keeper_run(struct process *process, struct ggufs_error *error);

/* Leaves the terminal: own session, root directory, /dev/null for descriptors 0 to 2. */
void leave_terminal(void);

#endif
