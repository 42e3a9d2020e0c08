/* SPDX-License-Identifier: MIT */
/* The difference as one JSON object: for keys and tensors each the entries that were added,
 * removed and changed, and how many are the same. jansson writes it. */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/changes.h"

/* What a report is made from, and whether memory ran out on the way: jansson then leaves out
 * what it could not make, so no part of the object is whole any more. */
struct report {
    const struct side *old, *new;
    bool brief;
    bool failed;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) < 0)
        report->failed = true;
}

static void append(struct report *report, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) < 0)
        report->failed = true;
}

/* JSON has no NaN and no infinities: null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *key_json(const struct side *side, const char *name, size_t i)
{
    char text[400];
    describe_value(side, name, i, text, sizeof(text));
    return json_string(text);
}

static json_t *tensor_json(struct report *report, const struct side *side, size_t i)
{
    struct ggufs_tensor tensor;
    char type[32];
    ggufs_model_tensor(side->model, i, &tensor);
    describe_type(&tensor, type);
    json_t *shape = json_array();
    for (uint32_t k = tensor.n_dims; k-- > 0;)
        append(report, shape, json_integer((json_int_t)tensor.dims[k]));
    return json_pack("{s:s, s:o, s:I}", "type", type, "shape", shape, "bytes",
                     (json_int_t)tensor.size);
}

static json_t *side_json(struct report *report, const struct side *side,
                         enum subject subject, const char *name, size_t i)
{
    return subject == SUBJECT_KEYS ? key_json(side, name, i)
                                   : tensor_json(report, side, i);
}

static void add_numbers(struct report *report, json_t *object,
                        const struct change *change)
{
    const struct numbers *numbers = &change->numbers;
    if (change->bytes_differ)
        put(report, object, "data_differs", json_true());
    if (change->trouble < 0)
        put(report, object, "trouble", json_string(strerror(-change->trouble)));
    if (!numbers->known)
        return;
    put(report, object, "largest_difference", number(numbers->largest));
    put(report, object, "mean_difference", number(numbers->mean));
    put(report, object, "cosine_similarity", number(numbers->cosine));
}

static json_t *change_json(struct report *report, enum subject subject,
                           const struct change *change)
{
    const char *name = change->name;
    json_t *object = json_object();
    put(report, object, "name", json_string(name));
    if (report->brief)
        return object;
    if (change->kind != CHANGE_ADDED)
        put(report, object, "old",
            side_json(report, report->old, subject, name, change->old));
    if (change->kind != CHANGE_REMOVED)
        put(report, object, "new",
            side_json(report, report->new, subject, name, change->new));
    add_numbers(report, object, change);
    return object;
}

static json_t *subject_json(struct report *report, enum subject subject,
                            const struct changes *changes)
{
    json_t *lists[CHANGE_KINDS];
    for (int kind = 0; kind < CHANGE_KINDS; kind++)
        lists[kind] = json_array();
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        append(report, lists[change->kind], change_json(report, subject, change));
    }
    return json_pack("{s:o, s:o, s:o, s:I}", "added", lists[CHANGE_ADDED], "removed",
                     lists[CHANGE_REMOVED], "changed", lists[CHANGE_CHANGED], "same",
                     (json_int_t)changes->same);
}

/* The text, to be freed, or NULL. Not by json_dumps: where memory ends in an object's key, that
 * leaves the key out and goes on. A stream keeps in mind that it failed. */
static char *dump(const json_t *json)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    int r = json_dumpf(json, out,
                       JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    bool failed = r < 0 || ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

int report_json(const struct side *old, const struct side *new,
                const struct changes changes[SUBJECTS],
                const struct diff_options *options)
{
    struct report report = {old, new, options->brief, false};
    json_t *root = json_object();
    put(&report, root, "keys",
        subject_json(&report, SUBJECT_KEYS, &changes[SUBJECT_KEYS]));
    put(&report, root, "tensors",
        subject_json(&report, SUBJECT_TENSORS, &changes[SUBJECT_TENSORS]));
    char *text = report.failed ? NULL : dump(root);
    json_decref(root);
    if (text == NULL)
        return -ENOMEM;
    options->line(options->data, text);
    free(text);
    return 0;
}
