/* SPDX-License-Identifier: MIT */
/* The reader that measurements share: reads a range of a file in one of several ways and prints
 * how many seconds that took. Knows nothing of what it reads: the same command line is run on
 * the model, on a mount and on the yardsticks.
 *
 *   bench_read stream FILE OFFSET LENGTH BLOCK     one reader from start to end
 *   bench_read direct FILE OFFSET LENGTH BLOCK     the same with O_DIRECT
 *   bench_read random FILE OFFSET LENGTH BLOCK COUNT THREADS    reads at random places
 *   bench_read mmap   FILE OFFSET LENGTH           one pass over a shared map
 *   bench_read drop   FILE                         nothing is timed: its pages are let go
 *   bench_read warm   FILE OFFSET LENGTH           nothing is timed: its pages are read */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

struct job {
    const char *file;
    uint64_t offset, length;
    size_t block;
    uint64_t count;
    unsigned seed;
    int flags;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_read: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int open_file(const struct job *job)
{
    int fd = open(job->file, O_RDONLY | job->flags);
    if (fd < 0)
        die(job->file);
    return fd;
}

static void *buffer_new(size_t size)
{
    void *buffer;
    if (posix_memalign(&buffer, 4096, size) != 0)
        die("memory");
    memset(buffer, 1, size);
    return buffer;
}

static void read_all(int fd, void *buffer, size_t size, uint64_t offset)
{
    ssize_t got = pread(fd, buffer, size, (off_t)offset);
    if (got < 0 || (size_t)got != size) {
        errno = got < 0 ? errno : EIO;
        die("read");
    }
}

static double stream(const struct job *job)
{
    int fd = open_file(job);
    void *buffer = buffer_new(job->block);
    double start = now();
    for (uint64_t at = 0; at < job->length; at += job->block) {
        uint64_t left = job->length - at;
        read_all(fd, buffer, left < job->block ? left : job->block, job->offset + at);
    }
    double seconds = now() - start;
    free(buffer);
    close(fd);
    return seconds;
}

/* xorshift: the same places in each run. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *read_randomly(void *data)
{
    const struct job *job = data;
    int fd = open_file(job);
    void *buffer = buffer_new(job->block);
    uint64_t blocks = job->length / job->block;
    uint64_t state = 88172645463325252u + job->seed;
    for (uint64_t i = 0; i < job->count; i++)
        read_all(fd, buffer, job->block,
                 job->offset + next_random(&state) % blocks * job->block);
    free(buffer);
    close(fd);
    return NULL;
}

static double random_reads(struct job *job, unsigned threads)
{
    pthread_t running[THREADS_MAX];
    struct job jobs[THREADS_MAX];
    double start = now();
    for (unsigned i = 0; i < threads; i++) {
        jobs[i] = *job;
        jobs[i].count = job->count / threads;
        jobs[i].seed = i;
        if (pthread_create(&running[i], NULL, read_randomly, &jobs[i]) != 0)
            die("thread");
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    return now() - start;
}

static double read_map(const struct job *job)
{
    int fd = open_file(job);
    double start = now();
    uint64_t skip = job->offset % 4096;
    size_t size = job->length + skip;
    const uint8_t *map =
        mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)(job->offset - skip));
    if (map == MAP_FAILED)
        die("mmap");
    volatile uint64_t sum = 0;
    for (size_t i = skip; i < size; i += 64)
        sum += map[i];
    double seconds = now() - start;
    (void)sum;
    munmap((void *)(uintptr_t)map, size);
    close(fd);
    return seconds;
}

static void drop(const struct job *job)
{
    int fd = open_file(job);
    fdatasync(fd);
    int r = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (r != 0) {
        errno = r;
        die("fadvise");
    }
    close(fd);
}

static uint64_t number(char **arguments, int n, int i)
{
    return i < n ? strtoull(arguments[i], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr,
                "usage: bench_read stream|direct|random|mmap|drop|warm FILE ...\n");
        return 2;
    }
    struct job job = {
        .file = argv[2],
        .offset = number(argv, argc, 3),
        .length = number(argv, argc, 4),
        .block = number(argv, argc, 5),
        .count = number(argv, argc, 6),
    };
    unsigned threads = (unsigned)number(argv, argc, 7);
    const char *mode = argv[1];
    double seconds = 0;
    if (strcmp(mode, "direct") == 0)
        job.flags = O_DIRECT;
    if (strcmp(mode, "drop") == 0) {
        drop(&job);
        return 0;
    }
    if (job.block == 0)
        job.block = 1 << 20;
    if (strcmp(mode, "random") == 0)
        seconds = random_reads(&job, threads < 1             ? 1
                                     : threads > THREADS_MAX ? THREADS_MAX
                                                             : threads);
    else if (strcmp(mode, "mmap") == 0)
        seconds = read_map(&job);
    else
        seconds = stream(&job);
    if (strcmp(mode, "warm") != 0)
        printf("%.9f\n", seconds);
    return 0;
}
