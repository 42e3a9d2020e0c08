/* SPDX-License-Identifier: MIT */
/* What costs a stranger a few bytes to write costs the reader little too: claims of terabytes
 * are refused before anything is made for them, and names that usual hashes see as one do not
 * slow a table down. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/table.h"
#include "measure.h"
#include "writer.h"

/* ---- claims that are refused ---- */

/* A file of one key whose value is said to be so large. */
struct claim {
    const char *what;
    uint64_t tensors, keys; /* in the header */
    uint32_t types[4];      /* the value's, and inwards the elements' */
    uint64_t count;         /* of the innermost */
    uint64_t file_size;     /* 0: as written */
};

#define E60 (UINT64_C(1) << 60)

static const struct claim claims[] = {
    {"a string of 2^60", 0, 1, {GGUFS_STR}, E60},
    {"2^60 bytes", 0, 1, {GGUFS_ARR, GGUFS_U8}, E60},
    {"2^60 doubles", 0, 1, {GGUFS_ARR, GGUFS_F64}, E60},
    {"2^60 strings", 0, 1, {GGUFS_ARR, GGUFS_STR}, E60},
    {"2^60 arrays", 0, 1, {GGUFS_ARR, GGUFS_ARR, GGUFS_U8}, E60},
    {"2^60 tensors", E60, 1, {GGUFS_U8}, 0},
    {"2^60 keys", 0, E60, {GGUFS_U8}, 0},
    {"a string of 5 TB in a file of 10", 0, 1, {GGUFS_STR}, 5 * TIB, 10 * TIB},
    {"5 TB of bytes in a file of 10", 0, 1, {GGUFS_ARR, GGUFS_U8}, 5 * TIB, 10 * TIB},
    {"2^39 strings in 10 TB", 0, 1, {GGUFS_ARR, GGUFS_STR}, TIB / 2, 10 * TIB},
    {"2^39 arrays in 10 TB", 0, 1, {GGUFS_ARR, GGUFS_ARR}, TIB / 2, 10 * TIB},
    {"2^39 tensors in 10 TB", TIB / 2, 1, {GGUFS_U8}, 0, 10 * TIB},
    {"2^38 keys in 10 TB", 0, TIB / 4, {GGUFS_U8}, 0, 10 * TIB},
};

static bool write_claim(struct writer *writer, const struct claim *claim)
{
    writer_header(writer, claim->tensors, claim->keys);
    writer_key(writer, "key", claim->types[0]);
    for (int i = 1; i < 4 && claim->types[i] != 0; i++) {
        bool last = i == 3 || claim->types[i + 1] == 0;
        writer_array(writer, claim->types[i], last ? claim->count : 1);
    }
    if (claim->types[0] == GGUFS_STR)
        writer_u64(writer, claim->count);
    writer_bytes(writer, "\1\2\3\4", 4);
    writer_end(writer, 0);
    return claim->file_size == 0 || writer_extend(writer, claim->file_size);
}

/* Refused, and in few bytes. */
static void refuse(const char *path)
{
    struct ggufs_error error = {0};
    struct ggufs_tree *tree;
    uint64_t start = peak_now();
    must(ggufs_tree_open(&path, 1, NULL, &tree, &error) == -EBADMSG);
    must(error.code == GGUFS_FORMAT && error.text[0] != '\0');
    must(SANITIZED || peak_now() - start < BESIDE);
    _exit(0);
}

static void test_claims(void **state)
{
    struct writer *writer = *state;
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        int status = 0;
        if (!write_claim(writer, &claims[i])) {
            printf("# skipped: %s: no files of terabytes here\n", claims[i].what);
            continue;
        }
        pid_t child = fork();
        if (child == 0)
            refuse(writer->path);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("%s", claims[i].what);
    }
}

/* ---- names made to collide ---- */

/* Name number i of NAMES: of each pair of letters either, by the bits of i. Both have the same
 * value as numbers to the base 33 ("bA", "ab") or 31 ("Aa", "BB"), as the usual hashes of
 * strings see them. */
#define NAME_PAIRS 16
#define NAMES      (1 << NAME_PAIRS)

struct pair {
    const char *either, *other;
};

static void make_name(const struct pair *pair, uint32_t i, char *name)
{
    for (int k = 0; k < NAME_PAIRS; k++)
        memcpy(name + 2 * k, i >> k & 1 ? pair->either : pair->other, 2);
}

static struct name name_of(const void *owner, uint32_t i)
{
    const char(*names)[2 * NAME_PAIRS] = owner;
    return (struct name){names[i], sizeof(names[i])};
}

/* How many slots are looked at to find all names, for each name. */
static double steps(const struct pair *pair)
{
    static char names[NAMES][2 * NAME_PAIRS];
    struct table table;
    uint64_t sum = 0;
    assert_int_equal(table_init(&table, NAMES, name_of, names), 0);
    for (uint32_t i = 0; i < NAMES; i++)
        make_name(pair, i, names[i]);
    for (uint32_t i = 0; i < NAMES; i++)
        assert_int_equal(table_add(&table, i), i);
    for (size_t slot = 0; slot <= table.mask; slot++) {
        if (table.slots[slot] == 0)
            continue;
        uint32_t number = (table.slots[slot] & table.number_bits) - 1;
        struct name name = name_of(names, number);
        size_t home = siphash(table.key, name.bytes, name.length) & table.mask;
        sum += ((slot - home) & table.mask) + 1;
    }
    table_done(&table);
    return (double)sum / NAMES;
}

/* Two thirds full it should be two on average; without a key it would be thousands. */
static void test_names_that_collide(void **state)
{
    static const struct pair pairs[] = {{"bA", "ab"}, {"Aa", "BB"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double mean = steps(&pairs[i]);
        printf("# %d names that collide: %.2f steps a name\n", NAMES, mean);
        assert_true(mean < 8);
    }
}

/* ---- all of it ---- */

#define TEST(name) cmocka_unit_test_setup_teardown(name, writer_setup, writer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_claims),
        cmocka_unit_test(test_names_that_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
