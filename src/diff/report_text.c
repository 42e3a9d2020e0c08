/* SPDX-License-Identifier: MIT */
/* The difference as lines for people, and for diff and grep: '-' what only the old model has,
 * '+' what only the new one has, '!' what both have and differs, and a summary. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/changes.h"

#define LINE 2048

static const char marks[CHANGE_KINDS] = {
    [CHANGE_ADDED] = '+',
    [CHANGE_REMOVED] = '-',
    [CHANGE_CHANGED] = '!',
};

static void say(const struct diff_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct diff_options *options, const char *format, ...)
{
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    options->line(options->data, line);
}

static void report_key(const struct side *old, const struct side *new,
                       const struct change *change, const struct diff_options *options)
{
    char a[400] = "", b[400] = "";
    char name[600];
    ggufs_quote(name, sizeof(name), change->name, strlen(change->name));
    if (options->brief) {
        say(options, "%c key %s", marks[change->kind], name);
        return;
    }
    if (change->kind != CHANGE_ADDED)
        describe_value(old, change->name, change->old, a, sizeof(a));
    if (change->kind != CHANGE_REMOVED)
        describe_value(new, change->name, change->new, b, sizeof(b));
    say(options, "%c key %s: %s%s%s", marks[change->kind], name, a,
        change->kind == CHANGE_CHANGED ? " -> " : "", b);
}

static void describe_tensor(const struct side *side, size_t i, char *out, size_t room)
{
    struct ggufs_tensor tensor;
    char type[32], shape[200];
    ggufs_model_tensor(side->model, i, &tensor);
    describe_type(&tensor, type);
    describe_shape(&tensor, shape);
    snprintf(out, room, "%s %s", type, shape);
}

/* What would be printed as -0.000000 is 0. */
static double without_sign_of_zero(double cosine)
{
    return fabs(cosine) <= 0.5e-6 ? 0 : cosine;
}

static void describe_numbers(const struct change *change, char *out, size_t room)
{
    const struct numbers *n = &change->numbers;
    if (change->trouble < 0)
        snprintf(out, room, "; cannot be read: %s", strerror(-change->trouble));
    else if (n->known)
        snprintf(out, room,
                 "; largest difference %.6g, mean %.6g, cosine similarity %.6f",
                 n->largest, n->mean, without_sign_of_zero(n->cosine));
    else
        out[0] = '\0';
}

static void report_tensor(const struct side *old, const struct side *new,
                          const struct change *change, const struct diff_options *options)
{
    char a[256] = "", b[256] = "", numbers[160];
    char name[600];
    ggufs_quote(name, sizeof(name), change->name, strlen(change->name));
    if (options->brief && change->trouble == 0) {
        say(options, "%c tensor %s", marks[change->kind], name);
        return;
    }
    if (change->kind != CHANGE_ADDED)
        describe_tensor(old, change->old, a, sizeof(a));
    if (change->kind != CHANGE_REMOVED)
        describe_tensor(new, change->new, b, sizeof(b));
    describe_numbers(change, numbers, sizeof(numbers));
    bool alike = strcmp(a, b) == 0;
    if (change->kind != CHANGE_CHANGED)
        say(options, "%c tensor %s: %s%s", marks[change->kind], name, a, b);
    else
        say(options, "! tensor %s: %s%s%s%s%s", name, a, alike ? "" : " -> ",
            alike ? "" : b, alike && change->bytes_differ ? ": data differs" : "",
            numbers);
}

static void summarise(const char *what, const struct changes *changes,
                      const struct diff_options *options)
{
    say(options, "%s: %zu the same, %zu changed, %zu added, %zu removed", what,
        changes->same, changes->by_kind[CHANGE_CHANGED], changes->by_kind[CHANGE_ADDED],
        changes->by_kind[CHANGE_REMOVED]);
}

int report_text(const struct side *old, const struct side *new,
                const struct changes changes[SUBJECTS],
                const struct diff_options *options)
{
    for (size_t i = 0; i < changes[SUBJECT_KEYS].count; i++)
        report_key(old, new, &changes[SUBJECT_KEYS].items[i], options);
    for (size_t i = 0; i < changes[SUBJECT_TENSORS].count; i++)
        report_tensor(old, new, &changes[SUBJECT_TENSORS].items[i], options);
    summarise("keys", &changes[SUBJECT_KEYS], options);
    summarise("tensors", &changes[SUBJECT_TENSORS], options);
    return 0;
}
