/* SPDX-License-Identifier: MIT */
/* One open file: how it is opened, what is refused there, its map, exact reads, and
 * how it is noticed that somebody truncated or rewrote it since. Knows nothing of the
 * format: what the bytes mean is the loader's. */

#include "model/source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "model/pages.h"
#include "model/streams.h"

/* Bytes of the head that tell a truncated file from one that was written anew. */
#define HEAD_SAMPLE 4096

struct source {
    int fd;
    char *name;
    struct stat stat;      /* when it was opened */
    pthread_mutex_t mutex; /* for what follows, up to the next comment */
    struct stat known;     /* as it was last found to hold what was opened */
    void *map;
    bool map_failed;
    struct streams streams;
    /* told once each, whichever thread comes first */
    atomic_bool told_changed;
    atomic_bool told_short;
    void (*log)(void *log_data, const char *line);
    void *log_data;
    bool pin, drop;   /* as in struct ggufs_options */
    const void *head; /* the loader's first bytes of it, or NULL */
    size_t head_size;
};

/* ---- opening ---- */

static int refuse_kind(mode_t mode, struct ggufs_error *error)
{
    const char *what = S_ISDIR(mode)    ? "a directory"
                       : S_ISFIFO(mode) ? "a FIFO"
                       : S_ISSOCK(mode) ? "a socket"
                       : S_ISCHR(mode)  ? "a character device"
                       : S_ISBLK(mode)  ? "a block device"
                                        : "something else";
    return error_set(error, GGUFS_FORMAT, GGUFS_NO_OFFSET,
                     "this is %s; a model is a regular file", what);
}

/* What open answered, unless the file is of a kind that cannot be opened at all (a
 * socket). */
static int refuse_open(const char *path, int errnum, struct ggufs_error *error)
{
    struct stat st;
    if (errnum == ENXIO && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return refuse_kind(st.st_mode, error);
    return error_system(error, errnum, "cannot open");
}

/* Daemons point 0, 1 and 2 elsewhere; a model that got one of them would be lost then. */
static int move_above_standard(int fd)
{
    if (fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int errnum = errno;
    close(fd);
    errno = errnum;
    return moved;
}

static int open_file(struct source *source, const char *path, struct ggufs_error *error)
{
    /* O_NONBLOCK: a FIFO without a writer would hang; it means nothing to regular
     * files. */
    int fd;
    do {
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    source->fd = fd < 0 ? fd : move_above_standard(fd);
    if (source->fd < 0)
        return refuse_open(path, errno, error);
    if (fstat(source->fd, &source->stat) < 0)
        return error_system(error, errno, "cannot look at it");
    if (!S_ISREG(source->stat.st_mode))
        return refuse_kind(source->stat.st_mode, error);
    if (source->stat.st_size == 0)
        return error_set(error, GGUFS_FORMAT, 0, "the file is empty");
    return 0;
}

/* With an access control list the mode is not the whole truth (its group bits are the list's
 * mask), and whom the list lets in is not repeated: then the owner's bits are all that counts.
 */
static mode_t who_may_read(const struct source *source)
{
    bool alone = fgetxattr(source->fd, "system.posix_acl_access", NULL, 0) < 0 &&
                 (errno == ENODATA || errno == ENOTSUP || errno == ENOSYS);
    return alone ? source->stat.st_mode : source->stat.st_mode & ~(mode_t)077;
}

int source_open(const char *path, struct source **result, struct ggufs_error *error)
{
    struct source *source = calloc(1, sizeof(*source));
    if (!source)
        return error_memory(error);
    source->fd = -1;
    pthread_mutex_init(&source->mutex, NULL);
    source->name = strdup(base_name(path));
    int rc = source->name ? open_file(source, path, error) : error_memory(error);
    if (rc < 0) {
        source_close(source);
        return rc;
    }
    source->known = source->stat;
    source->stat.st_mode = who_may_read(source);
    *result = source;
    return 0;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->map)
        munmap(source->map, (size_t)source->stat.st_size);
    if (source->fd >= 0)
        close(source->fd);
    pthread_mutex_destroy(&source->mutex);
    free(source->name);
    free(source);
}

int source_fd(const struct source *source)
{
    return source->fd;
}

const char *source_name(const struct source *source)
{
    return source->name;
}

const struct stat *source_stat(const struct source *source)
{
    return &source->stat;
}

uint64_t source_size(const struct source *source)
{
    return (uint64_t)source->stat.st_size;
}

void source_pages(struct source *source, bool pin, bool drop)
{
    source->pin = pin;
    source->drop = drop;
}

void source_remember(struct source *source, const void *head, size_t size)
{
    source->head = head;
    source->head_size = size;
}

/* ---- troubles ---- */

void source_log(struct source *source, void (*log)(void *, const char *), void *log_data)
{
    source->log = log;
    source->log_data = log_data;
}

static void tell_once(struct source *source, atomic_bool *told, const char *what)
{
    if (atomic_exchange(told, true) || !source->log)
        return;
    char name[256], line[384];
    ggufs_quote(name, sizeof(name), source->name, strlen(source->name));
    snprintf(line, sizeof(line), "%s: %s", name, what);
    source->log(source->log_data, line);
}

static int tell_short(struct source *source)
{
    tell_once(source, &source->told_short,
              "was truncated since it was opened: reads of what is gone fail");
    return -EIO;
}

static int tell_changed(struct source *source)
{
    tell_once(source, &source->told_changed,
              "was changed since it was opened: it is not read any more");
    return -ESTALE;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Only who may read the file or what it is called was changed: chmod, chown, a link
 * made or removed. Renaming another file over this one removes a link, and leaves our
 * bytes alone. */
static bool only_links_changed(const struct stat *old, const struct stat *now)
{
    return old->st_nlink != now->st_nlink || old->st_mode != now->st_mode ||
           old->st_uid != now->st_uid || old->st_gid != now->st_gid;
}

/* Its end was cut off and nothing else: what is left of the head is still ours. (Somebody who
 * writes the same head and other data is taken for one who did this.) */
static bool only_truncated(const struct source *source, const struct stat *now)
{
    char start[HEAD_SAMPLE];
    size_t size = source->head_size < sizeof(start) ? source->head_size : sizeof(start);
    if (now->st_size >= source->known.st_size)
        return false;
    if ((uint64_t)now->st_size < size)
        size = (size_t)now->st_size;
    return size == 0 || (pread(source->fd, start, size, 0) == (ssize_t)size &&
                         memcmp(start, source->head, size) == 0);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && same_time(a->st_mtim, b->st_mtim);
}

static bool is_changed(struct source *source, const struct stat *now)
{
    pthread_mutex_lock(&source->mutex);
    const struct stat *known = &source->known;
    bool same = now->st_dev == known->st_dev && now->st_ino == known->st_ino &&
                (is_same(now, known) ? same_time(now->st_ctim, known->st_ctim) ||
                                           only_links_changed(known, now)
                                     : only_truncated(source, now));
    if (same)
        source->known = *now;
    pthread_mutex_unlock(&source->mutex);
    return !same;
}

/* [offset, offset + size) of the file as it was opened is there and is still the same.
 * What was never there is no news: the reader of the head has warned of it. */
static int check_range(struct source *source, uint64_t offset, uint64_t size)
{
    uint64_t opened = source_size(source);
    if (offset > opened || size > opened - offset)
        return -EIO;
    struct stat now;
    if (fstat(source->fd, &now) < 0)
        return -errno;
    if ((uint64_t)now.st_size < offset + size)
        return tell_short(source);
    if (atomic_load(&source->told_changed) || is_changed(source, &now))
        return tell_changed(source);
    return 0;
}

int source_check(struct source *source)
{
    return check_range(source, 0, 0);
}

/* ---- bytes ---- */

int source_read(struct source *source, uint64_t offset, void *buffer, size_t size)
{
    int rc = check_range(source, offset, size);
    if (rc < 0)
        return rc;
    char *out = buffer;
    while (size > 0) {
        ssize_t n = pread(source->fd, out, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return tell_short(source);
        out += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

static struct pages pages_of(const struct source *source)
{
    return (struct pages){source->fd, source->map, source_size(source)};
}

/* Maps the whole file, the first time that somebody asks; remembers where that is
 * impossible. */
static int make_map(struct source *source)
{
    if (source->map_failed || source_size(source) > SIZE_MAX)
        return -ENODEV;
    if (source->map)
        return 0;
    void *map =
        mmap(NULL, (size_t)source->stat.st_size, PROT_READ, MAP_SHARED, source->fd, 0);
    if (map == MAP_FAILED) {
        source->map_failed = true;
        return -ENODEV;
    }
    source->map = map;
    struct pages pages = pages_of(source);
    if (source->pin && pages_pin(&pages) < 0 && source->log)
        source->log(source->log_data, "warning: mlock: the limit of locked memory is too "
                                      "low for the model (ulimit -l)");
    return 0;
}

int source_map(struct source *source, uint64_t offset, size_t size, const void **bytes)
{
    int rc = check_range(source, offset, size);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&source->mutex);
    rc = make_map(source);
    struct stretch ahead =
        streams_follow(&source->streams, offset, size, source_size(source));
    pthread_mutex_unlock(&source->mutex);
    if (rc < 0)
        return rc;
    struct pages pages = pages_of(source);
    pages_read_ahead(&pages, ahead.offset, ahead.size);
    pages_populate(&pages, offset, size);
    if (source->drop)
        pages_drop_behind(&pages, offset, size);
    *bytes = pages.map + offset;
    return 0;
}
