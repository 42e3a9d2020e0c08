/* SPDX-License-Identifier: MIT */
/* A pipe on which one process of the mount tells another how it goes. A message is
 * written in one piece (it is shorter than PIPE_BUF), from any thread. */

#ifndef FS_CHANNEL_H
#define FS_CHANNEL_H

#include "ggufs.h"

#define CHANNEL_LINE_MAX 1024

enum message_kind {
    MESSAGE_LINE,    /* line: something to say */
    MESSAGE_MOUNTED, /* the mount is there; it does not answer yet */
    MESSAGE_USABLE,  /* it does */
    MESSAGE_FAILED,  /* status and error: it will not */
    MESSAGE_ENDED,   /* somebody unmounted it: nothing is left to unmount */
};

struct message {
    enum message_kind kind;
    int status;
    union {
        struct ggufs_error error;
        char line[CHANNEL_LINE_MAX];
    };
};

struct channel {
    int in, out; /* -1: closed here */
};

/* 0 or -errno. Both ends are closed on exec. */
int channel_open(struct channel *channel);
void channel_close(struct channel *channel);
/* Keep only one end. */
void channel_keep_in(struct channel *channel);
void channel_keep_out(struct channel *channel);

/* 0 or -errno (-EPIPE where nobody listens any more). */
int channel_send(int out, const struct message *message);
/* Sends a line unless the pipe is full: what is said must not hold up the one who says
 * it. */
void channel_send_line(int out, const char *line);
/* True with message filled; false where the other end was closed. */
bool channel_receive(int in, struct message *message);

#endif
