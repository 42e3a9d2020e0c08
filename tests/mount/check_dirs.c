/* SPDX-License-Identifier: MIT */
/* Walks a tree and looks at its directories as closely as a program can: numbers and
 * types in the listing are those of stat, no number is 0 or there twice, links are
 * counted right, and a listing that is taken up again at any place goes on with the rest.
 *
 *     check_dirs DIRECTORY */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MAX = 4096 };

/* Numbers seen, of all directories. */
struct seen {
    ino_t inodes[ENTRIES_MAX];
    size_t n;
};

static void fail(const char *name, const char *what)
{
    printf("%s: %s\n", name, what);
    exit(1);
}

static void see(struct seen *seen, ino_t inode, const char *name)
{
    if (inode == 0)
        fail(name, "number 0");
    for (size_t i = 0; i < seen->n; i++)
        if (seen->inodes[i] == inode)
            fail(name, "a number that another file has");
    if (seen->n == ENTRIES_MAX)
        fail(name, "too many files for this check");
    seen->inodes[seen->n++] = inode;
}

static void check_entry(int fd, const struct dirent *entry, struct stat *st)
{
    if (fstatat(fd, entry->d_name, st, AT_SYMLINK_NOFOLLOW) < 0)
        fail(entry->d_name, strerror(errno));
    if (entry->d_ino != st->st_ino)
        fail(entry->d_name, "another number in the listing than by stat");
    if (entry->d_type != (S_ISDIR(st->st_mode) ? DT_DIR : DT_REG))
        fail(entry->d_name, "another type in the listing than by stat");
}

/* From each place of the listing, what comes next is what came next the first time. */
static void check_places(DIR *dir, const char *path)
{
    static long places[ENTRIES_MAX];
    static ino_t inodes[ENTRIES_MAX];
    const struct dirent *entry;
    size_t n = 0;
    rewinddir(dir);
    for (long place = telldir(dir); (entry = readdir(dir)); place = telldir(dir)) {
        places[n] = place;
        inodes[n++] = entry->d_ino;
    }
    while (n-- > 0) {
        seekdir(dir, places[n]);
        entry = readdir(dir);
        if (!entry || entry->d_ino != inodes[n])
            fail(path, "goes on elsewhere after seekdir");
    }
}

static void walk(int parent, const char *name, struct seen *seen)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    struct stat self, st;
    nlink_t links = 2;
    int dots = 0;
    if (!dir || fstat(fd, &self) < 0)
        fail(name, strerror(errno));
    while (errno = 0, entry = readdir(dir)) {
        int is_dot = strcmp(entry->d_name, ".") == 0;
        if (is_dot || strcmp(entry->d_name, "..") == 0) {
            dots++;
            if (is_dot && entry->d_ino != self.st_ino)
                fail(name, "another number for . than by stat");
            continue;
        }
        check_entry(fd, entry, &st);
        see(seen, st.st_ino, entry->d_name);
        if (!S_ISDIR(st.st_mode) && st.st_nlink != 1)
            fail(entry->d_name, "not one link");
        if (S_ISDIR(st.st_mode)) {
            links++;
            walk(fd, entry->d_name, seen);
        }
    }
    if (errno || dots != 2)
        fail(name, errno ? strerror(errno) : "not one . and one ..");
    if (self.st_nlink != links)
        fail(name, "not as many links as 2 and its directories");
    check_places(dir, name);
    closedir(dir);
}

int main(int argc, char **argv)
{
    static struct seen seen;
    struct stat st;
    if (argc != 2 || stat(argv[1], &st) < 0) {
        fputs("usage: check_dirs DIRECTORY\n", stderr);
        return 2;
    }
    see(&seen, st.st_ino, argv[1]);
    walk(AT_FDCWD, argv[1], &seen);
    printf("%zu files and directories\n", seen.n);
    return 0;
}
