/* SPDX-License-Identifier: MIT */
/* What the kernel is told about the pages of a mapped model: hints, all of which may fail
 * without harm. */

#ifndef GGUFS_MODEL_PAGES_H
#define GGUFS_MODEL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file and the map of all of it. */
struct pages {
    int fd;
    const char *map;
    uint64_t size;
};

/* [offset, offset + size) is about to be handed to the kernel: has it mapped in one go. */
void pages_populate(const struct pages *pages, uint64_t offset, size_t size);
/* [offset, offset + size) will be wanted soon: the disk begins to read it. */
void pages_read_ahead(const struct pages *pages, uint64_t offset, uint64_t size);
/* A reader has come to offset: what lies well behind it is let go of. */
void pages_drop_behind(const struct pages *pages, uint64_t offset, size_t size);
/* Pages stay in memory once they are in: 0 or -errno (-ENOMEM, -EPERM: the limit of locked
 * memory). */
int pages_pin(const struct pages *pages);

#endif
