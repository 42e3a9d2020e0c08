/* SPDX-License-Identifier: MIT */
/* libfuse's low-level interface from 3.10 on, and all that differs between its versions.
 * The build writes fuse_api.h, which says which version of the interface to ask for: a
 * header of libfuse wants to be told before it tells which libfuse it belongs to. */

#ifndef FS_FUSE_VERSION_H
#define FS_FUSE_VERSION_H

#include "fs/fuse_api.h"

#include <fuse_lowlevel.h>

/* Version 3.12 has made the loop's configuration opaque, and knows a limit for
 * threads. */
#define HAVE_LOOP_CONFIG (FUSE_VERSION >= FUSE_MAKE_VERSION(3, 12))
/* 3.17 has passthrough, and more capabilities than fit the old word. */
#define HAVE_PASSTHROUGH (FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17))
/* 3.18 can be spoken to through io_uring. */
#define HAVE_RINGS (FUSE_VERSION >= FUSE_MAKE_VERSION(3, 18))

/* Asks for one capability where the kernel has it. */
static inline void capability_want(struct fuse_conn_info *conn, uint64_t flag)
{
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
    fuse_set_feature_flag(conn, flag);
#else
    conn->want |= conn->capable & (unsigned int)flag;
#endif
}

static inline void capability_refuse(struct fuse_conn_info *conn, uint64_t flag)
{
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
    fuse_unset_feature_flag(conn, flag);
#else
    conn->want &= ~(unsigned int)flag;
#endif
}

#endif
