/* SPDX-License-Identifier: MIT */
/* info.json: the table of contents for programs. Here is the frame: which sections there are, in
 * which order, and how a step goes from record to record. The records are info_records.c's and
 * info_key.c's.
 *
 * It is written straight to the sink, not through jansson's trees: a million tensors take a
 * second so, integers keep all their 64 bits, and bytes that are no text never reach a library
 * that refuses them. */

#include "tree/info.h"

#include <errno.h>
#include <stdlib.h>

#include "content/text.h"
#include "tree/views.h"

struct section {
    const char *open;
    const char *close;
    bool lines; /* each record on a line of its own */
    uint64_t (*count)(const struct info *info);
    void (*put)(const struct info *info, size_t i, struct pen *pen);
};

static uint64_t one(const struct info *info)
{
    (void)info;
    return 1;
}

static uint64_t n_shards(const struct info *info)
{
    return info->model->n_shards;
}

static uint64_t n_keys(const struct info *info)
{
    return ggufs_model_keys(info->model);
}

static uint64_t n_tensors(const struct info *info)
{
    return ggufs_model_tensors(info->model);
}

static uint64_t n_types(const struct info *info)
{
    return info->totals.n_types;
}

static uint64_t n_warnings(const struct info *info)
{
    return ggufs_model_warnings(info->model);
}

static const struct section sections[] = {
    {"{\n  \"file\": {", "", false, one, info_put_file},
    {", \"shards\": [", "]", true, n_shards, info_put_shard},
    {"},\n  \"metadata\": {", "}", true, n_keys, info_put_key},
    {",\n  \"tensors\": [", "]", true, n_tensors, info_put_tensor},
    {",\n  \"totals\": {", "", false, one, info_put_totals},
    {", \"types\": {", "}", true, n_types, info_put_type},
    {"},\n  \"warnings\": [", "]\n}\n", true, n_warnings, info_put_warning},
};

#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

static bool is_there(const struct section *section, const struct info *info)
{
    return section->put != info_put_shard || info->model->n_shards > 1;
}

/* A section's places: its opening is 0, then come its records, then its close. */
static void put_place(const struct info *info, const struct section *section,
                      uint64_t place, uint64_t count, struct pen *pen)
{
    if (place == 0) {
        pen_text(pen, section->open);
    } else if (place <= count) {
        if (section->lines)
            pen_text(pen, place == 1 ? "\n    " : ",\n    ");
        section->put(info, place - 1, pen);
    } else {
        if (section->lines && count > 0)
            pen_text(pen, "\n  ");
        pen_text(pen, section->close);
    }
}

/* Writes the section from *place on. */
static void put_section(const struct info *info, const struct section *section,
                        uint64_t *place, uint64_t *behind, struct pen *pen)
{
    uint64_t count = section->count(info);

    while (*place <= count + 1) {
        pen_record(pen, *behind);
        put_place(info, section, *place, count, pen);
        if (pen->stopped) {
            *behind = pen->piece;
            return;
        }
        *behind = 0;
        ++*place;
    }
    *place = 0;
}

/* at: the section, the place in it, the pieces of it that are written, the pen's mode. */
static int info_step(const void *maker, struct text_state *state, struct sink *sink)
{
    const struct info *info = maker;
    struct pen pen = pen_new(sink, state->at[3]);

    while (state->at[0] < N_SECTIONS) {
        const struct section *section = &sections[state->at[0]];
        if (is_there(section, info))
            put_section(info, section, &state->at[1], &state->at[2], &pen);
        if (pen.stopped)
            break;
        state->at[0]++;
    }
    state->at[3] = pen.mode;
    return pen.stopped;
}

static void info_free(void *maker)
{
    struct info *info = maker;

    totals_done(&info->totals);
    free(info);
}

int info_content(const struct tree *tree, const struct ggufs_model *model,
                 struct content **content)
{
    struct info *info = calloc(1, sizeof(*info));

    if (!info)
        return -ENOMEM;
    info->tree = tree;
    info->model = model;
    if (totals_init(&info->totals, model) < 0) {
        free(info);
        return -ENOMEM;
    }
    *content = content_text(info_step, info, info_free);
    return *content ? 0 : -ENOMEM;
}
