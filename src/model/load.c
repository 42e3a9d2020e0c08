/* SPDX-License-Identifier: MIT */
/* The head's way into memory: one pass of reads in growing pieces, as far as the
 * parser asks and little further. Tensor data behind the head is given back; the
 * memory that stays is the head's size, and that has a limit: a few bytes of a file with
 * holes can claim terabytes. What the bytes mean is gguf/'s. */

#include "model/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "gguf/parse.h"

/* Holds the head of most models that have no vocabulary; heads with one are a few MB. */
#define FIRST_PIECE (UINT64_C(256) << 10)

/* Steps behind it: an eighth of what is there, so that work stays linear in the head's size
 * (a record that is cut off is parsed again), and little is read that is not needed. */
#define STEP_MIN (UINT64_C(1) << 20)

/* Memory for a head that is longer than the first piece: most that have a vocabulary fit. */
#define ROOM_MIN  (UINT64_C(16) << 20)
#define HUGE_PAGE ((uintptr_t)2 << 20)

/* Those that people make are of some megabytes; a million tensors take a hundred. */
#define HEAD_MAX (UINT64_C(2) << 30)

struct loader {
    struct source *source;
    uint8_t *bytes; /* size of them were read */
    uint64_t size;
    uint64_t room; /* allocated */
};

/* Where the system does it, a head of megabytes takes a handful of page faults, not thousands;
 * the two processes that a mount forks share it as cheaply. */
static void want_huge_pages(uint8_t *bytes, uint64_t size)
{
    size_t before = -(uintptr_t)bytes % HUGE_PAGE;
    if (size >= before + HUGE_PAGE)
        madvise(bytes + before, (size_t)(size - before) & ~(HUGE_PAGE - 1),
                MADV_HUGEPAGE);
}

/* Takes more than is asked for: room that nothing was read into costs addresses, no memory. */
static bool make_room(struct loader *loader, uint64_t size)
{
    uint64_t file_size = source_size(loader->source), room = size;
    if (size <= loader->room)
        return true;
    if (loader->room > 0)
        room = size < ROOM_MIN / 2 ? ROOM_MIN : size * 2;
    if (room > file_size)
        room = file_size;
    uint8_t *bytes = realloc(loader->bytes, (size_t)room);
    if (!bytes)
        return false;
    if (loader->room > 0)
        want_huge_pages(bytes, room);
    loader->bytes = bytes;
    loader->room = room;
    return true;
}

/* Reads on until size bytes of the file are there. */
static int load_to(struct loader *loader, uint64_t size, struct ggufs_error *error)
{
    if (size > HEAD_MAX || size > SIZE_MAX)
        return error_set(error, GGUFS_FORMAT, GGUFS_NO_OFFSET,
                         "keys and tensor infos of %" PRIu64
                         " bytes or more; at most %" PRIu64 " are read here",
                         size, HEAD_MAX);
    if (!make_room(loader, size))
        return error_memory(error);
    int rc = source_read(loader->source, loader->size, loader->bytes + loader->size,
                         (size_t)(size - loader->size));
    if (rc < 0)
        return error_system(error, -rc, "cannot read");
    loader->size = size;
    return 0;
}

/* At least what is wanted; what was only read to save a step ends at the limit. */
static uint64_t next_size(const struct loader *loader, uint64_t wanted)
{
    uint64_t file_size = source_size(loader->source);
    uint64_t step = loader->size / 8 < STEP_MIN ? STEP_MIN : loader->size / 8;
    uint64_t size = loader->size + (loader->size < step ? loader->size : step);
    if (size > HEAD_MAX)
        size = HEAD_MAX;
    if (size < wanted)
        size = wanted;
    return size < file_size ? size : file_size;
}

static int feed(struct loader *loader, struct parser *parser, struct ggufs_error *error)
{
    uint64_t wanted = FIRST_PIECE;
    int rc = 1;
    while (rc == 1) {
        rc = load_to(loader, next_size(loader, wanted), error);
        if (rc == 0)
            rc = parser_feed(parser, loader->bytes, loader->size, &wanted, error);
    }
    return rc;
}

/* The head refers to its bytes by offset, so that they may move once more here. */
static void give_back(struct loader *loader, struct head *head)
{
    uint8_t *bytes = realloc(loader->bytes, head->size ? (size_t)head->size : 1);
    if (bytes)
        loader->bytes = bytes;
    head->bytes = loader->bytes;
}

int load_head(struct source *source, struct head *head, uint8_t **bytes,
              struct ggufs_error *error)
{
    struct loader loader = {.source = source};
    struct parser *parser = parser_new(source_size(source));
    int rc = parser ? feed(&loader, parser, error) : error_memory(error);
    if (rc == 0)
        rc = parser_take(parser, loader.bytes, head, error);
    parser_free(parser);
    if (rc < 0) {
        head_done(head);
        memset(head, 0, sizeof(*head));
        free(loader.bytes);
        return rc;
    }
    give_back(&loader, head);
    source_remember(source, loader.bytes, (size_t)head->size);
    *bytes = loader.bytes;
    return 0;
}
