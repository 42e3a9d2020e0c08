/* SPDX-License-Identifier: MIT */
/* Two models: compare keys, compare tensors, report. */

#include "diff/diff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diff/changes.h"

static int verdict(const struct changes changes[SUBJECTS])
{
    if (changes[SUBJECT_TENSORS].troubles > 0)
        return 2;
    return changes[SUBJECT_KEYS].count + changes[SUBJECT_TENSORS].count > 0;
}

static int fail(struct ggufs_error *error, int r)
{
    if (error && error->code == GGUFS_OK) {
        error->code = GGUFS_SYSTEM;
        error->errnum = -r;
        error->offset = GGUFS_NO_OFFSET;
        snprintf(error->text, sizeof(error->text), "cannot compare: %s", strerror(-r));
    }
    return r;
}

int diff_models(struct ggufs_tree *old, struct ggufs_tree *new,
                const struct diff_options *options, struct ggufs_error *error)
{
    struct side a = {old, ggufs_tree_model(old)};
    struct side b = {new, ggufs_tree_model(new)};
    if (a.model == NULL || b.model == NULL)
        return fail(error, -EINVAL);
    struct changes changes[SUBJECTS] = {0};
    int r = compare_keys(&a, &b, &changes[SUBJECT_KEYS]);
    if (r == 0)
        r = compare_tensors(&a, &b, options, &changes[SUBJECT_TENSORS]);
    if (r == 0)
        r = options->json ? report_json(&a, &b, changes, options)
                          : report_text(&a, &b, changes, options);
    r = r < 0 ? fail(error, r) : verdict(changes);
    changes_done(&changes[SUBJECT_KEYS]);
    changes_done(&changes[SUBJECT_TENSORS]);
    return r;
}
