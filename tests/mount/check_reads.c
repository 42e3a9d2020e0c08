/* SPDX-License-Identifier: MIT */
/* Reads files in pieces of odd sizes at odd places, in every way that programs do, from
 * several processes at once, and compares with what is known to be in them. What is known
 * stands in a table, a line a file, with tabs between: the file that has the bytes, from
 * which byte, how many, and the file to read. The pieces are the same on each run.
 *
 *     check_reads TABLE PROCESSES ROUNDS */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE_MAX = 300000, LINE_MAX_BYTES = 10000 };

/* A line of the table, opened. */
struct pair {
    const char *name;
    int known;
    int read;
    uint64_t start;
    uint64_t size;
};

static void fail(const struct pair *pair, const char *what, uint64_t offset, size_t size)
{
    printf("%s: %s: %zu bytes at %ju: %s\n", pair->name, what, size, (uintmax_t)offset,
           errno ? strerror(errno) : "other bytes, or fewer");
    fflush(stdout);
    _exit(1);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

/* What the piece must be. */
static void known_bytes(const struct pair *pair, uint64_t offset, char *bytes,
                        size_t size)
{
    errno = 0;
    if (pread(pair->known, bytes, size, (off_t)(pair->start + offset)) != (ssize_t)size)
        fail(pair, "what is known", offset, size);
}

static ssize_t by_pread(int fd, char *bytes, size_t size, off_t offset)
{
    return pread(fd, bytes, size, offset);
}

static ssize_t by_read(int fd, char *bytes, size_t size, off_t offset)
{
    if (lseek(fd, offset, SEEK_SET) != offset)
        return -1;
    return read(fd, bytes, size);
}

static ssize_t by_readv(int fd, char *bytes, size_t size, off_t offset)
{
    struct iovec pieces[2] = {{bytes, size / 3}, {bytes + size / 3, size - size / 3}};
    return preadv(fd, pieces, 2, offset);
}

static ssize_t by_map(int fd, char *bytes, size_t size, off_t offset, int flags)
{
    off_t page = offset & -sysconf(_SC_PAGESIZE);
    size_t length = (size_t)(offset - page) + size;
    char *map = mmap(NULL, length, PROT_READ, flags, fd, page);
    if (map == MAP_FAILED)
        return -1;
    memcpy(bytes, map + (offset - page), size);
    munmap(map, length);
    return (ssize_t)size;
}

static ssize_t by_shared_map(int fd, char *bytes, size_t size, off_t offset)
{
    return by_map(fd, bytes, size, offset, MAP_SHARED);
}

static ssize_t by_private_map(int fd, char *bytes, size_t size, off_t offset)
{
    return by_map(fd, bytes, size, offset, MAP_PRIVATE);
}

static const struct {
    const char *name;
    ssize_t (*read)(int fd, char *bytes, size_t size, off_t offset);
} ways[] = {
    {"pread", by_pread},
    {"read", by_read},
    {"preadv", by_readv},
    {"shared mmap", by_shared_map},
    {"private mmap", by_private_map},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static void check_piece(const struct pair *pair, uint64_t offset, size_t size,
                        unsigned way)
{
    static char expected[PIECE_MAX], got[PIECE_MAX];
    known_bytes(pair, offset, expected, size);
    memset(got, 0x5a, size);
    errno = 0;
    ssize_t n = ways[way].read(pair->read, got, size, (off_t)offset);
    if (n != (ssize_t)size || memcmp(got, expected, size) != 0)
        fail(pair, ways[way].name, offset, size);
}

/* A read over the end gives what is left, one behind it nothing. */
static void check_end(const struct pair *pair)
{
    char bytes[8192];
    size_t left = pair->size < 77 ? (size_t)pair->size : 77;
    struct stat st;
    errno = 0;
    if (fstat(pair->read, &st) < 0 || (uint64_t)st.st_size != pair->size)
        fail(pair, "size", pair->size, 0);
    if (pread(pair->read, bytes, sizeof bytes, (off_t)(pair->size - left)) !=
        (ssize_t)left)
        fail(pair, "read over the end", pair->size - left, left);
    if (pread(pair->read, bytes, sizeof bytes, (off_t)pair->size) != 0 ||
        pread(pair->read, bytes, sizeof bytes, (off_t)pair->size + 12345) != 0)
        fail(pair, "read behind the end", pair->size, 0);
}

static void check_pair(const struct pair *pair, unsigned rounds, uint64_t *random)
{
    check_end(pair);
    for (unsigned i = 0; i < rounds && pair->size > 0; i++) {
        uint64_t most = i % 2 ? PIECE_MAX : 100;
        uint64_t offset = next_random(random) % pair->size;
        if (most > pair->size - offset)
            most = pair->size - offset;
        size_t size = 1 + (size_t)(next_random(random) % most);
        check_piece(pair, offset, size, i % WAYS);
    }
}

static int open_or_say(const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        printf("%s: %s\n", name, strerror(errno));
    return fd;
}

/* Checks the file of one line of the table: whether it could be opened. */
static int check_line(char *line, unsigned rounds, uint64_t *random)
{
    const char *known = strtok(line, "\t\n"), *start = strtok(NULL, "\t\n");
    const char *size = strtok(NULL, "\t\n"), *name = strtok(NULL, "\t\n");
    if (!name)
        return 0;
    struct pair pair = {
        .name = name,
        .known = open_or_say(known),
        .read = open_or_say(name),
        .start = strtoull(start, NULL, 10),
        .size = strtoull(size, NULL, 10),
    };
    int opened = pair.known >= 0 && pair.read >= 0;
    if (opened)
        check_pair(&pair, rounds, random);
    close(pair.known);
    close(pair.read);
    return opened;
}

/* What one process does. Returns its exit status. */
static int check_table(const char *path, unsigned rounds, uint64_t seed)
{
    char line[LINE_MAX_BYTES];
    unsigned files = 0;
    FILE *table = fopen(path, "r");
    if (!table) {
        printf("%s: %s\n", path, strerror(errno));
        return 1;
    }
    while (fgets(line, sizeof line, table)) {
        if (!check_line(line, rounds, &seed))
            return 1;
        files++;
    }
    fclose(table);
    return files > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    int failed = 0, status;
    if (argc != 4) {
        fputs("usage: check_reads TABLE PROCESSES ROUNDS\n", stderr);
        return 2;
    }
    unsigned processes = (unsigned)atoi(argv[2]), rounds = (unsigned)atoi(argv[3]);
    for (unsigned i = 0; i < processes; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return 1;
        if (pid == 0)
            exit(check_table(argv[1], rounds, 20260101 + i));
    }
    for (unsigned i = 0; i < processes; i++)
        if (wait(&status) < 0 || status != 0)
            failed = 1;
    return failed;
}
