/* SPDX-License-Identifier: MIT */
/* Requests through io_uring instead of /dev/fuse (-o io_uring): libfuse then has a ring
 * and a thread of its own for each processor, from the first request on. Takes Linux
 * 6.14 with the fuse module's parameter enable_uring set, and libfuse 3.18 that was built
 * with liburing; where one lacks, requests come through /dev/fuse as ever. */

#ifndef FS_RINGS_H
#define FS_RINGS_H

#include "fs/fuse_version.h"
#include "ggufs.h"

#include <sys/types.h>

struct rings {
    bool wanted;
    bool offered; /* by the kernel */
};

/* Asks for rings, or refuses those that nobody asked us for (libfuse takes a hint from
 * the environment); to be called in the init operation. */
void rings_want(struct rings *rings, struct fuse_conn_info *conn);

/* Whether a request came through a ring. Then answers must not be made of mapped bytes:
 * libfuse copies them itself, where the kernel would. */
bool rings_carry(fuse_req_t request);

/* Answers such a request with bytes of a file. */
void rings_reply_read(fuse_req_t request, struct ggufs_file *file, off_t offset,
                      size_t size);

#endif
