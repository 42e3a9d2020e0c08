/* SPDX-License-Identifier: MIT */
/* The server of a mount: mounts through libfuse, answers the kernel's first request,
 * gives up its rights and serves until the filesystem is unmounted or a signal comes. */

#include "fs/capture.h"
#include "fs/failure.h"
#include "fs/ops.h"
#include "fs/process.h"
#include "fs/sandbox.h"
#include "fs/sanitized.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folders that a sandbox is told of; more are a warning, and their models not
 * readable. */
#define FOLDERS_MAX 1024

struct server {
    struct process *process;
    struct fuse_session *session;
    struct fs fs;
    bool locked_up; /* in the sandbox */
};

static void tell(const struct process *process, enum message_kind kind)
{
    struct message message = {.kind = kind};

    channel_send(process->keeper, &message);
}

/* -- mounting -- */

/* What libfuse said, or what can be said without it. */
static int refused(struct ggufs_error *error, int status, const char *said,
                   const char *mountpoint)
{
    if (status == GGUFS_USAGE)
        return usage_failure(error, "%s", *said ? said : "libfuse refuses the options");
    return mount_failure(error, 0, mountpoint, "cannot mount: %s",
                         *said ? said : "libfuse does not say why");
}

static int begin_session(struct server *server, struct ggufs_error *error)
{
    struct settings *settings = server->process->settings;
    const char *mountpoint = server->process->point->path;
    struct capture capture;
    char said[400];
    int status = 0;

    capture_begin(&capture);
    server->session =
        fuse_session_new(&settings->args, &fs_ops, sizeof fs_ops, &server->fs);
    if (!server->session)
        status = GGUFS_USAGE;
    else if (fuse_session_mount(server->session, mountpoint) != 0)
        status = MOUNT_FAILED;
    capture_end(&capture, said, sizeof said);
    return status ? refused(error, status, said, mountpoint) : 0;
}

/* Mounts as the user who is to have the mount. */
static int mount_session(struct server *server, struct ggufs_error *error)
{
    const struct privileges *privileges = &server->process->settings->privileges;
    int result = privileges_pose(privileges);
    int status = result ? 0 : begin_session(server, error);

    if (result == 0)
        result = privileges_unpose(privileges);
    if (result != 0)
        return mount_failure(error, -result, NULL, "cannot change the user");
    return status;
}

/* -- locking up -- */

static void lock_up(struct process *process, void (*enter)(const struct sandbox *))
{
    const char *folders[FOLDERS_MAX + 1] = {NULL};
    struct sandbox sandbox = {
        .folders = folders,
        .clone_device = process->settings->clone_fd,
        .rings = process->settings->io_uring,
        .warn = mount_log,
        .warn_data = process->options->log,
    };
    size_t n = 0;

    while (n < FOLDERS_MAX && (folders[n] = ggufs_tree_folder(process->options->tree, n)))
        n++;
    if (ggufs_tree_folder(process->options->tree, n) && enter == sandbox_enter)
        mount_log(process->options->log, "warning: sandbox: too many folders: models in "
                                         "the last ones cannot be read");
    enter(&sandbox);
}

/* Of this thread, and of those that it starts. The user is the whole process's. */
static int give_up_rights(struct server *server, void (*enter)(const struct sandbox *),
                          struct ggufs_error *error)
{
    struct process *process = server->process;
    int result = privileges_drop(&process->settings->privileges);

    if (result != 0)
        return mount_failure(error, -result, NULL, "cannot give up privileges");
    process->settings->privileges.switch_user = false;
    if (!process->options->no_sandbox) {
        server->locked_up = true;
        lock_up(process, enter);
    }
    return 0;
}

/* -- the first request -- */

static int process_one(struct fuse_session *session)
{
    struct fuse_buf buffer = {.mem = NULL};
    int n = fuse_session_receive_buf(session, &buffer);

    if (n > 0)
        fuse_session_process_buf(session, &buffer);
    free(buffer.mem);
    return n > 0 ? 0 : n < 0 ? n : -ENODEV;
}

static int answer(struct server *server, struct ggufs_error *error)
{
    int result = process_one(server->session);

    return result ? mount_failure(error, -result, NULL,
                                  "the kernel does not talk to the mount")
                  : 0;
}

struct first {
    struct server *server;
    struct ggufs_error *error;
    int status;
};

static void *answer_without_rights(void *data)
{
    struct first *first = data;
    sigset_t all;

    sigfillset(&all); /* the main thread hears the signals */
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    first->status = give_up_rights(first->server, sandbox_begin, first->error);
    if (first->status == 0)
        first->status = answer(first->server, first->error);
    return NULL;
}

/* With the first request libfuse starts the threads of its rings. Rights are a thread's,
 * and handed down: so that those have none, one starts them that has none. The main
 * thread keeps its own for passthrough_begin. */
static int answer_in_thread(struct server *server, struct ggufs_error *error)
{
    struct first first = {server, error, 0};
    pthread_t thread;
    int result = pthread_create(&thread, NULL, answer_without_rights, &first);

    if (result != 0)
        return mount_failure(error, result, NULL, "cannot start a thread");
    pthread_join(thread, NULL);
    return first.status;
}

/* What libfuse said can only be why it has no rings. */
static void see_rings(struct server *server, const char *said)
{
    char line[600];

    if (!server->fs.rings.wanted || (server->fs.rings.offered && !*said))
        return;
    server->process->settings->io_uring = false;
    if (server->fs.rings.offered)
        snprintf(line, sizeof line,
                 "warning: io_uring is not used: this libfuse cannot, or was built "
                 "without liburing (%s)",
                 said);
    else
        snprintf(line, sizeof line,
                 "warning: io_uring is not used: the kernel does not offer it (Linux "
                 "6.14 does where /sys/module/fuse/parameters/enable_uring is Y)");
    mount_log(server->process->options->log, line);
}

/* The kernel asks nothing else before this: when it is answered, the mount is usable. */
static int answer_first(struct server *server, struct ggufs_error *error)
{
    struct process *process = server->process;
    struct capture capture;
    char said[400] = "";
    int status;

    if (!process->options->debug)
        capture_begin(&capture);
    status =
        server->fs.rings.wanted ? answer_in_thread(server, error) : answer(server, error);
    if (!process->options->debug)
        capture_end(&capture, said, sizeof said);
    if (status != 0)
        return status;
    if (fuse_session_exited(server->session))
        return refused(error, MOUNT_FAILED, said, process->point->path);
    see_rings(server, said);
    return 0;
}

/* -- serving -- */

/* Everything up to the point where the mount is usable. 0 or an exit status. */
static int begin(struct server *server, struct ggufs_error *error)
{
    struct process *process = server->process;
    int status = mount_session(server, error);

    if (status != 0)
        return status;
    tell(process, MESSAGE_MOUNTED);
    if (fuse_set_signal_handlers(server->session) != 0)
        return mount_failure(error, 0, NULL, "cannot set up signal handlers");
    sigprocmask(SIG_SETMASK, &process->old_mask, NULL);
    status = answer_first(server, error);
    if (status != 0)
        return status;
    passthrough_begin(&server->fs.passthrough, server->session, process->options->tree);
    return give_up_rights(server, sandbox_enter, error);
}

#if HAVE_LOOP_CONFIG

static int loop_threads(struct fuse_session *session, const struct settings *settings)
{
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    int result;

    if (!config)
        return -ENOMEM;
    fuse_loop_cfg_set_clone_fd(config, (unsigned int)settings->clone_fd);
    if (settings->max_threads)
        fuse_loop_cfg_set_max_threads(config, settings->max_threads);
    if (settings->max_idle_threads)
        fuse_loop_cfg_set_idle_threads(config, settings->max_idle_threads);
    result = fuse_session_loop_mt(session, config);
    fuse_loop_cfg_destroy(config);
    return result;
}

#else

static int loop_threads(struct fuse_session *session, const struct settings *settings)
{
    struct fuse_loop_config config = {
        .clone_fd = settings->clone_fd,
        .max_idle_threads = settings->max_idle_threads ? settings->max_idle_threads : 10,
    };

    return fuse_session_loop_mt(session, &config);
}

#endif

/* Serves to the end; tells the keeper where it came by an unmount. */
static void loop(struct server *server)
{
    struct process *process = server->process;
    int result = process->options->single_threaded
                     ? fuse_session_loop(server->session)
                     : loop_threads(server->session, process->settings);

    if (result == 0)
        tell(process, MESSAGE_ENDED);
}

/* In the sandbox, unmounting is left to the keeper. */
static void end_session(struct server *server)
{
    if (!server->session)
        return;
    fuse_remove_signal_handlers(server->session);
    if (!server->locked_up)
        fuse_session_unmount(server->session);
    fuse_session_destroy(server->session);
}

/* Returns 0 when the mount was usable and came to its end, or an exit status. */
static int serve(struct server *server)
{
    struct process *process = server->process;
    struct message failed = {.kind = MESSAGE_FAILED};

    server->fs.conn = process->settings->conn;
    server->fs.max_read = process->settings->max_read;
    server->fs.rings.wanted = process->settings->io_uring;
    server->fs.direct = process->options->cache == MOUNT_CACHE_NEVER;
    failed.status = begin(server, &failed.error);
    if (failed.status == 0) {
        tell(process, MESSAGE_USABLE);
        loop(server);
    }
    end_session(server);
    if (failed.status != 0)
        channel_send(process->keeper, &failed);
    return failed.status;
}

static void be_in_background(struct process *process)
{
    leave_terminal();
    process->options->log->keeper = process->keeper;
    process->options->log->where = MOUNT_LOG_KEEPER;
}

void session_run(struct process *process)
{
    struct server server = {.process = process};
    struct ggufs_tree *tree = process->options->tree;
    int status = MOUNT_FAILED;

    if (process->background)
        be_in_background(process);
    if (fs_init(&server.fs, tree, process->options->log) == 0) {
        status = serve(&server);
        fs_done(&server.fs);
    }
    ggufs_tree_close(tree);
    mountpoint_done(process->point, false);
    settings_done(process->settings);
    /* What else runs at exit counts on rights that are gone; a leak check was left its
     * own. */
    if (server.locked_up && !SANITIZED)
        _exit(status);
    exit(status);
}
