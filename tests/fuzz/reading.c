/* SPDX-License-Identifier: MIT */
/* Reads a whole tree in every way that the library offers, and compares. */

#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/utf8.h"

/* ---- one range of a file ---- */

/* Mapped bytes are only for the kernel to copy: it meets a missing page with an error. */
static void copy_pieces(const struct iovec *pieces, int n, char *out, size_t size)
{
    struct iovec target = {out, size};
    ssize_t got = process_vm_readv(getpid(), &target, 1, pieces, (unsigned long)n, 0);
    expect(got == (ssize_t)size);
}

static void check_gather(struct ggufs_file *file, uint64_t offset, size_t size, int room,
                         const char *expected, ssize_t length)
{
    struct iovec pieces[8];
    int n = room;
    size_t sum = 0;
    char *scratch = exact_alloc(size);
    ssize_t got = ggufs_file_gather(file, offset, size, scratch, pieces, &n, NULL);
    expect(got == length);
    if (got > 0) {
        char *copy = exact_alloc((size_t)got);
        expect(n >= 1 && n <= room);
        for (int i = 0; i < n; i++)
            sum += pieces[i].iov_len;
        expect(sum == (size_t)got);
        copy_pieces(pieces, n, copy, sum);
        expect(memcmp(copy, expected, sum) == 0);
        free(copy);
    }
    free(scratch);
}

/* Reads exactly what is there of a range. A read of less than there is, is not allowed. */
static ssize_t read_range(struct ggufs_file *file, uint64_t offset, size_t size,
                          uint64_t file_size, char *buffer)
{
    uint64_t left = offset < file_size ? file_size - offset : 0;
    ssize_t got = ggufs_file_read(file, offset, buffer, size);
    expect(got < 0 || (uint64_t)got == (size < left ? size : left));
    expect(got >= 0 || (got == -EIO && left > 0));
    return got;
}

static void check_range(struct ggufs_file *file, uint64_t offset, size_t size,
                        uint64_t file_size)
{
    char *text = exact_alloc(size), *again = exact_alloc(size);
    ssize_t got = read_range(file, offset, size, file_size, text);
    size_t half = size / 3 + 1 < size ? size / 3 + 1 : size;
    check_gather(file, offset, size, 1, text, got);
    check_gather(file, offset, size, 8, text, got);
    ssize_t front = read_range(file, offset, half, file_size, again);
    ssize_t back = read_range(file, offset + half, size - half, file_size, again + half);
    expect((got < 0) == (front < 0 || back < 0));
    if (got > 0)
        expect(front + back == got && memcmp(text, again, (size_t)got) == 0);
    free(again);
    free(text);
}

/* ---- one file ---- */

static void check_pieces(struct ggufs_file *file, uint64_t size, const char *whole)
{
    size_t step = 1;
    for (uint64_t at = 0; at < size; at += step, step = step * 4 + 3) {
        step = step < size - at ? step : (size_t)(size - at);
        char *piece = exact_alloc(step);
        ssize_t got = read_range(file, at, step, size, piece);
        expect(got == (ssize_t)step && memcmp(piece, whole + at, step) == 0);
        free(piece);
    }
}

static void check_whole(struct ggufs_file *file, uint64_t size)
{
    char *whole = exact_alloc((size_t)size + 1);
    if (read_range(file, 0, (size_t)size + 1, size, whole) >= 0)
        check_pieces(file, size, whole);
    free(whole);
}

/* Files that are much alike lie side by side: all but the first of them are read in one way
 * each, so that there is time for more trees. */
static void check_ranges(struct ggufs_file *file, uint64_t size, bool every, uint64_t way)
{
    const struct range {
        uint64_t offset;
        size_t size;
    } ranges[] = {
        {0, 333},   {size / 2, 4099},    {size > 700 ? size - 700 : 0, 1000},
        {size, 10}, {UINT64_MAX - 5, 5},
    };
    size_t n = sizeof(ranges) / sizeof(ranges[0]);
    for (size_t i = 0; i < n; i++)
        if (every || way % (n + 1) == i)
            check_range(file, ranges[i].offset, ranges[i].size, size);
    if (size <= READING_MAX && (every || way % (n + 1) == n))
        check_whole(file, size);
}

static void check_backing(struct ggufs_file *file, uint64_t size)
{
    struct stat st;
    int fd = ggufs_file_backing(file);
    expect(fd == -1 || (fstat(fd, &st) == 0 && (uint64_t)st.st_size == size));
}

static void check_file(struct ggufs_tree *tree, uint64_t node, const struct stat *st,
                       bool every)
{
    struct ggufs_file *file;
    uint64_t size, known = (uint64_t)st->st_size;
    expect(ggufs_file_open(tree, node, &file) == 0);
    expect(ggufs_file_size(file, &size) == 0);
    expect(known == (size < INT64_MAX ? size : INT64_MAX)); /* what an off_t can tell */
    check_ranges(file, size, every, node);
    check_backing(file, size);
    ggufs_file_close(file);
}

ssize_t reading_whole(struct ggufs_tree *tree, const char *path, char **text)
{
    uint64_t node, size = 0;
    struct ggufs_file *file;
    int rc = ggufs_tree_resolve(tree, path, &node);
    if (rc < 0)
        return rc;
    expect(ggufs_file_open(tree, node, &file) == 0);
    ssize_t got = ggufs_file_size(file, &size);
    if (got == 0 && size > READING_MAX)
        got = -EFBIG;
    *text = exact_alloc(got == 0 ? (size_t)size : 0);
    if (got == 0)
        got = read_range(file, 0, (size_t)size, size, *text);
    if (got < 0)
        free(*text);
    ggufs_file_close(file);
    return got;
}

/* ---- attributes ---- */

static void check_attribute(struct ggufs_tree *tree, uint64_t node, const char *name)
{
    ssize_t length = ggufs_tree_getxattr(tree, node, name, NULL, 0);
    expect(length >= 0);
    char *value = exact_alloc((size_t)length);
    if (length > 0)
        expect(ggufs_tree_getxattr(tree, node, name, value, (size_t)length) == length);
    if (length > 1)
        expect(ggufs_tree_getxattr(tree, node, name, value, (size_t)length - 1) ==
               -ERANGE);
    free(value);
}

static void check_attributes(struct ggufs_tree *tree, uint64_t node)
{
    ssize_t length = ggufs_tree_listxattr(tree, node, NULL, 0);
    expect(length >= 0);
    char *names = exact_alloc((size_t)length);
    if (length > 0)
        expect(ggufs_tree_listxattr(tree, node, names, (size_t)length) == length);
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1)
        check_attribute(tree, node, names + at);
    free(names);
    expect(ggufs_tree_getxattr(tree, node, "user.none", NULL, 0) == -ENODATA);
}

/* ---- a directory ---- */

/* Files of a tree that are read in every way. */
#define SEEN_MAX 48

struct entries {
    struct ggufs_entry *list;
    size_t n;
    size_t room;
    size_t limit; /* stop behind so many */
};

static int collect(void *data, const struct ggufs_entry *entry)
{
    struct entries *entries = data;
    if (entries->n == entries->room) {
        entries->room = entries->room * 2 + 16;
        entries->list = realloc(entries->list, entries->room * sizeof(*entries->list));
        if (entries->list == NULL)
            abort();
    }
    entries->list[entries->n] = *entry;
    entries->list[entries->n++].name = exact_copy(entry->name, strlen(entry->name) + 1);
    return entries->n == entries->limit ? 77 : 0;
}

static void entries_done(struct entries *entries)
{
    for (size_t i = 0; i < entries->n; i++)
        free((void *)(uintptr_t)entries->list[i].name);
    free(entries->list);
}

static void expect_name(const char *name)
{
    size_t length = strlen(name);
    expect(length > 0 && length <= 255);
    expect(utf8_valid(name, length) && strchr(name, '/') == NULL);
    expect(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
}

/* Going on behind entry i gives the one that is next. */
static void check_going_on(struct ggufs_tree *tree, uint64_t dir,
                           const struct entries *entries, size_t i)
{
    struct entries one = {.limit = 1};
    int rc = ggufs_tree_list(tree, dir, entries->list[i].next, collect, &one);
    expect(rc == (i + 1 < entries->n ? 77 : 0));
    expect(one.n == (i + 1 < entries->n ? 1 : 0));
    if (one.n == 1)
        expect(one.list[0].node == entries->list[i + 1].node &&
               strcmp(one.list[0].name, entries->list[i + 1].name) == 0);
    entries_done(&one);
}

static void check_stat(struct ggufs_tree *tree, const struct ggufs_entry *entry,
                       struct stat *st)
{
    struct stat known;
    int rc = ggufs_tree_stat_known(tree, entry->node, &known);
    expect(rc == 0 || rc == -EAGAIN);
    expect(ggufs_tree_stat(tree, entry->node, st) == 0);
    if (rc == 0)
        expect(known.st_size == st->st_size && known.st_mode == st->st_mode);
    expect(st->st_ino == entry->node);
    expect((st->st_mode & S_IFMT) == entry->type);
    expect((st->st_mode & 0222) == 0);
    expect(st->st_size >= 0 && st->st_nlink >= 1);
}

static void check_directory(struct ggufs_tree *tree, uint64_t dir, size_t *seen);

static void check_entry(struct ggufs_tree *tree, uint64_t dir,
                        const struct ggufs_entry *entry, size_t i, size_t *seen)
{
    uint64_t found;
    struct stat st;
    expect_name(entry->name);
    expect(ggufs_tree_lookup(tree, dir, entry->name, &found) == 0);
    expect(found == entry->node);
    expect(ggufs_tree_parent(tree, entry->node, &found) == 0);
    expect(found == dir);
    check_stat(tree, entry, &st);
    check_attributes(tree, entry->node);
    if (S_ISDIR(st.st_mode))
        check_directory(tree, entry->node, seen);
    else
        check_file(tree, entry->node, &st, i < 8 && (*seen)++ < SEEN_MAX);
}

static void check_directory(struct ggufs_tree *tree, uint64_t dir, size_t *seen)
{
    struct entries entries = {0};
    uint64_t node;
    expect(ggufs_tree_list(tree, dir, 0, collect, &entries) == 0);
    for (size_t i = 0; i < entries.n; i++)
        check_entry(tree, dir, &entries.list[i], i, seen);
    for (size_t i = 0; i < entries.n; i += 1 + entries.n / 8)
        check_going_on(tree, dir, &entries, i);
    if (entries.n > 0)
        check_going_on(tree, dir, &entries, entries.n - 1);
    expect(ggufs_tree_lookup(tree, dir, "%%%", &node) == -ENOENT);
    entries_done(&entries);
}

/* Numbers that are no node's. */
static void check_strangers(struct ggufs_tree *tree)
{
    static const uint64_t strangers[] = {0, UINT64_C(1) << 62 | 5, UINT64_MAX};
    struct entries none = {0};
    struct ggufs_file *file;
    struct stat st;
    uint64_t found;
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
        uint64_t node = strangers[i];
        expect(ggufs_tree_stat(tree, node, &st) < 0);
        expect(ggufs_tree_stat_known(tree, node, &st) < 0);
        expect(ggufs_tree_parent(tree, node, &found) < 0);
        expect(ggufs_tree_lookup(tree, node, "info.json", &found) < 0);
        expect(ggufs_tree_list(tree, node, 0, collect, &none) < 0);
        expect(ggufs_tree_getxattr(tree, node, "user.none", NULL, 0) < 0);
        expect(ggufs_tree_listxattr(tree, node, NULL, 0) < 0);
        expect(ggufs_file_open(tree, node, &file) < 0);
    }
}

void reading_check(struct ggufs_tree *tree, uint64_t dir)
{
    size_t seen = 0;
    check_strangers(tree);
    check_directory(tree, dir, &seen);
}
