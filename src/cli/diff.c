/* SPDX-License-Identifier: MIT */
/* --diff: two models side by side. What differs is found by src/diff; here are the exit
 * statuses, which are those of diff(1), and how far it is, for who sits at a terminal. */

#include "diff/diff.h"
#include "cli/command.h"
#include "cli/open.h"
#include "cli/print.h"

#include <stdio.h>
#include <unistd.h>

/* What the terminal shows of the progress. */
struct display {
    bool terminal; /* standard error is one */
    int percent;   /* that is on the screen, or -1 */
};

static void clear_progress(struct display *display)
{
    if (display->terminal && display->percent >= 0)
        fputs("\r\033[K", stderr);
    display->percent = -1;
}

static void show_line(void *data, const char *text)
{
    clear_progress(data);
    puts(text);
}

static void show_progress(void *data, uint64_t done, uint64_t total)
{
    struct display *display = data;
    int percent = total ? (int)((double)done / (double)total * 100) : 0;
    if (percent == display->percent)
        return;
    fflush(stdout);
    fprintf(stderr, "\r%3d %% of the tensors compared", percent);
    display->percent = percent;
}

/* 1 is for models that differ. */
static int trouble(int status)
{
    return status < GGUFS_USAGE ? GGUFS_USAGE : status;
}

/* Opens one of the two. 0, or the exit status after the message. */
static int open_side(const struct options *options, const char *name,
                     struct ggufs_tree **tree)
{
    int status = open_model(options, name, tree);
    if (status)
        return trouble(status);
    if (ggufs_tree_model(*tree))
        return 0;
    print_message("%s: --diff compares two models, and here are many", name);
    ggufs_tree_close(*tree);
    return GGUFS_USAGE;
}

static int compare(const struct options *options, struct display *display,
                   struct ggufs_tree *old, struct ggufs_tree *new)
{
    struct ggufs_error error = {.offset = GGUFS_NO_OFFSET};
    struct diff_options how = {
        .brief = options->brief,
        .json = options->json,
        .line = show_line,
        .progress = display->terminal ? show_progress : NULL,
        .data = display,
    };
    int result = diff_models(old, new, &how, &error);
    clear_progress(display);
    return result < 0 ? trouble(print_error(NULL, &error)) : result;
}

int diff_command(const struct options *options)
{
    struct display display = {.terminal = isatty(STDERR_FILENO) == 1, .percent = -1};
    struct ggufs_tree *old, *new;
    only_read(options); /* from here on what is a terminal cannot be asked */
    int status = open_side(options, options->operands[0], &old);
    if (status)
        return status;
    status = open_side(options, options->operands[1], &new);
    if (!status) {
        status = compare(options, &display, old, new);
        ggufs_tree_close(new);
    }
    ggufs_tree_close(old);
    return status;
}
