/* SPDX-License-Identifier: MIT */
/* What libfuse and fusermount3 write to standard error while they mount, caught, so that
 * an error is one line of ours. While nothing else runs in this process. */

#ifndef FS_CAPTURE_H
#define FS_CAPTURE_H

#include <stddef.h>

struct capture {
    int file; /* what is written goes here */
    int real; /* the true standard error meanwhile */
};

/* Begins; where that is impossible, nothing is caught. */
void capture_begin(struct capture *capture);
/* Ends, and gives the last line that was written, fit for a terminal; "" for none. */
void capture_end(struct capture *capture, char *line, size_t size);

#endif
