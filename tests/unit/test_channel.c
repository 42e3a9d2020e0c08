/* SPDX-License-Identifier: MIT */
/* The channel: messages arrive whole and in order, an end is noticed, lines never
 * block. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "fs/channel.h"

static void test_order_and_end(void **state)
{
    struct channel channel;
    struct message failed = {.kind = MESSAGE_FAILED, .status = 6}, got;

    (void)state;
    strcpy(failed.error.text, "why");
    assert_int_equal(channel_open(&channel), 0);
    channel_send_line(channel.out, "first");
    assert_int_equal(channel_send(channel.out, &failed), 0);
    channel_keep_in(&channel);
    assert_int_equal(channel.out, -1);
    assert_true(channel_receive(channel.in, &got));
    assert_int_equal(got.kind, MESSAGE_LINE);
    assert_string_equal(got.line, "first");
    assert_true(channel_receive(channel.in, &got));
    assert_int_equal(got.kind, MESSAGE_FAILED);
    assert_int_equal(got.status, 6);
    assert_string_equal(got.error.text, "why");
    assert_false(channel_receive(channel.in, &got));
    channel_close(&channel);
    channel_close(&channel);
}

static void test_long_line_is_cut(void **state)
{
    struct channel channel;
    struct message got;
    char line[2 * CHANNEL_LINE_MAX];

    (void)state;
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_int_equal(channel_open(&channel), 0);
    channel_send_line(channel.out, line);
    assert_true(channel_receive(channel.in, &got));
    assert_int_equal(strlen(got.line), CHANNEL_LINE_MAX - 1);
    channel_close(&channel);
}

/* A sender that somebody else has taken over does not get texts past their ends. */
static void test_endless_texts(void **state)
{
    struct channel channel;
    struct message line, failed, got;

    (void)state;
    memset(&line, 'x', sizeof line);
    line.kind = MESSAGE_LINE;
    failed = line;
    failed.kind = MESSAGE_FAILED;
    assert_int_equal(channel_open(&channel), 0);
    assert_int_equal(channel_send(channel.out, &line), 0);
    assert_int_equal(channel_send(channel.out, &failed), 0);
    assert_true(channel_receive(channel.in, &got));
    assert_int_equal(strnlen(got.line, sizeof got.line), sizeof got.line - 1);
    assert_true(channel_receive(channel.in, &got));
    assert_int_equal(strnlen(got.error.file, sizeof got.error.file),
                     sizeof got.error.file - 1);
    assert_int_equal(strnlen(got.error.text, sizeof got.error.text),
                     sizeof got.error.text - 1);
    channel_close(&channel);
}

/* Nobody reads: lines are dropped once the pipe is full, what was sent stays whole. */
static void test_full_pipe(void **state)
{
    struct channel channel;
    struct message got;
    int received = 0;

    (void)state;
    assert_int_equal(channel_open(&channel), 0);
    for (int i = 0; i < 1000; i++)
        channel_send_line(channel.out, "again");
    channel_keep_in(&channel);
    while (channel_receive(channel.in, &got)) {
        assert_string_equal(got.line, "again");
        received++;
    }
    assert_in_range(received, 1, 999);
    channel_close(&channel);
}

static void test_nobody_listens(void **state)
{
    struct channel channel;
    struct message usable = {.kind = MESSAGE_USABLE};

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(channel_open(&channel), 0);
    channel_keep_out(&channel);
    assert_int_equal(channel_send(channel.out, &usable), -EPIPE);
    channel_send_line(channel.out, "nobody hears it");
    assert_int_equal(fcntl(channel.out, F_GETFD), FD_CLOEXEC);
    channel_close(&channel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_end),  cmocka_unit_test(test_long_line_is_cut),
        cmocka_unit_test(test_endless_texts),  cmocka_unit_test(test_full_pipe),
        cmocka_unit_test(test_nobody_listens),
    };

    return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
