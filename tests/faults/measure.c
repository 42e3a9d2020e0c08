/* SPDX-License-Identifier: MIT */
/* Forks, measures by what the kernel says of the child, and asks trees. */

#include "measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

uint64_t proc_bytes(const char *path, const char *field)
{
    char line[256];
    uint64_t kib = 0;
    size_t length = strlen(field);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, field, length) == 0)
            kib = strtoull(line + length, NULL, 10);
    if (file)
        fclose(file);
    return kib << 10;
}

uint64_t peak_now(void)
{
    return proc_bytes("/proc/self/status", "VmHWM:");
}

static struct ggufs_tree *must_open(const char *path)
{
    struct ggufs_error error = {0};
    struct ggufs_tree *tree;
    if (ggufs_tree_open(&path, 1, NULL, &tree, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        _exit(1);
    }
    return tree;
}

struct growth measure(const char *path, work_fn *work)
{
    int ends[2];
    struct growth growth = {0};
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint64_t start = peak_now();
        struct ggufs_tree *tree = must_open(path);
        growth.open = peak_now() - start;
        work(tree);
        growth.work = peak_now() - start - growth.open;
        ggufs_tree_close(tree);
        must(write(ends[1], &growth, sizeof(growth)) == sizeof(growth));
        _exit(0);
    }
    int status;
    close(ends[1]);
    ssize_t n = read(ends[0], &growth, sizeof(growth));
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(n, sizeof(growth));
    return growth;
}

void expect_growth(const char *what, struct growth growth, uint64_t head, uint64_t n,
                   uint64_t each)
{
    uint64_t most = head + head / 8 + each * n + BESIDE;
    printf("# %s: head %.1f MiB, open %.1f MiB (%.0f bytes each), reading %.1f MiB\n",
           what, (double)head / MIB, (double)growth.open / MIB,
           n > 0 && growth.open > head ? (double)(growth.open - head) / (double)n : 0,
           (double)growth.work / MIB);
    if (SANITIZED) {
        printf("# the sanitizer's allocator is not held to the limit\n");
        return;
    }
    if (growth.open > most)
        fail_msg("opening took %ju bytes, %ju are allowed", (uintmax_t)growth.open,
                 (uintmax_t)most);
    if (growth.work > BESIDE)
        fail_msg("reading took %ju bytes, %ju are allowed", (uintmax_t)growth.work,
                 (uintmax_t)BESIDE);
}

struct ggufs_file *must_open_file(struct ggufs_tree *tree, const char *path)
{
    uint64_t node;
    struct ggufs_file *file;
    must(ggufs_tree_resolve(tree, path, &node) == 0);
    must(ggufs_file_open(tree, node, &file) == 0);
    return file;
}

uint64_t must_size(struct ggufs_tree *tree, const char *path)
{
    uint64_t node;
    struct stat st;
    must(ggufs_tree_resolve(tree, path, &node) == 0);
    must(ggufs_tree_stat(tree, node, &st) == 0);
    return (uint64_t)st.st_size;
}

uint64_t must_read(struct ggufs_tree *tree, const char *path)
{
    static char buffer[1 << 20];
    struct ggufs_file *file = must_open_file(tree, path);
    uint64_t at = 0, lines = 0;
    ssize_t n;
    while ((n = ggufs_file_read(file, at, buffer, sizeof(buffer))) > 0) {
        at += (uint64_t)n;
        for (const char *p = buffer; (p = memchr(p, '\n', (size_t)(buffer + n - p))); p++)
            lines++;
    }
    must(n == 0);
    must(at == must_size(tree, path));
    ggufs_file_close(file);
    return lines;
}

static int count_entry(void *data, const struct ggufs_entry *entry)
{
    must(strlen(entry->name) <= 255);
    ++*(uint64_t *)data;
    return 0;
}

uint64_t must_list(struct ggufs_tree *tree, const char *path)
{
    uint64_t node, count = 0;
    must(ggufs_tree_resolve(tree, path, &node) == 0);
    must(ggufs_tree_list(tree, node, 0, count_entry, &count) == 0);
    return count;
}
