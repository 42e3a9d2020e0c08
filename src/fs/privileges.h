/* SPDX-License-Identifier: MIT */
/* A mount that root makes and somebody else serves: -o setuid=USER, -o
 * drop_privileges. */

#ifndef FS_PRIVILEGES_H
#define FS_PRIVILEGES_H

#include "fs/mount.h"

struct privileges {
    bool switch_user;
    uid_t uid;
    gid_t gid;
    bool drop;   /* no capability, for good (drop_privileges); else: */
    bool search; /* keep the right to look for models that are opened later */
    bool all;    /* keep every one (no_sandbox) */
};

/* Finds the user (a name or a number). 0, or an exit status with error filled. */
int privileges_user(struct privileges *privileges, const char *user,
                    struct ggufs_error *error);

/* Takes the user's real ids on and off again, for libfuse, which writes whose mount it is
 * by them. Effective ids stay root's. 0 or -errno. */
int privileges_pose(const struct privileges *privileges);
int privileges_unpose(const struct privileges *privileges);

/* Becomes the user and gives up capabilities, for good. 0 or -errno. */
int privileges_drop(const struct privileges *privileges);

#endif
