/* SPDX-License-Identifier: MIT */
/* Hints about a map's pages. Why each is worth its system call stands with it; what was
 * measured is in tests/bench. */

#include "model/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; older ones say EINVAL */
#endif

/* Below this a page fault or two costs no more than asking. */
#define POPULATE_MIN (64 << 10)

/* What stays behind a reader: requests of one stream overtake each other. */
#define BEHIND (16 << 20)

static uint64_t page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static void *page_at(const struct pages *pages, uint64_t offset)
{
    return (void *)(uintptr_t)(pages->map + offset);
}

/* A fault maps 16 pages, and the copy to the reader would take one for each of them. */
void pages_populate(const struct pages *pages, uint64_t offset, size_t size)
{
    if (size < POPULATE_MIN)
        return;
    uint64_t skip = offset % page_size();
    int errnum = errno;
    madvise(page_at(pages, offset - skip), size + skip, MADV_POPULATE_READ);
    errno = errnum;
}

void pages_read_ahead(const struct pages *pages, uint64_t offset, uint64_t size)
{
    if (size > 0)
        posix_fadvise(pages->fd, (off_t)offset, (off_t)size, POSIX_FADV_WILLNEED);
}

/* A page that is mapped cannot be dropped from the cache: it is unmapped first. */
void pages_drop_behind(const struct pages *pages, uint64_t offset, size_t size)
{
    if (offset < BEHIND)
        return;
    uint64_t end = (offset + size - BEHIND) / page_size() * page_size();
    uint64_t start = (offset - BEHIND) / page_size() * page_size();
    if (start >= end)
        return;
    madvise(page_at(pages, start), end - start, MADV_DONTNEED);
    posix_fadvise(pages->fd, (off_t)start, (off_t)(end - start), POSIX_FADV_DONTNEED);
}

int pages_pin(const struct pages *pages)
{
    return mlock2(pages->map, pages->size, MLOCK_ONFAULT) < 0 ? -errno : 0;
}
