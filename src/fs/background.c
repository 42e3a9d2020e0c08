/* SPDX-License-Identifier: MIT */
/* The way into the background, and mount_serve, where everything begins. */

#include "fs/failure.h"
#include "fs/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setsid();
    if (chdir("/") != 0)
        return; /* there is always one */
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
}

/* The keeper's process: what it says last goes to the parent, if that still waits. */
static void keep_in_background(struct process *process) __attribute__((noreturn));
static void keep_in_background(struct process *process)
{
    struct message message = {.kind = MESSAGE_FAILED};

    message.status = keeper_run(process, &message.error);
    if (process->parent >= 0)
        channel_send(process->parent, &message);
    mountpoint_done(process->point, true);
    settings_done(process->settings);
    exit(message.status);
}

/* Waits for the outcome. */
static int wait_for_keeper(int in, struct ggufs_error *error)
{
    struct message message;

    if (!channel_receive(in, &message))
        return mount_failure(error, 0, NULL, "the serving process ended unexpectedly");
    if (message.kind == MESSAGE_USABLE)
        return 0;
    *error = message.error;
    return message.status;
}

static int run_in_background(struct process *process, struct ggufs_error *error)
{
    struct channel channel;
    int result = channel_open(&channel);
    int status;
    pid_t keeper;

    if (result != 0)
        return mount_failure(error, -result, NULL, "cannot go to the background");
    fflush(NULL);
    keeper = fork();
    if (keeper == 0) {
        channel_keep_out(&channel);
        process->parent = channel.out;
        keep_in_background(process);
    }
    channel_keep_in(&channel);
    status = keeper > 0
                 ? wait_for_keeper(channel.in, error)
                 : mount_failure(error, errno, NULL, "cannot go to the background");
    channel_close(&channel);
    /* The keeper has it now, and removes the directory. */
    mountpoint_done(process->point, keeper < 0);
    ggufs_tree_close(process->options->tree);
    return status;
}

static int run_in_foreground(struct process *process, struct ggufs_error *error)
{
    int status;

    fflush(NULL);
    status = keeper_run(process, error);
    mountpoint_done(process->point, true);
    return status;
}

int mount_serve(const struct mount_options *options, struct ggufs_error *error)
{
    struct ggufs_error ignored = {0};
    struct settings settings;
    struct mountpoint point = {0};
    struct process process = {
        .options = options,
        .settings = &settings,
        .point = &point,
        .background = !options->foreground && !options->debug,
        .parent = -1,
        .keeper = -1,
    };
    int status;

    error = error ? error : &ignored;
    status = settings_init(&settings, options, error);
    if (status == 0)
        status = mountpoint_init(&point, options, error);
    if (status != 0)
        ggufs_tree_close(options->tree);
    else if (process.background)
        status = run_in_background(&process, error);
    else
        status = run_in_foreground(&process, error);
    settings_done(&settings);
    return status;
}
