/* SPDX-License-Identifier: MIT */
/* The keeper of a mount: a small process that has let go of the model, waits for its
 * server to end, however it ends, and cleans up behind it. */

#include "fs/failure.h"
#include "fs/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

/* What the kernel reads ahead of a sequential reader, where we may say so. */
#define READ_AHEAD_KIB "4096"

/* How long a server that was told to end may take (a sum over a model that is under
 * way). */
#define PATIENCE_MS 2000

/* Descriptors that callers pass on are below this: those of shells are. */
#define INHERITED_MAX 1024

struct keeper {
    struct process *process;
    struct ggufs_error *error;
    pid_t server;
    int signals;            /* signalfd */
    struct channel channel; /* from the server */
    int status;             /* to return */
    bool usable;
    bool stopping;  /* the server was told to end */
    bool unmounted; /* by somebody else */
};

static void say(struct keeper *keeper, const char *line)
{
    mount_log(keeper->process->options->log, line);
}

/* -- the server's news -- */

/* Root alone may ask for more than the system's default; elsewhere that has to do. */
static void raise_read_ahead(const struct mountpoint *point)
{
    char path[80];
    int file;

    snprintf(path, sizeof path, "/sys/class/bdi/%u:%u/read_ahead_kb", point->mount.major,
             point->mount.minor);
    file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (write(file, READ_AHEAD_KIB, strlen(READ_AHEAD_KIB)) < 0) {
        /* then it stays as it is */
    }
    close(file);
}

/* Nobody waits any more who could be told anything: from here on syslog is. False where
 * the parent died meanwhile, so that nobody knows of the mount. */
static bool go_to_background(struct process *process)
{
    struct message usable = {.kind = MESSAGE_USABLE};
    int result;

    leave_terminal();
    openlog("ggufs", LOG_PID, LOG_DAEMON);
    process->options->log->where = MOUNT_LOG_SYSLOG;
    result = channel_send(process->parent, &usable);
    close(process->parent);
    process->parent = -1;
    return result == 0;
}

static void stop(struct keeper *keeper)
{
    int result = mountpoint_unmount(keeper->process->point);

    if (result != 0 && !keeper->stopping) {
        char line[120];
        snprintf(line, sizeof line, "cannot unmount: %s", strerror(-result));
        say(keeper, line);
    }
    keeper->stopping = true;
    kill(keeper->server, SIGTERM);
}

static void on_message(struct keeper *keeper, const struct message *message)
{
    struct process *process = keeper->process;

    switch (message->kind) {
    case MESSAGE_LINE: say(keeper, message->line); break;
    case MESSAGE_MOUNTED: mountpoint_mounted(process->point); break;
    case MESSAGE_USABLE:
        keeper->usable = true;
        raise_read_ahead(process->point);
        if (process->background && !go_to_background(process))
            stop(keeper);
        break;
    case MESSAGE_FAILED:
        keeper->status = message->status;
        *keeper->error = message->error;
        break;
    case MESSAGE_ENDED: keeper->unmounted = true; break;
    }
}

/* -- signals, and the wait -- */

static void on_signal(struct keeper *keeper)
{
    struct signalfd_siginfo info;

    if (read(keeper->signals, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (info.ssi_signo != SIGCHLD)
        stop(keeper);
}

/* Until the server's end of the channel is closed, which the kernel does when it dies. */
static void watch(struct keeper *keeper)
{
    struct pollfd events[] = {
        {.fd = keeper->channel.in, .events = POLLIN},
        {.fd = keeper->signals, .events = POLLIN},
    };
    struct message message;

    for (;;) {
        int n = poll(events, 2, keeper->stopping ? PATIENCE_MS : -1);

        if (n == 0)
            kill(keeper->server, SIGKILL);
        if (n <= 0)
            continue;
        if (events[1].revents)
            on_signal(keeper);
        if (!events[0].revents)
            continue;
        if (!channel_receive(keeper->channel.in, &message))
            return;
        on_message(keeper, &message);
    }
}

/* The server is gone: sees to it that the mount is, too. */
static void clean_up(struct keeper *keeper)
{
    char line[120];
    int how = 0, result;

    while (waitpid(keeper->server, &how, 0) < 0 && errno == EINTR)
        ;
    result = keeper->unmounted ? 0 : mountpoint_unmount(keeper->process->point);
    if (result != 0) {
        snprintf(line, sizeof line, "cannot unmount: %s", strerror(-result));
        say(keeper, line);
    }
    if (!keeper->usable && keeper->status == 0)
        keeper->status =
            mount_failure(keeper->error, 0, NULL,
                          keeper->stopping ? "interrupted before the mount was usable"
                                           : "the serving process ended unexpectedly");
    if (keeper->stopping || !WIFSIGNALED(how))
        return;
    snprintf(line, sizeof line, "the serving process was killed by signal %d (%s)",
             WTERMSIG(how), strsignal(WTERMSIG(how)));
    if (keeper->usable) {
        mount_failure(keeper->error, 0, NULL, "%s", line);
        keeper->status = GGUFS_SYSTEM;
    }
    if (keeper->process->background)
        say(keeper, line);
}

/* -- the beginning -- */

/* What the caller had open and passed on: nobody here needs it, a lock on it would be held
 * as long as the mount lives, and the sandbox leaves alone what is open. Our own
 * descriptors would not survive exec, so that those which did are not ours. */
static void close_inherited(void)
{
    for (int fd = STDERR_FILENO + 1; fd < INHERITED_MAX; fd++)
        if (fcntl(fd, F_GETFD) == 0)
            close(fd);
}

static int block_signals(sigset_t *old)
{
    sigset_t mine;

    sigemptyset(&mine);
    sigaddset(&mine, SIGTERM);
    sigaddset(&mine, SIGINT);
    sigaddset(&mine, SIGHUP);
    sigaddset(&mine, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mine, old);
    signal(SIGPIPE, SIG_IGN); /* whoever waits at the other end may be gone */
    return signalfd(-1, &mine, SFD_CLOEXEC);
}

static int start_server(struct keeper *keeper)
{
    struct process *process = keeper->process;
    int result = channel_open(&keeper->channel);

    if (result != 0)
        return result;
    keeper->server = fork();
    if (keeper->server < 0)
        return -errno;
    if (keeper->server == 0) {
        close(keeper->signals);
        if (process->parent >= 0)
            close(process->parent);
        channel_keep_out(&keeper->channel);
        process->keeper = keeper->channel.out;
        session_run(process);
    }
    channel_keep_in(&keeper->channel);
    return 0;
}

int keeper_run(struct process *process, struct ggufs_error *error)
{
    struct keeper keeper = {.process = process, .error = error, .channel = {-1, -1}};
    int result;

    close_inherited();
    keeper.signals = block_signals(&process->old_mask);
    result = keeper.signals < 0 ? -errno : start_server(&keeper);
    ggufs_tree_close(process->options->tree);
    if (result == 0) {
        prctl(PR_SET_NAME, "ggufs-keeper");
        watch(&keeper);
        clean_up(&keeper);
    } else {
        keeper.status =
            mount_failure(error, -result, NULL, "cannot start the serving process");
    }
    channel_close(&keeper.channel);
    if (keeper.signals >= 0)
        close(keeper.signals);
    sigprocmask(SIG_SETMASK, &process->old_mask, NULL);
    return keeper.status;
}
