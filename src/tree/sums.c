/* SPDX-License-Identifier: MIT */
/* SHA256SUMS: a line a tensor, as sha256sum(1) writes and checks it. The size of every line is
 * known from the names; the hash of a tensor is made when somebody reads its line, once, and
 * kept. A read that needs several hashes makes them on all cores (threads that end
 * with it); one whose reader goes away stops. libcrypto does the hashing. */

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sink.h"
#include "tree/views.h"

#define HASH_SIZE 32
#define HASH_TEXT (2 * HASH_SIZE)
#define FOLDER    "tensors/"

/* Bytes hashed between two looks at whether anybody still waits. */
#define CHUNK (1 << 20)

/* Between two such looks of one who waits for another's hash. */
#define WAIT_NS 20000000

/* What is worth a thread of its own. */
#define BYTES_A_THREAD (4 << 20)
#define THREADS_MAX    64

enum hash_state { HASH_MISSING, HASH_BUSY, HASH_KEPT };

struct sums {
    struct content content;
    const struct tree *tree;
    const struct ggufs_model *model;
    size_t n;
    uint64_t *starts; /* where each line begins, and the end */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a hash is no longer busy */
    uint8_t *states;        /* enum hash_state of each tensor */
    uint8_t (*hashes)[HASH_SIZE];
};

/* -- a hash -- */

static bool stopped(const struct reading *reading)
{
    return reading && reading->interrupted && *reading->interrupted;
}

static int hash_bytes(const struct sums *sums, size_t i, const struct reading *reading,
                      EVP_MD_CTX *context, uint8_t *chunk)
{
    struct ggufs_tensor tensor;
    ggufs_model_tensor(sums->model, i, &tensor);
    for (uint64_t at = 0; at < tensor.size; at += CHUNK) {
        size_t length = tensor.size - at < CHUNK ? (size_t)(tensor.size - at) : CHUNK;
        int r = stopped(reading) ? -EINTR
                                 : ggufs_tensor_read(sums->model, i, at, chunk, length);
        if (r < 0)
            return r;
        if (!EVP_DigestUpdate(context, chunk, length))
            return -EIO;
    }
    return 0;
}

static int hash_tensor(const struct sums *sums, size_t i, const struct reading *reading,
                       uint8_t hash[HASH_SIZE])
{
    uint64_t size = model_tensor_record(sums->model, i)->size;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t *chunk = malloc(size < CHUNK ? (size_t)size + 1 : CHUNK);
    int r = context && chunk ? 0 : -ENOMEM;
    if (r == 0 && !EVP_DigestInit_ex(context, EVP_sha256(), NULL))
        r = -ENOMEM; /* what it needs beside the context */
    if (r == 0)
        r = hash_bytes(sums, i, reading, context, chunk);
    if (r == 0 && !EVP_DigestFinal_ex(context, hash, NULL))
        r = -EIO;
    free(chunk);
    EVP_MD_CTX_free(context);
    return r;
}

/* Waits for a change of some hash, or a moment: who waits may be told to stop. */
static void wait_a_moment(struct sums *sums)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&sums->changed, &sums->lock, &until);
}

/* Whether tensor i is left to the caller to hash: 1; 0 where that was done, waiting where
 * another is at it; -EINTR. */
static int take_hash(struct sums *sums, size_t i, const struct reading *reading)
{
    int r = 1;
    pthread_mutex_lock(&sums->lock);
    while (sums->states[i] == HASH_BUSY && !stopped(reading))
        wait_a_moment(sums);
    if (sums->states[i] == HASH_KEPT)
        r = 0;
    else if (stopped(reading))
        r = -EINTR;
    else
        sums->states[i] = HASH_BUSY;
    pthread_mutex_unlock(&sums->lock);
    return r;
}

/* Hashes tensor i unless that was done. */
static int need_hash(struct sums *sums, size_t i, const struct reading *reading)
{
    int r = take_hash(sums, i, reading);
    if (r <= 0)
        return r;
    r = hash_tensor(sums, i, reading, sums->hashes[i]);
    pthread_mutex_lock(&sums->lock);
    sums->states[i] = r == 0 ? HASH_KEPT : HASH_MISSING;
    pthread_cond_broadcast(&sums->changed);
    pthread_mutex_unlock(&sums->lock);
    return r;
}

/* -- many hashes at once -- */

struct crew {
    struct sums *sums;
    const struct reading *reading;
    size_t next, end; /* tensors that nobody took yet */
    int result;       /* the first error */
};

/* Takes tensor after tensor until none is left or one failed. */
static void *work(void *data)
{
    struct crew *crew = data;
    for (;;) {
        pthread_mutex_lock(&crew->sums->lock);
        bool over = crew->result < 0 || crew->next == crew->end;
        size_t i = over ? 0 : crew->next++;
        pthread_mutex_unlock(&crew->sums->lock);
        if (over)
            return NULL;
        int r = need_hash(crew->sums, i, crew->reading);
        if (r < 0) {
            pthread_mutex_lock(&crew->sums->lock);
            if (crew->result == 0)
                crew->result = r;
            pthread_mutex_unlock(&crew->sums->lock);
        }
    }
}

static size_t cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) < 0)
        return 1;
    return (size_t)CPU_COUNT(&set);
}

/* Threads that are worth it, the caller's included. */
static size_t crew_size(const struct sums *sums, size_t first, size_t end)
{
    uint64_t bytes = 0;
    size_t missing = 0;
    for (size_t i = first; i < end; i++) {
        if (sums->states[i] == HASH_KEPT)
            continue;
        struct ggufs_tensor tensor;
        ggufs_model_tensor(sums->model, i, &tensor);
        bytes = bytes + tensor.size < bytes ? UINT64_MAX : bytes + tensor.size;
        missing++;
    }
    size_t n = cores();
    n = n < THREADS_MAX ? n : THREADS_MAX;
    n = n < missing ? n : missing;
    return n < bytes / BYTES_A_THREAD + 1 ? n : (size_t)(bytes / BYTES_A_THREAD) + 1;
}

static int need_hashes(struct sums *sums, size_t first, size_t end,
                       const struct reading *reading)
{
    struct crew crew = {sums, reading, first, end, 0};
    pthread_t threads[THREADS_MAX];
    pthread_mutex_lock(&sums->lock);
    size_t wanted = crew_size(sums, first, end);
    pthread_mutex_unlock(&sums->lock);
    size_t n = 0;
    while (n + 1 < wanted && pthread_create(&threads[n], NULL, work, &crew) == 0)
        n++;
    work(&crew);
    while (n > 0)
        pthread_join(threads[--n], NULL);
    return crew.result;
}

/* -- the lines -- */

/* coreutils marks a line whose name holds a backslash, and doubles it. Newlines cannot occur:
 * file names have them escaped. */
static uint64_t line_length(const char *name)
{
    uint64_t backslashes = 0;
    for (const char *c = name; *c; c++)
        backslashes += *c == '\\';
    return (backslashes > 0) + HASH_TEXT + 2 + strlen(FOLDER) + strlen(name) +
           backslashes + 1;
}

static void write_line(const struct sums *sums, size_t i, struct sink *sink)
{
    static const char hex[] = "0123456789abcdef";
    char buffer[256];
    const char *name = tree_tensor_name(sums->tree, i, buffer);
    if (strchr(name, '\\'))
        sink_char(sink, '\\');
    for (size_t k = 0; k < HASH_SIZE; k++) {
        sink_char(sink, hex[sums->hashes[i][k] >> 4]);
        sink_char(sink, hex[sums->hashes[i][k] & 15]);
    }
    sink_string(sink, "  " FOLDER);
    for (const char *c = name; *c; c++) {
        if (*c == '\\')
            sink_char(sink, '\\');
        sink_char(sink, *c);
    }
    sink_char(sink, '\n');
}

/* The last line that begins at or before offset. */
static size_t line_at(const struct sums *sums, uint64_t offset)
{
    size_t low = 0, high = sums->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(sums->starts[middle] <= offset ? &low : &high) = middle;
    }
    return low;
}

static int sums_read(struct content *content, struct reading *reading, uint64_t offset,
                     char *buffer, size_t size)
{
    struct sums *sums = (struct sums *)content;
    if (size == 0)
        return 0;
    size_t first = line_at(sums, offset);
    size_t end = line_at(sums, offset + size - 1) + 1;
    int r = need_hashes(sums, first, end, reading);
    if (r < 0)
        return r;
    struct sink sink = sink_window(sums->starts[first], offset, buffer, size);
    for (size_t i = first; i < end; i++)
        write_line(sums, i, &sink);
    return 0;
}

static void sums_free(struct content *content)
{
    struct sums *sums = (struct sums *)content;
    pthread_mutex_destroy(&sums->lock);
    pthread_cond_destroy(&sums->changed);
    free(sums->starts);
    free(sums->states);
    free(sums->hashes);
    free(sums);
}

static const struct content_kind sums_kind = {
    .name = "sums",
    .read = sums_read,
    .free = sums_free,
};

static void measure_lines(struct sums *sums)
{
    uint64_t at = 0;
    for (size_t i = 0; i < sums->n; i++) {
        char buffer[256];
        sums->starts[i] = at;
        at += line_length(tree_tensor_name(sums->tree, i, buffer));
    }
    sums->starts[sums->n] = at;
    sums->content.size = at;
}

int sums_content(const struct tree *tree, const struct ggufs_model *model,
                 struct content **content)
{
    *content = NULL;
    struct sums *sums = calloc(1, sizeof(*sums));
    if (sums == NULL)
        return -ENOMEM;
    size_t n = ggufs_model_tensors(model);
    sums->content.kind = &sums_kind;
    sums->tree = tree;
    sums->model = model;
    sums->n = n;
    pthread_mutex_init(&sums->lock, NULL);
    pthread_cond_init(&sums->changed, NULL);
    sums->starts = calloc(n + 1, sizeof(*sums->starts));
    sums->states = calloc(n + 1, sizeof(*sums->states));
    sums->hashes = calloc(n + 1, sizeof(*sums->hashes));
    if (sums->starts == NULL || sums->states == NULL || sums->hashes == NULL) {
        sums_free(&sums->content);
        return -ENOMEM;
    }
    measure_lines(sums);
    *content = &sums->content;
    return 0;
}
