/* SPDX-License-Identifier: MIT */
/* What all contents share (clipping, gathering) and the plain kinds: bytes, zeros,
 * concat. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "content/content.h"

/* -- a kind of its own: byte i is i % 251, so much of it mapped, the rest made -- */

struct pattern {
    struct content content;
    const char *memory; /* NULL: nothing can be mapped */
    size_t piece;       /* longest piece that is mapped at once */
    int error;          /* what reads end in */
    int *n_alive;
};

static int pattern_read(struct content *content, struct reading *reading, uint64_t offset,
                        char *buffer, size_t size)
{
    (void)reading;
    assert_true(size > 0 && offset + size <= content->size);
    for (size_t i = 0; i < size; i++)
        buffer[i] = (char)((offset + i) % 251);
    return ((struct pattern *)content)->error;
}

static int pattern_map(struct content *content, uint64_t offset, size_t size,
                       struct iovec *piece)
{
    struct pattern *p = (struct pattern *)content;
    assert_true(size > 0 && offset + size <= content->size);
    if (p->error)
        return p->error;
    if (!p->memory)
        return -ENOSYS;
    piece->iov_base = (void *)(uintptr_t)(p->memory + offset);
    piece->iov_len = size < p->piece ? size : p->piece;
    return 0;
}

static void pattern_free(struct content *content)
{
    --*((struct pattern *)content)->n_alive;
    free(content);
}

static const struct content_kind pattern_kind = {
    .name = "pattern", .read = pattern_read, .map = pattern_map, .free = pattern_free};

static struct content *pattern_new(uint64_t size, const char *memory, size_t piece,
                                   int error, int *n_alive)
{
    struct pattern *p = malloc(sizeof(*p));
    assert_non_null(p);
    *p = (struct pattern){{&pattern_kind, size}, memory, piece, error, n_alive};
    ++*n_alive;
    return &p->content;
}

/* -- a concat of parts that are mapped or made, one of them empty -- */

#define N_PARTS 6
static const uint64_t part_sizes[N_PARTS] = {3, 2, 10, 7, 0, 5};
#define WHOLE 27

struct parts {
    char memory[16];
    int n_alive;
    int n_asked;
    bool no_memory;
    int error;
    size_t piece;
    bool freed;
};

static struct content *make_part(void *owner, size_t i)
{
    struct parts *parts = owner;
    parts->n_asked++;
    assert_true(part_sizes[i] > 0);
    if (parts->no_memory && i == 3)
        return NULL;
    bool mapped = i == 2 || i == 5;
    return pattern_new(part_sizes[i], mapped ? parts->memory : NULL, parts->piece,
                       i == 3 ? parts->error : 0, &parts->n_alive);
}

static void mark_freed(void *owner)
{
    ((struct parts *)owner)->freed = true;
}

static struct content *parts_concat(struct parts *parts)
{
    uint64_t *starts = calloc(N_PARTS + 1, sizeof(*starts));
    assert_non_null(starts);
    for (size_t i = 0; i < N_PARTS; i++)
        starts[i + 1] = starts[i] + part_sizes[i];
    for (size_t i = 0; i < sizeof(parts->memory); i++)
        parts->memory[i] = (char)(i % 251);
    return content_concat(N_PARTS, starts, make_part, mark_freed, parts, true);
}

static void expected_concat(char *out)
{
    for (size_t i = 0; i < N_PARTS; i++)
        for (size_t k = 0; k < part_sizes[i]; k++)
            *out++ = (char)k;
}

static void test_concat_reads(void **state)
{
    (void)state;
    struct parts parts = {.piece = 100};
    struct content *concat = parts_concat(&parts);
    char expected[WHOLE];
    expected_concat(expected);
    uint64_t size;
    assert_int_equal(content_size(concat, &size), 0);
    assert_int_equal(size, WHOLE);
    assert_int_equal(content_size_known(concat, &size), 0);
    for (uint64_t offset = 0; offset <= WHOLE + 2; offset++)
        for (size_t n = 0; n <= WHOLE + 2; n++) {
            char buffer[WHOLE + 3];
            memset(buffer, '#', sizeof(buffer));
            size_t left = offset < WHOLE ? WHOLE - (size_t)offset : 0;
            size_t there = n < left ? n : left;
            assert_int_equal(content_read(concat, NULL, offset, buffer, n), there);
            assert_memory_equal(buffer, expected + (there ? offset : 0), there);
            assert_int_equal(buffer[there], '#');
            assert_int_equal(parts.n_alive, 0);
        }
    assert_int_equal(content_read(concat, NULL, UINT64_MAX, expected, 5), 0);
    content_free(concat);
    assert_true(parts.freed);
}

/* Gathers with so much room for pieces, and puts together what they say. */
static void check_gather(struct content *content, const char *expected, uint64_t offset,
                         size_t size, int room)
{
    char scratch[WHOLE + 3], joined[WHOLE + 3];
    struct iovec pieces[12];
    memset(scratch, '#', sizeof(scratch));
    size_t left = offset < WHOLE ? WHOLE - (size_t)offset : 0;
    size_t there = size < left ? size : left;
    int n = room;
    assert_int_equal(content_gather(content, NULL, offset, size, scratch, pieces, &n),
                     there);
    assert_in_range(n, 0, room);
    size_t done = 0;
    for (int i = 0; i < n; i++) {
        assert_in_range(pieces[i].iov_len, 1, there - done);
        memcpy(joined + done, pieces[i].iov_base, pieces[i].iov_len);
        done += pieces[i].iov_len;
    }
    assert_int_equal(done, there);
    assert_memory_equal(joined, expected + (there ? offset : 0), there);
    assert_int_equal(scratch[size < WHOLE ? size : WHOLE], '#');
}

static void test_gather_everywhere(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= 11; piece += 5) {
        struct parts parts = {.piece = piece};
        struct content *concat = parts_concat(&parts);
        char expected[WHOLE];
        expected_concat(expected);
        for (uint64_t offset = 0; offset <= WHOLE + 1; offset++)
            for (size_t size = 0; size <= WHOLE + 2; size++)
                for (int room = 1; room <= 12; room++)
                    check_gather(concat, expected, offset, size, room);
        assert_int_equal(parts.n_alive, 0);
        content_free(concat);
    }
}

/* What can be mapped is not copied; what must be made next to each other is one piece. */
static void test_gather_pieces(void **state)
{
    (void)state;
    struct parts parts = {.piece = 100};
    struct content *concat = parts_concat(&parts);
    char scratch[WHOLE];
    struct iovec pieces[8];
    int n = 8;
    assert_int_equal(content_gather(concat, NULL, 0, WHOLE, scratch, pieces, &n), WHOLE);
    assert_int_equal(n, 4);
    static const size_t lengths[] = {5, 10, 7, 5};
    for (int i = 0; i < n; i++)
        assert_int_equal(pieces[i].iov_len, lengths[i]);
    assert_ptr_equal(pieces[0].iov_base, scratch);
    assert_ptr_equal(pieces[1].iov_base, parts.memory);
    assert_ptr_equal(pieces[2].iov_base, scratch + 5);
    assert_ptr_equal(pieces[3].iov_base, parts.memory);

    n = 2; /* the second must hold all that is left */
    assert_int_equal(content_gather(concat, NULL, 7, 20, scratch, pieces, &n), 20);
    assert_int_equal(n, 2);
    assert_ptr_equal(pieces[0].iov_base, parts.memory + 2);
    assert_int_equal(pieces[0].iov_len, 8);
    assert_ptr_equal(pieces[1].iov_base, scratch);
    assert_int_equal(pieces[1].iov_len, 12);
    content_free(concat);
}

static void test_gather_made(void **state)
{
    (void)state;
    int n_alive = 0;
    struct content *made = pattern_new(10, NULL, 0, 0, &n_alive);
    char scratch[10];
    struct iovec pieces[4];
    int n = 4;
    assert_int_equal(content_gather(made, NULL, 2, 100, scratch, pieces, &n), 8);
    assert_int_equal(n, 1);
    assert_ptr_equal(pieces[0].iov_base, scratch);
    content_free(made);
    assert_int_equal(n_alive, 0);
}

static void test_errors(void **state)
{
    (void)state;
    struct parts parts = {.piece = 100, .error = -EIO};
    struct content *concat = parts_concat(&parts);
    char buffer[WHOLE];
    struct iovec pieces[8];
    int n = 8;
    assert_int_equal(content_read(concat, NULL, 0, buffer, 15), 15);
    assert_int_equal(content_read(concat, NULL, 0, buffer, 16), -EIO);
    assert_int_equal(content_gather(concat, NULL, 0, 15, buffer, pieces, &n), 15);
    n = 8;
    assert_int_equal(content_gather(concat, NULL, 0, 16, buffer, pieces, &n), -EIO);
    assert_int_equal(content_read(concat, NULL, 22, buffer, 5), 5);
    parts.error = 0;
    parts.no_memory = true;
    n = 8;
    assert_int_equal(content_read(concat, NULL, 0, buffer, 16), -ENOMEM);
    assert_int_equal(content_gather(concat, NULL, 0, 16, buffer, pieces, &n), -ENOMEM);
    assert_int_equal(parts.n_alive, 0);
    content_free(concat);
}

/* Only the parts that are read are asked for. */
static void test_concat_asks_for_few(void **state)
{
    (void)state;
    struct parts parts = {.piece = 100};
    struct content *concat = parts_concat(&parts);
    char buffer[WHOLE];
    content_read(concat, NULL, 5, buffer, 10);
    assert_int_equal(parts.n_asked, 1);
    content_read(concat, NULL, 0, buffer, 4);
    assert_int_equal(parts.n_asked, 3);
    content_free(concat);
}

static struct content *kept_part(void *owner, size_t i)
{
    (void)i;
    return owner;
}

static void free_kept(void *owner)
{
    content_free(owner);
}

static void test_concat_keeps_parts(void **state)
{
    (void)state;
    int n_alive = 0;
    uint64_t *starts = calloc(2, sizeof(*starts));
    assert_non_null(starts);
    starts[1] = 4;
    struct content *part = pattern_new(4, NULL, 0, 0, &n_alive);
    struct content *concat = content_concat(1, starts, kept_part, free_kept, part, false);
    char buffer[4];
    assert_int_equal(content_read(concat, NULL, 1, buffer, 3), 3);
    assert_int_equal(content_read(concat, NULL, 2, buffer, 3), 2);
    assert_int_equal(n_alive, 1);
    content_free(concat);
    assert_int_equal(n_alive, 0);
}

static void test_empty_concat(void **state)
{
    (void)state;
    uint64_t *starts = calloc(1, sizeof(*starts));
    struct content *concat = content_concat(0, starts, kept_part, NULL, NULL, true);
    char buffer[1];
    struct iovec pieces[1];
    int n = 1;
    assert_int_equal(content_read(concat, NULL, 0, buffer, 1), 0);
    assert_int_equal(content_gather(concat, NULL, 0, 1, buffer, pieces, &n), 0);
    assert_int_equal(n, 0);
    content_free(concat);
}

static void test_bytes(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789";
    char buffer[16];
    struct iovec piece;
    int n = 1;
    struct content *content = content_bytes(bytes, 10, NULL);
    assert_int_equal(content_read(content, NULL, 7, buffer, 16), 3);
    assert_memory_equal(buffer, "789", 3);
    assert_int_equal(content_gather(content, NULL, 2, 5, buffer, &piece, &n), 5);
    assert_int_equal(n, 1);
    assert_ptr_equal(piece.iov_base, bytes + 2);
    assert_int_equal(piece.iov_len, 5);
    content_free(content);
}

/* Bytes that go with the content are copied: pieces may outlive it. */
static void test_owned_bytes(void **state)
{
    (void)state;
    char *bytes = strdup("0123456789");
    char buffer[16];
    struct iovec piece;
    int n = 1;
    struct content *content = content_bytes(bytes, 10, bytes);
    assert_int_equal(content_gather(content, NULL, 2, 5, buffer, &piece, &n), 5);
    content_free(content);
    assert_ptr_equal(piece.iov_base, buffer);
    assert_memory_equal(buffer, "23456", 5);
}

static void test_zeros(void **state)
{
    (void)state;
    struct content *content = content_zeros(UINT64_C(1) << 40);
    uint64_t size;
    assert_int_equal(content_size(content, &size), 0);
    assert_true(size == UINT64_C(1) << 40);
    char buffer[8] = "#######";
    assert_int_equal(content_read(content, NULL, size - 5, buffer, 8), 5);
    assert_memory_equal(buffer, "\0\0\0\0\0##", 8);
    char *scratch = malloc(200000);
    struct iovec pieces[8];
    int n = 8;
    assert_int_equal(content_gather(content, NULL, 1, 200000, scratch, pieces, &n),
                     200000);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < pieces[i].iov_len; k++)
            if (((char *)pieces[i].iov_base)[k] != 0)
                fail_msg("byte %zu of piece %d is not zero", k, i);
    n = 2;
    assert_int_equal(content_gather(content, NULL, 1, 200000, scratch, pieces, &n),
                     200000);
    assert_int_equal(pieces[0].iov_len + pieces[1].iov_len, 200000);
    free(scratch);
    content_free(content);
    content_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_concat_reads),
        cmocka_unit_test(test_gather_everywhere),
        cmocka_unit_test(test_gather_pieces),
        cmocka_unit_test(test_gather_made),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_concat_asks_for_few),
        cmocka_unit_test(test_concat_keeps_parts),
        cmocka_unit_test(test_empty_concat),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_owned_bytes),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
