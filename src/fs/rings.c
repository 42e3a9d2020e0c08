/* SPDX-License-Identifier: MIT */
/* Requests through io_uring, see rings.h. Who the rings' threads are, and what they may
 * do, is session.c's. */

#include "fs/rings.h"

#include <errno.h>

#if HAVE_RINGS

void rings_want(struct rings *rings, struct fuse_conn_info *conn)
{
    rings->offered = fuse_get_feature_flag(conn, FUSE_CAP_OVER_IO_URING);
    if (!rings->wanted)
        capability_refuse(conn, FUSE_CAP_OVER_IO_URING);
}

bool rings_carry(fuse_req_t request)
{
    return fuse_req_is_uring(request);
}

/* Read into the memory that the ring shares with the kernel: no copy is made on the way,
 * and what a truncated model lacks is an error and no signal. */
void rings_reply_read(fuse_req_t request, struct ggufs_file *file, off_t offset,
                      size_t size)
{
    char *buffer;
    size_t room;
    ssize_t n = fuse_req_get_payload(request, &buffer, &room, NULL);

    if (n == 0 && size > room)
        n = -EIO;
    if (n == 0)
        n = ggufs_file_read(file, (uint64_t)offset, buffer, size);
    if (n < 0)
        fuse_reply_err(request, (int)-n);
    else
        fuse_reply_buf(request, buffer, (size_t)n);
}

#else

void rings_want(struct rings *rings, struct fuse_conn_info *conn)
{
    (void)rings, (void)conn;
}

bool rings_carry(fuse_req_t request)
{
    (void)request;
    return false;
}

void rings_reply_read(fuse_req_t request, struct ggufs_file *file, off_t offset,
                      size_t size)
{
    (void)file, (void)offset, (void)size;
    fuse_reply_err(request, ENOSYS);
}

#endif
