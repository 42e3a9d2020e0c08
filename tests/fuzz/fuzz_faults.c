/* SPDX-License-Identifier: MIT */
/* Models of any bytes, and on the way through them a call that fails: memory, files, threads.
 * Each answer is then the right one or the failed call's error; when no call fails any more,
 * all answers are right again; and no descriptor, no map and no memory is left behind.
 *
 * Input: as that of join. What the calls are that fail follows from its bytes. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/inject.h"
#include "harness.h"
#include "seeds.h"
#include "shards.h"

#define NODES_MAX 512
#define PIECE     (64 << 10)
#define FILE_MAX  (256 << 10) /* what is read of a file */
#define CALLS_MAX 2000000     /* more are running in circles */

static const struct inject_fault faults[] = {
    {"an allocation", INJECT_ALLOC, ENOMEM},
    {"allocations from one on", INJECT_ALLOC, ENOMEM, .lasting = true},
    {"open", INJECT_OPEN, EMFILE},
    {"read", INJECT_READ, EIO},
    {"reads from one on", INJECT_READ, EIO, .lasting = true},
    {"read: interrupted", INJECT_READ, EINTR},
    {"read: short", INJECT_READ, 0, .shorter = true},
    {"stat", INJECT_STAT, EIO},
    {"mmap: none at all", INJECT_MAP, ENODEV, .lasting = true},
};

#define N_FAULTS (sizeof(faults) / sizeof(faults[0]))

/* ---- questions; nothing here allocates, for that would be counted ---- */

enum question { STAT, NAMES, ATTRIBUTES, READ, GATHER, QUESTIONS };

struct answer {
    long rc; /* 0 or -errno */
    uint64_t hash;
};

struct node {
    uint64_t number;
    struct answer answers[QUESTIONS];
};

struct questions {
    struct ggufs_tree *tree;
    struct node nodes[NODES_MAX];
    size_t n;
    char buffer[PIECE];
};

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static struct answer ask_stat(struct questions *questions, uint64_t node)
{
    struct answer answer = {0};
    struct stat st;
    answer.rc = ggufs_tree_stat(questions->tree, node, &st);
    if (answer.rc == 0)
        answer.hash = (uint64_t)st.st_size << 16 ^ st.st_mode;
    return answer;
}

static int mix_entry(void *data, const struct ggufs_entry *entry)
{
    mix(data, entry->name, strlen(entry->name) + 1);
    mix(data, &entry->node, sizeof(entry->node));
    return 0;
}

static struct answer ask_names(struct questions *questions, uint64_t node)
{
    struct answer answer = {0};
    answer.rc = ggufs_tree_list(questions->tree, node, 0, mix_entry, &answer.hash);
    return answer;
}

static struct answer ask_attributes(struct questions *questions, uint64_t node)
{
    struct answer answer = {0};
    char names[1024];
    ssize_t length = ggufs_tree_listxattr(questions->tree, node, names, sizeof(names));
    for (char *name = names; name < names + length; name += strlen(name) + 1) {
        ssize_t n = ggufs_tree_getxattr(questions->tree, node, name, questions->buffer,
                                        sizeof(questions->buffer));
        expect(n >= 0);
        mix(&answer.hash, questions->buffer, (size_t)n);
    }
    answer.rc = length < 0 ? length : 0;
    return answer;
}

typedef ssize_t piece_fn(struct questions *questions, struct ggufs_file *file,
                         uint64_t offset, uint64_t *hash);

static ssize_t read_piece(struct questions *questions, struct ggufs_file *file,
                          uint64_t offset, uint64_t *hash)
{
    ssize_t n = ggufs_file_read(file, offset, questions->buffer, PIECE);
    mix(hash, questions->buffer, n > 0 ? (size_t)n : 0);
    return n;
}

/* The files stay as they are: what is mapped may be touched here. */
static ssize_t gather_piece(struct questions *questions, struct ggufs_file *file,
                            uint64_t offset, uint64_t *hash)
{
    struct iovec pieces[8];
    int n = 8;
    ssize_t sum =
        ggufs_file_gather(file, offset, PIECE, questions->buffer, pieces, &n, NULL);
    for (int i = 0; sum > 0 && i < n; i++)
        mix(hash, pieces[i].iov_base, pieces[i].iov_len);
    return sum;
}

static struct answer ask_pieces(struct questions *questions, uint64_t node,
                                piece_fn *piece)
{
    struct answer answer = {0};
    struct ggufs_file *file;
    ssize_t n = 1;
    answer.rc = ggufs_file_open(questions->tree, node, &file);
    if (answer.rc < 0)
        return answer;
    for (uint64_t at = 0; n > 0 && at < FILE_MAX; at += (uint64_t)n)
        n = piece(questions, file, at, &answer.hash);
    answer.rc = n < 0 ? n : 0;
    ggufs_file_close(file);
    return answer;
}

static struct answer ask(struct questions *questions, uint64_t node,
                         enum question question)
{
    switch (question) {
    case STAT: return ask_stat(questions, node);
    case NAMES: return ask_names(questions, node);
    case ATTRIBUTES: return ask_attributes(questions, node);
    case READ: return ask_pieces(questions, node, read_piece);
    default: return ask_pieces(questions, node, gather_piece);
    }
}

/* ---- what the answers are when nothing fails ---- */

static void keep(struct questions *questions, uint64_t number);

static int keep_entry(void *data, const struct ggufs_entry *entry)
{
    keep(data, entry->node);
    return 0;
}

static void keep(struct questions *questions, uint64_t number)
{
    if (questions->n == NODES_MAX)
        return;
    struct node *node = &questions->nodes[questions->n++];
    node->number = number;
    for (int i = 0; i < QUESTIONS; i++)
        node->answers[i] = ask(questions, number, (enum question)i);
    if (node->answers[NAMES].rc == 0)
        ggufs_tree_list(questions->tree, number, 0, keep_entry, questions);
}

/* ---- what they are when something does ---- */

/* Short and interrupted reads are gone on with. */
static bool may_be(const struct inject_fault *fault, long rc)
{
    return inject_fired() && rc == -fault->errnum && !fault->shorter &&
           fault->errnum != EINTR;
}

static void check_answers(struct questions *questions, const struct inject_fault *fault)
{
    for (size_t i = 0; i < questions->n; i++)
        for (int k = 0; k < QUESTIONS; k++) {
            const struct node *node = &questions->nodes[i];
            struct answer answer = ask(questions, node->number, (enum question)k);
            if (fault && may_be(fault, answer.rc))
                continue;
            expect(answer.rc == node->answers[k].rc);
            expect(answer.rc < 0 || answer.hash == node->answers[k].hash);
        }
}

static int open_set(const struct shards *shards, uint8_t choice, struct ggufs_tree **tree,
                    struct ggufs_error *error)
{
    char path[SHARD_ROOM];
    struct ggufs_options options = options_of(choice);
    *error = (struct ggufs_error){0};
    shards_path(shards, 0, path);
    return ggufs_tree_open((const char *const[]){path}, 1, &options, tree, error);
}

/* Opens and asks while call number nth fails, if there are so many. */
static void run(struct questions *questions, const struct shards *shards, uint8_t choice,
                const struct inject_fault *fault, unsigned long nth)
{
    struct ggufs_error error;
    inject_arm(fault, nth, CALLS_MAX);
    int rc = open_set(shards, choice, &questions->tree, &error);
    if (rc == 0)
        check_answers(questions, fault);
    inject_disarm();
    if (rc < 0) {
        expect(may_be(fault, rc));
        expect_error(rc, &error);
        return;
    }
    if (inject_fired())
        check_answers(questions, NULL);
    ggufs_tree_close(questions->tree);
}

static int lowest_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

/* The first calls as often as all those behind them, for there are more ways through those. */
static void check_faults(struct questions *questions, const struct shards *shards,
                         uint8_t choice, uint64_t hash)
{
    int descriptor = lowest_descriptor();
    long maps = inject_maps();
    for (int i = 0; i < 2; i++, hash >>= 32) {
        const struct inject_fault *fault = &faults[hash % N_FAULTS];
        unsigned long most = 1UL << (hash >> 8) % 12;
        run(questions, shards, choice, fault, 1 + (hash >> 16 & 0xffff) % most);
        expect(lowest_descriptor() == descriptor);
        expect(inject_maps() == maps);
    }
}

/* Before the first use of what it hooks up. */
static void init_once(void)
{
    static bool done;
    if (!done)
        inject_init();
    done = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct shards shards;
    struct ggufs_error error;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (size == 0)
        return 0;
    init_once();
    mix(&hash, bytes, size);
    struct questions *questions = exact_alloc(sizeof(*questions));
    questions->n = 0;
    shards_write(&shards, bytes, size, SHARDS_MAX);
    if (open_set(&shards, bytes[size - 1], &questions->tree, &error) == 0) {
        keep(questions, GGUFS_ROOT);
        ggufs_tree_close(questions->tree);
        check_faults(questions, &shards, bytes[size - 1], hash);
    }
    shards_remove(&shards);
    free(questions);
    return 0;
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    seeds_models(visit, data);
    seeds_sets(visit, data);
}
