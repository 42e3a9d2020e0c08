/* SPDX-License-Identifier: MIT */
/* Walks a tree once, keeping what each public call says, and any number of times comparing. Both
 * ways ask by the same functions, into buffers that are made beforehand: the calls that may fail
 * are the library's alone. */

#include "record.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define ROOM  (1 << 20) /* the largest answer */
#define PIECE 4093      /* of a read; not a size that anything is aligned to */

/* The questions that are asked about a node. */
enum question { STAT, NAMES, ATTRIBUTES, SIZE, READ, GATHER, QUESTIONS };

static const char *const question_names[QUESTIONS] = {
    "stat", "list", "attributes", "size", "read", "gather",
};

struct answer {
    long rc; /* length of bytes, or -errno */
    char *bytes;
};

struct item {
    char *path;
    struct answer answers[QUESTIONS];
};

struct record {
    struct item *items;
    size_t n, room;
    bool many;
    char *buffer;  /* of an answer */
    char *scratch; /* of the library's, while it answers */
};

/* ---- asking ---- */

struct text {
    char *bytes;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = ROOM - text->length;
    int n = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if ((size_t)n >= room)
        abort(); /* a scene that is larger than foreseen */
    text->length += (size_t)n;
}

/* Node numbers are left out: a model of many may get a new one where it seemed to be gone. So
 * are links: how many directories of many are no model's is known when all were looked at. */
static long ask_stat(struct ggufs_tree *tree, uint64_t node, char *buffer)
{
    struct text text = {buffer, 0};
    struct stat st;
    int r = ggufs_tree_stat(tree, node, &st);
    if (r < 0)
        return r;
    add(&text, "%o %u:%u %jd %jd %jd %jd.%09ld", st.st_mode, st.st_uid, st.st_gid,
        (intmax_t)st.st_size, (intmax_t)st.st_blocks, (intmax_t)st.st_blksize,
        (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return (long)text.length;
}

static int add_entry(void *data, const struct ggufs_entry *entry)
{
    add(data, "%s%s\n", entry->name, S_ISDIR(entry->type) ? "/" : "");
    return 0;
}

static long ask_names(struct ggufs_tree *tree, uint64_t node, char *buffer)
{
    struct text text = {buffer, 0};
    int r = ggufs_tree_list(tree, node, 0, add_entry, &text);
    return r < 0 ? r : (long)text.length;
}

static long ask_attributes(struct ggufs_tree *tree, uint64_t node, char *buffer)
{
    struct text text = {buffer, 0};
    char names[1024], value[4096];
    ssize_t n = ggufs_tree_listxattr(tree, node, names, sizeof(names));
    if (n < 0)
        return n;
    for (char *name = names; name < names + n; name += strlen(name) + 1) {
        ssize_t length = ggufs_tree_getxattr(tree, node, name, value, sizeof(value));
        if (length < 0)
            return length;
        add(&text, "%s=%.*s\n", name, (int)length, value);
    }
    return (long)text.length;
}

/* A piece of a file, at buffer: how much of it there was. */
typedef ssize_t piece_fn(struct ggufs_file *file, uint64_t offset, char *buffer,
                         char *scratch);

static ssize_t read_piece(struct ggufs_file *file, uint64_t offset, char *buffer,
                          char *scratch)
{
    (void)scratch;
    return ggufs_file_read(file, offset, buffer, PIECE);
}

/* The files are whole and stay so: what is mapped may be touched here. */
static ssize_t gather_piece(struct ggufs_file *file, uint64_t offset, char *buffer,
                            char *scratch)
{
    struct iovec pieces[16];
    int n = 16;
    ssize_t sum = ggufs_file_gather(file, offset, PIECE, scratch, pieces, &n, NULL);
    for (int i = 0; sum >= 0 && i < n; i++) {
        memcpy(buffer, pieces[i].iov_base, pieces[i].iov_len);
        buffer += pieces[i].iov_len;
    }
    return sum;
}

static long ask_pieces(struct ggufs_tree *tree, uint64_t node, char *buffer,
                       char *scratch, piece_fn *piece)
{
    struct ggufs_file *file;
    long length = 0;
    int r = ggufs_file_open(tree, node, &file);
    if (r < 0)
        return r;
    ssize_t n;
    do {
        n = piece(file, (uint64_t)length, buffer + length, scratch);
        length = n < 0 ? n : length + n;
        if (length > ROOM - PIECE)
            abort();
    } while (n > 0);
    ggufs_file_close(file);
    return length;
}

static long ask_size(struct ggufs_tree *tree, uint64_t node, char *buffer)
{
    struct text text = {buffer, 0};
    struct ggufs_file *file;
    uint64_t size = 0;
    int r = ggufs_file_open(tree, node, &file);
    if (r < 0)
        return r;
    r = ggufs_file_size(file, &size);
    ggufs_file_close(file);
    add(&text, "%ju", (uintmax_t)size);
    return r < 0 ? r : (long)text.length;
}

static long ask(const struct record *record, struct ggufs_tree *tree, const char *path,
                enum question question)
{
    uint64_t node;
    int r = ggufs_tree_resolve(tree, path, &node);
    if (r < 0)
        return r;
    switch (question) {
    case STAT: return ask_stat(tree, node, record->buffer);
    case NAMES: return ask_names(tree, node, record->buffer);
    case ATTRIBUTES: return ask_attributes(tree, node, record->buffer);
    case SIZE: return ask_size(tree, node, record->buffer);
    case READ: return ask_pieces(tree, node, record->buffer, record->scratch, read_piece);
    default: return ask_pieces(tree, node, record->buffer, record->scratch, gather_piece);
    }
}

/* ---- keeping ---- */

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static struct item *add_item(struct record *record, const char *path)
{
    if (record->n == record->room) {
        record->room = record->room ? 2 * record->room : 64;
        record->items =
            need(realloc(record->items, record->room * sizeof(*record->items)));
    }
    struct item *item = &record->items[record->n++];
    *item = (struct item){.path = need(strdup(path))};
    return item;
}

static void keep_answers(struct record *record, struct ggufs_tree *tree,
                         struct item *item)
{
    for (int i = 0; i < QUESTIONS; i++) {
        struct answer *answer = &item->answers[i];
        answer->rc = ask(record, tree, item->path, (enum question)i);
        size_t length = answer->rc < 0 ? 0 : (size_t)answer->rc;
        answer->bytes = need(malloc(length + 1));
        memcpy(answer->bytes, record->buffer, length);
        answer->bytes[length] = '\0';
    }
}

static void keep_below(struct record *record, struct ggufs_tree *tree, const char *path)
{
    size_t i = record->n;
    keep_answers(record, tree, add_item(record, path));
    const struct answer *names = &record->items[i].answers[NAMES];
    if (names->rc < 0)
        return;
    char *list = need(strdup(names->bytes)), *rest = list, *name;
    while ((name = strsep(&rest, "\n")) && *name) {
        char below[2048];
        name[strcspn(name, "/")] = '\0';
        snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
        keep_below(record, tree, below);
    }
    free(list);
}

struct record *record_new(struct ggufs_tree *tree)
{
    struct record *record = need(calloc(1, sizeof(*record)));
    record->buffer = need(malloc(ROOM));
    record->scratch = need(malloc(PIECE));
    record->many = ggufs_tree_model(tree) == NULL;
    keep_below(record, tree, "");
    return record;
}

bool record_fits(const struct record *record, const struct ggufs_tree *tree)
{
    return record->many == (ggufs_tree_model(tree) == NULL);
}

void record_free(struct record *record)
{
    for (size_t i = 0; i < record->n; i++) {
        for (int k = 0; k < QUESTIONS; k++)
            free(record->items[i].answers[k].bytes);
        free(record->items[i].path);
    }
    free(record->items);
    free(record->buffer);
    free(record->scratch);
    free(record);
}

/* ---- comparing ---- */

void outcome_wrong(struct outcome *outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (outcome->wrong++ == 0)
        vsnprintf(outcome->first, sizeof(outcome->first), format, arguments);
    va_end(arguments);
}

bool outcome_allows(const struct inject_fault *fault, long rc)
{
    return fault != NULL && inject_fired() && rc == -fault->errnum && !fault->shorter &&
           fault->errnum != EINTR;
}

static bool is_list_of_many(const struct record *record, const struct item *item)
{
    return record->many &&
           (item->path[0] == '\0' || strcmp(item->path, "models.tsv") == 0);
}

/* The same bytes; of what lists many models, the same lines: one that came back is the last. */
static bool is_same(const struct record *record, const struct item *item,
                    const struct answer *answer)
{
    size_t length = (size_t)answer->rc;
    if (memcmp(record->buffer, answer->bytes, length) == 0)
        return true;
    if (!is_list_of_many(record, item))
        return false;
    for (const char *line = answer->bytes; *line != '\0';) {
        size_t n = strcspn(line, "\n") + 1;
        if (memmem(record->buffer, length, line, n) == NULL)
            return false;
        line += n;
    }
    return true;
}

/* In a directory of many models, one that cannot be found or looked at for the moment may be
 * missing; it is then told, or comes back. */
static bool is_told(const struct record *record, const struct item *item, long rc)
{
    return record->many && inject_fired() &&
           (rc == -ENOENT || is_list_of_many(record, item));
}

static void compare(const struct record *record, struct ggufs_tree *tree,
                    const struct item *item, enum question question,
                    const struct inject_fault *fault, struct outcome *outcome)
{
    const struct answer *answer = &item->answers[question];
    long rc = ask(record, tree, item->path, question);
    if (rc == answer->rc && (rc < 0 || is_same(record, item, answer)))
        return;
    if (outcome_allows(fault, rc) || (fault != NULL && is_told(record, item, rc)))
        outcome->errors++;
    else
        outcome_wrong(outcome, "%s%s of '%s': %ld%s%s, not %ld%s",
                      fault ? "" : "afterwards, ", question_names[question], item->path,
                      rc, rc < 0 ? " " : "", rc < 0 ? strerror((int)-rc) : "", answer->rc,
                      rc == answer->rc ? " (other bytes)" : "");
}

void record_compare(const struct record *record, struct ggufs_tree *tree,
                    const struct inject_fault *fault, struct outcome *outcome)
{
    for (size_t i = 0; i < record->n; i++)
        for (int k = 0; k < QUESTIONS; k++)
            compare(record, tree, &record->items[i], (enum question)k, fault, outcome);
}
