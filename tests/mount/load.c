/* SPDX-License-Identifier: MIT */
/* Load on a mount: several processes that open, read, map, ask and list at random, all that
 * is read compared with what is known. The table is that of check_reads.c: the file that has
 * the bytes, from which byte, how many, the file to read.
 *
 *     load MOUNT TABLE PROCESSES SECONDS
 *
 * Prints how many operations that were. Exits with 1 where bytes or sizes were wrong, 3 where
 * an operation failed. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 256, PIECE_MAX = 200000, WRONG = 1, FAILED = 3 };

/* A line of the table; fd is -1 while the file to read is closed. */
struct file {
    char *name;
    int known, fd;
    uint64_t start, size;
};

static struct load {
    const char *mount;
    struct file files[FILES_MAX];
    size_t n_files;
    uint64_t random;
    char expected[PIECE_MAX], got[PIECE_MAX];
} load;

static void stop(const char *name, const char *what, int status)
{
    printf("# %s: %s: %s\n", name, what, status == WRONG ? "wrong" : strerror(errno));
    fflush(stdout);
    _exit(status);
}

static uint64_t draw(uint64_t below)
{
    load.random = load.random * 6364136223846793005 + 1442695040888963407;
    return below ? (load.random >> 33) % below : 0;
}

/* -- operations -- */

static void close_file(struct file *file)
{
    if (file->fd >= 0 && close(file->fd) != 0)
        stop(file->name, "close", FAILED);
    file->fd = -1;
}

static void open_file(struct file *file)
{
    struct stat st;
    close_file(file);
    file->fd = open(file->name, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        stop(file->name, "open", FAILED);
    if (fstat(file->fd, &st) != 0)
        stop(file->name, "fstat", FAILED);
    if ((uint64_t)st.st_size != file->size)
        stop(file->name, "size", WRONG);
}

static size_t draw_piece(struct file *file, uint64_t *offset)
{
    if (file->fd < 0)
        open_file(file);
    *offset = draw(file->size);
    uint64_t most = file->size - *offset;
    size_t size = (size_t)draw((most < PIECE_MAX ? most : PIECE_MAX) + 1);
    if (pread(file->known, load.expected, size, (off_t)(file->start + *offset)) !=
        (ssize_t)size)
        stop(file->name, "what is known", FAILED);
    return size;
}

static void compare(const struct file *file, const char *what, size_t size)
{
    if (memcmp(load.expected, load.got, size) != 0)
        stop(file->name, what, WRONG);
}

static void read_piece(struct file *file)
{
    uint64_t offset;
    size_t size = draw_piece(file, &offset);
    ssize_t n = pread(file->fd, load.got, size, (off_t)offset);
    if (n < 0)
        stop(file->name, "pread", FAILED);
    if ((size_t)n != size)
        stop(file->name, "a short read", WRONG);
    compare(file, "pread", size);
}

/* Past what the kernel has kept: the server is asked again. */
static void read_anew(struct file *file)
{
    if (file->fd >= 0)
        posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    read_piece(file);
}

static void map_piece(struct file *file)
{
    uint64_t offset;
    size_t size = draw_piece(file, &offset), into = (size_t)(offset & 4095);
    if (size == 0)
        return;
    char *map =
        mmap(NULL, into + size, PROT_READ, MAP_SHARED, file->fd, (off_t)(offset - into));
    if (map == MAP_FAILED)
        stop(file->name, "mmap", FAILED);
    /* By the kernel, so that a page that cannot be had is an error and no signal. */
    int pipes[2];
    if (pipe(pipes) != 0)
        stop(file->name, "pipe", FAILED);
    size = size < 4096 ? size : 4096;
    ssize_t n = write(pipes[1], map + into, size);
    if (n != (ssize_t)size || read(pipes[0], load.got, size) != n)
        stop(file->name, "a mapped page", FAILED);
    close(pipes[0]);
    close(pipes[1]);
    munmap(map, into + size);
    compare(file, "mmap", size);
}

static void ask_stat(struct file *file)
{
    struct stat st;
    if (stat(file->name, &st) != 0)
        stop(file->name, "stat", FAILED);
    if ((uint64_t)st.st_size != file->size)
        stop(file->name, "size", WRONG);
}

static void ask_statfs(struct file *file)
{
    struct statfs st;
    if (statfs(file->name, &st) != 0)
        stop(file->name, "statfs", FAILED);
    if (st.f_namelen != 255 || st.f_bavail != 0)
        stop(file->name, "statfs", WRONG);
}

static void ask_attributes(struct file *file)
{
    char names[4096];
    ssize_t size = listxattr(file->name, names, sizeof names);
    if (size < 0)
        stop(file->name, "listxattr", FAILED);
    for (ssize_t i = 0; i < size; i += (ssize_t)strlen(names + i) + 1)
        if (getxattr(file->name, names + i, load.got, sizeof load.got) < 0)
            stop(file->name, names + i, FAILED);
}

static void list_directory(struct file *file)
{
    char path[4096];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/tensors", load.mount);
    DIR *directory = opendir(path);
    if (!directory)
        stop(file->name, "opendir", FAILED);
    errno = 0;
    while (readdir(directory))
        n++;
    if (errno)
        stop(path, "readdir", FAILED);
    closedir(directory);
    if (n < 3)
        stop(path, "a listing", WRONG);
}

/* In turn; what is here more than once comes more often. */
static void (*const operations[])(struct file *file) = {
    open_file, read_piece, read_anew,      map_piece,      read_piece, close_file,
    ask_stat,  ask_statfs, ask_attributes, list_directory, read_anew,  read_piece,
};

/* -- processes -- */

static void read_table(const char *path)
{
    char *line = NULL, *known, *start, *size, *name;
    size_t room = 0;
    FILE *table = fopen(path, "re");
    if (!table)
        stop(path, "fopen", FAILED);
    while (load.n_files < FILES_MAX && getline(&line, &room, table) > 0) {
        struct file *file = &load.files[load.n_files++];
        known = strtok(line, "\t\n"), start = strtok(NULL, "\t\n");
        size = strtok(NULL, "\t\n"), name = strtok(NULL, "\t\n");
        if (!name)
            stop(path, "a line", WRONG);
        *file = (struct file){strdup(name), open(known, O_RDONLY | O_CLOEXEC), -1,
                              strtoull(start, NULL, 10), strtoull(size, NULL, 10)};
        if (file->known < 0)
            stop(known, "open", FAILED);
    }
    free(line);
    fclose(table);
}

static uint64_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

/* Until the time is over: how many operations. */
static uint64_t work(const char *table, uint64_t seed, uint64_t end)
{
    uint64_t n = 0;
    load.random = seed;
    read_table(table);
    while (load.n_files && seconds_now() < end)
        for (unsigned i = 0; i < 100; i++, n++)
            operations[draw(sizeof operations / sizeof *operations)](
                &load.files[draw(load.n_files)]);
    return n;
}

static void work_and_tell(const char *table, uint64_t seed, uint64_t end, int out)
{
    uint64_t n = work(table, seed, end);
    _exit(write(out, &n, sizeof n) == (ssize_t)sizeof n ? 0 : FAILED);
}

int main(int argc, char **argv)
{
    uint64_t total = 0, n;
    int pipes[2], worst = 0, status;
    if (argc != 5 || pipe(pipes) != 0) {
        fputs("usage: load MOUNT TABLE PROCESSES SECONDS\n", stderr);
        return 2;
    }
    load.mount = argv[1];
    uint64_t processes = strtoull(argv[3], NULL, 10);
    uint64_t end = seconds_now() + strtoull(argv[4], NULL, 10);
    for (uint64_t i = 0; i < processes; i++)
        if (fork() == 0)
            work_and_tell(argv[2], 20260101 + i, end, pipes[1]);
    close(pipes[1]);
    while (read(pipes[0], &n, sizeof n) == (ssize_t)sizeof n)
        total += n;
    while (wait(&status) > 0) {
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
        worst = code > worst ? code : worst;
    }
    printf("%ju\n", (uintmax_t)total);
    return worst;
}
