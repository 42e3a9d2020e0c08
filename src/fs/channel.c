/* SPDX-License-Identifier: MIT */
/* The pipe between two processes of a mount, see channel.h. What messages mean is for
 * keeper.c, session.c and background.c to say. */

#include "fs/channel.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static_assert(sizeof(struct message) <= PIPE_BUF,
              "messages must be written in one piece");

int channel_open(struct channel *channel)
{
    int ends[2];

    *channel = (struct channel){-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    *channel = (struct channel){ends[0], ends[1]};
    return 0;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

void channel_close(struct channel *channel)
{
    close_end(&channel->in);
    close_end(&channel->out);
}

void channel_keep_in(struct channel *channel)
{
    close_end(&channel->out);
}

void channel_keep_out(struct channel *channel)
{
    close_end(&channel->in);
}

int channel_send(int out, const struct message *message)
{
    ssize_t n;

    do
        n = write(out, message, sizeof *message);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

void channel_send_line(int out, const char *line)
{
    struct pollfd room = {.fd = out, .events = POLLOUT};
    struct message message = {.kind = MESSAGE_LINE};

    snprintf(message.line, sizeof message.line, "%s", line);
    /* A pipe that poll calls writable takes PIPE_BUF bytes. Two threads may both be told
     * so for the last room; then one waits for the keeper, which does nothing but
     * read. */
    if (poll(&room, 1, 0) == 1 && !(room.revents & (POLLERR | POLLNVAL)))
        channel_send(out, &message);
}

/* The sender reads strangers' files: should one have taken it over, its texts need not
 * end. */
static void end_texts(struct message *message)
{
    if (message->kind == MESSAGE_FAILED) {
        message->error.file[sizeof message->error.file - 1] = '\0';
        message->error.text[sizeof message->error.text - 1] = '\0';
    } else {
        message->line[sizeof message->line - 1] = '\0';
    }
}

bool channel_receive(int in, struct message *message)
{
    ssize_t n;

    do
        n = read(in, message, sizeof *message);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *message)
        return false;
    end_texts(message);
    return true;
}
