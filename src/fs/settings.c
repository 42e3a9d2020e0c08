/* SPDX-License-Identifier: MIT */
/* Options of the mount, see settings.h. What libfuse does not know either, it says
 * itself. */

#include "fs/settings.h"
#include "fs/capture.h"
#include "fs/failure.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind the user's, so that nothing takes them back. */
#define ALWAYS "default_permissions,ro,nosuid,nodev,noexec,subtype=ggufs"

/* What fuse_opt_parse fills. */
struct parsed {
    int drop_privileges, clone_fd, io_uring;
    unsigned int max_threads, max_idle_threads, max_read;
    char *user;
};

#define PARSED(text, member)                                                             \
    {                                                                                    \
        text, offsetof(struct parsed, member), 1                                         \
    }

static const struct fuse_opt known[] = {
    PARSED("drop_privileges", drop_privileges),
    PARSED("clone_fd", clone_fd),
    PARSED("max_threads=%u", max_threads),
    PARSED("max_idle_threads=%u", max_idle_threads),
    PARSED("setuid=%s", user),
    /* libfuse's as well, which wants to be told twice */
    PARSED("max_read=%u", max_read),
    FUSE_OPT_KEY("max_read=", FUSE_OPT_KEY_KEEP),
    PARSED("io_uring", io_uring),
    FUSE_OPT_KEY("io_uring", FUSE_OPT_KEY_KEEP),
    FUSE_OPT_END,
};

/* "fsname=MODEL,THEIRS,OURS" for -o; NULL where memory is out. The user's fsname= comes
 * behind ours and wins. */
static char *join(const struct mount_options *options)
{
    const char *source = options->source ? options->source : "ggufs";
    char *name = NULL, *all = NULL;
    size_t room = sizeof "fsname=" + strlen(source);
    int result;

    name = malloc(room);
    if (!name)
        return NULL;
    snprintf(name, room, "fsname=%s", source);
    result = fuse_opt_add_opt_escaped(&all, name);
    if (result == 0 && options->fuse_options && *options->fuse_options)
        result = fuse_opt_add_opt(&all, options->fuse_options);
    if (result == 0)
        result = fuse_opt_add_opt(&all, ALWAYS);
    free(name);
    if (result == 0)
        return all;
    free(all);
    return NULL;
}

static int make_arguments(struct settings *settings, const struct mount_options *options)
{
    char *joined = join(options);
    int result = joined ? 0 : -1;

    if (result == 0)
        result = fuse_opt_add_arg(&settings->args, "ggufs");
    if (result == 0)
        result = fuse_opt_add_arg(&settings->args, "-o");
    if (result == 0)
        result = fuse_opt_add_arg(&settings->args, joined);
    if (result == 0 && options->debug)
        result = fuse_opt_add_arg(&settings->args, "-d");
    free(joined);
    return result;
}

/* Rings have a thread for each processor, or they are not there at all. */
static int check_rings(const struct parsed *parsed, const struct mount_options *options,
                       struct ggufs_error *error)
{
    if (!parsed->io_uring)
        return 0;
    if (!HAVE_RINGS)
        return usage_failure(error,
                             "-o io_uring: takes libfuse 3.18; this is built with %d.%d",
                             FUSE_MAJOR_VERSION, FUSE_MINOR_VERSION);
    if (options->single_threaded)
        return usage_failure(error,
                             "-o io_uring has a thread for each processor: not with -s");
    return 0;
}

static int take(struct settings *settings, const struct parsed *parsed,
                const struct mount_options *options, struct ggufs_error *error)
{
    settings->clone_fd = parsed->clone_fd;
    settings->io_uring = parsed->io_uring;
    settings->max_read = parsed->max_read;
    settings->max_threads = parsed->max_threads;
    settings->max_idle_threads = parsed->max_idle_threads;
    settings->privileges.drop = parsed->drop_privileges;
    settings->privileges.search = ggufs_tree_folder(options->tree, 0) != NULL;
    settings->privileges.all = options->no_sandbox;
    return parsed->user ? privileges_user(&settings->privileges, parsed->user, error) : 0;
}

/* False where an option has a value that it cannot have; said is then libfuse's word for
 * it. */
static bool parse(struct settings *settings, struct parsed *parsed, char *said,
                  size_t size)
{
    struct capture capture;
    bool fine;

    capture_begin(&capture);
    fine = fuse_opt_parse(&settings->args, parsed, known, NULL) == 0;
    if (fine)
        settings->conn = fuse_parse_conn_info_opts(&settings->args);
    capture_end(&capture, said, size);
    return fine && settings->conn;
}

int settings_init(struct settings *settings, const struct mount_options *options,
                  struct ggufs_error *error)
{
    struct parsed parsed = {0};
    char said[400];
    int status = 0;

    *settings = (struct settings){.args = FUSE_ARGS_INIT(0, NULL)};
    if (make_arguments(settings, options) != 0)
        return mount_failure(error, ENOMEM, NULL, "cannot mount");
    if (!parse(settings, &parsed, said, sizeof said))
        status = usage_failure(error, "%s", *said ? said : "bad options behind -o");
    if (status == 0)
        status = check_rings(&parsed, options, error);
    if (status == 0)
        status = take(settings, &parsed, options, error);
    free(parsed.user);
    return status;
}

void settings_done(struct settings *settings)
{
    free(settings->conn);
    fuse_opt_free_args(&settings->args);
}
