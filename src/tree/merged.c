/* SPDX-License-Identifier: MIT */
/* The view model.gguf: for one file that file, for a set a head made in memory and
 * behind it runs of the shards, with zeros between. Only the size is worked out when
 * the view is made; the head and the list of runs cost memory once somebody reads.
 * What the head says and where tensors lie is merged_head.c's. */

#include "tree/merged.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/checked.h"
#include "tree/views.h"

/* ---- pieces ---- */

enum piece_kind {
    PIECE_HEAD,
    PIECE_ZEROS,
    PIECE_RANGE,
};

struct piece {
    enum piece_kind kind;
    struct source *source; /* of PIECE_RANGE */
    uint64_t offset;       /* in it */
};

/* The pieces, with what they refer to: the owner of the concat. */
struct pieces {
    uint8_t *head;
    struct piece *list; /* NULL while they are only counted */
    uint64_t *starts;   /* the concat's, once there is one */
    size_t n;
    uint64_t position; /* the end of the last one */
    struct piece last;
    uint64_t last_start;
};

static void free_pieces(void *owner)
{
    struct pieces *pieces = owner;
    if (!pieces)
        return;
    free(pieces->head);
    free(pieces->list);
    free(pieces);
}

static struct content *make_part(void *owner, size_t i)
{
    const struct pieces *pieces = owner;
    const struct piece *piece = &pieces->list[i];
    uint64_t size = pieces->starts[i + 1] - pieces->starts[i];
    switch (piece->kind) {
    case PIECE_HEAD: return content_bytes(pieces->head, (size_t)size, NULL);
    case PIECE_ZEROS: return content_zeros(size);
    case PIECE_RANGE: break;
    }
    return content_range(piece->source, piece->offset, size);
}

/* Tensors without padding between them are one run where they are so in the shard too. */
static bool goes_on(const struct pieces *pieces, struct piece next)
{
    return pieces->n > 0 && next.kind == PIECE_RANGE &&
           pieces->last.kind == PIECE_RANGE && next.source == pieces->last.source &&
           next.offset - pieces->last.offset == pieces->position - pieces->last_start;
}

static void add_piece(struct pieces *pieces, struct piece piece, uint64_t size)
{
    if (size > 0 && !goes_on(pieces, piece)) {
        if (pieces->list) {
            pieces->list[pieces->n] = piece;
            pieces->starts[pieces->n] = pieces->position;
        }
        pieces->n++;
        pieces->last = piece;
        pieces->last_start = pieces->position;
    }
    pieces->position += size;
}

/* Adds all pieces, head first. 0, or -EFBIG where they are more than a file can hold. */
static int add_pieces(struct pieces *pieces, const struct ggufs_model *model,
                      uint64_t head_size)
{
    uint64_t data_start, end;
    if (!checked_align(head_size, merged_alignment(model), &data_start))
        return -EFBIG;
    add_piece(pieces, (struct piece){.kind = PIECE_HEAD}, head_size);
    add_piece(pieces, (struct piece){.kind = PIECE_ZEROS}, data_start - head_size);
    struct merged_walk walk = {.model = model};
    struct merged_place place;
    int rc;
    while ((rc = merged_next(&walk, &place)) == 1) {
        struct piece range = {PIECE_RANGE, place.shard->source, place.tensor->offset};
        add_piece(pieces, range, place.tensor->size);
        add_piece(pieces, (struct piece){.kind = PIECE_ZEROS}, place.padding);
    }
    if (rc == 0 && (!checked_add(data_start, walk.offset, &end) || end > INT64_MAX))
        return -EFBIG;
    return rc;
}

/* ---- the content ---- */

struct merged {
    struct content content;
    const struct ggufs_model *model;
    uint64_t head_size;
    size_t n_pieces;
    pthread_mutex_t mutex;
    struct content *concat; /* once somebody has read */
};

static struct pieces *make_pieces(const struct merged *merged)
{
    struct pieces *pieces = calloc(1, sizeof(*pieces));
    if (!pieces)
        return NULL;
    pieces->head = malloc((size_t)merged->head_size);
    pieces->list = calloc(merged->n_pieces, sizeof(*pieces->list));
    pieces->starts = calloc(merged->n_pieces + 1, sizeof(*pieces->starts));
    if (!pieces->head || !pieces->list || !pieces->starts) {
        free(pieces->starts);
        free_pieces(pieces);
        return NULL;
    }
    merged_head_write(merged->model, pieces->head);
    add_pieces(pieces, merged->model, merged->head_size);
    pieces->starts[pieces->n] = pieces->position;
    return pieces;
}

static struct content *make_concat(const struct merged *merged)
{
    struct pieces *pieces = make_pieces(merged);
    if (!pieces)
        return NULL;
    return content_concat(pieces->n, pieces->starts, make_part, free_pieces, pieces,
                          true);
}

static struct content *get_concat(struct content *content)
{
    struct merged *merged = (struct merged *)content;
    pthread_mutex_lock(&merged->mutex);
    if (!merged->concat)
        merged->concat = make_concat(merged);
    struct content *concat = merged->concat;
    pthread_mutex_unlock(&merged->mutex);
    return concat;
}

static int merged_read(struct content *content, struct reading *reading, uint64_t offset,
                       char *buffer, size_t size)
{
    struct content *concat = get_concat(content);
    return concat ? concat->kind->read(concat, reading, offset, buffer, size) : -ENOMEM;
}

static int merged_map(struct content *content, uint64_t offset, size_t size,
                      struct iovec *piece)
{
    struct content *concat = get_concat(content);
    if (!concat)
        return -ENOMEM;
    return concat->kind->map ? concat->kind->map(concat, offset, size, piece) : -ENOSYS;
}

static void merged_free(struct content *content)
{
    struct merged *merged = (struct merged *)content;
    content_free(merged->concat);
    pthread_mutex_destroy(&merged->mutex);
    free(merged);
}

static const struct content_kind merged_kind = {
    .name = "merged",
    .read = merged_read,
    .map = merged_map,
    .free = merged_free,
};

static int merge_set(const struct ggufs_model *model, struct content **content)
{
    uint64_t head_size;
    struct pieces counted = {0};
    int rc = merged_head_size(model, &head_size);
    if (rc == 0)
        rc = add_pieces(&counted, model, head_size);
    if (rc < 0)
        return rc;
    struct merged *merged = calloc(1, sizeof(*merged));
    if (!merged)
        return -ENOMEM;
    pthread_mutex_init(&merged->mutex, NULL);
    merged->content.kind = &merged_kind;
    merged->content.size = counted.position;
    merged->model = model;
    merged->head_size = head_size;
    merged->n_pieces = counted.n;
    *content = &merged->content;
    return 0;
}

struct source *merged_backing(const struct ggufs_model *model)
{
    return model->n_shards == 1 ? model->shards[0].source : NULL;
}

int merged_content(const struct ggufs_model *model, struct content **content)
{
    struct source *source = merged_backing(model);
    if (!source)
        return merge_set(model, content);
    *content = content_range(source, 0, source_size(source));
    return *content ? 0 : -ENOMEM;
}

/* Half of what a file can be is left for the head. */
bool merged_fits(const struct ggufs_model *model)
{
    struct merged_walk walk = {.model = model};
    struct merged_place place;
    int rc = 0;
    if (!merged_backing(model))
        while ((rc = merged_next(&walk, &place)) == 1)
            continue;
    if (rc == 0 && walk.offset <= INT64_MAX / 2)
        return true;
    if (model->options.log)
        model->options.log(model->options.log_data,
                           "no model.gguf: it would be larger than a file can be");
    return false;
}
