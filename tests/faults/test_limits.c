/* SPDX-License-Identifier: MIT */
/* Memory and work are bounded for any input. Memory is the peak of a process that does nothing
 * else, beside what it had at its start; of sanitized builds, which have an allocator of their
 * own, it is not looked at, and their files are smaller. Work is bounded by Meson's timeout
 * alone: anything quadratic in a million takes hours. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure.h"
#include "writer.h"

#define MILLION (SANITIZED ? 100000 : 1000000)

/* Of a tensor or key, beside its record in the head. */
#define EACH 150

/* ---- a million of something ---- */

static void write_tensors(struct writer *writer, bool one_name)
{
    char name[64];
    writer_header(writer, MILLION, 0);
    for (int i = 0; i < MILLION; i++) {
        snprintf(name, sizeof(name), "blk.%d.attn_q.weight", one_name ? 0 : i);
        writer_tensor(writer, name, 0, 8, 32 * (uint64_t)i);
    }
}

static void read_tensors(struct ggufs_tree *tree)
{
    must(must_list(tree, "tensors") == MILLION);
    must(must_read(tree, "tensors.tsv") == MILLION + 1);
    must_read(tree, "info.json");
}

static void test_tensors(void **state)
{
    struct writer *writer = *state;
    write_tensors(writer, false);
    uint64_t head = writer_end(writer, 32 * MILLION);
    expect_growth("a million tensors", measure(writer->path, read_tensors), head, MILLION,
                  EACH);
}

static void read_tensors_of_one_name(struct ggufs_tree *tree)
{
    char last[64];
    must(must_list(tree, "tensors") == MILLION);
    snprintf(last, sizeof(last), "tensors/blk.0.attn_q.weight%%%d", MILLION);
    must(must_size(tree, last) == 32);
    must(must_read(tree, "tensors.tsv") == MILLION + 1);
}

static void test_tensors_of_one_name(void **state)
{
    struct writer *writer = *state;
    write_tensors(writer, true);
    uint64_t head = writer_end(writer, 32 * MILLION);
    expect_growth("a million tensors of one name",
                  measure(writer->path, read_tensors_of_one_name), head, MILLION, EACH);
}

static void read_keys(struct ggufs_tree *tree)
{
    must(must_list(tree, "metadata") == MILLION);
    must_read(tree, "info.json");
}

static void test_keys(void **state)
{
    struct writer *writer = *state;
    char name[64];
    writer_header(writer, 0, MILLION);
    for (int i = 0; i < MILLION; i++) {
        snprintf(name, sizeof(name), "key.%d", i);
        writer_key(writer, name, GGUFS_U8);
        writer_bytes(writer, "\1", 1);
    }
    uint64_t head = writer_end(writer, 0);
    expect_growth("a million keys", measure(writer->path, read_keys), head, MILLION,
                  EACH);
}

/* Names that are not what the file says are kept. */
#define NAME 264

/* Each byte in front becomes three, and all are alike there. */
static void test_keys_to_be_cut(void **state)
{
    struct writer *writer = *state;
    char name[128];
    memset(name, 1, 84);
    writer_header(writer, 0, MILLION);
    for (int i = 0; i < MILLION; i++) {
        snprintf(name + 84, sizeof(name) - 84, "%07d", i);
        writer_key(writer, name, GGUFS_U8);
        writer_bytes(writer, "\1", 1);
    }
    uint64_t head = writer_end(writer, 0);
    expect_growth("a million keys to be cut", measure(writer->path, read_keys), head,
                  MILLION, EACH + NAME);
}

static void read_array(struct ggufs_tree *tree)
{
    must(must_read(tree, "metadata/numbers") == 8 * MILLION);
    must(must_read(tree, "metadata/strings") == MILLION);
}

static void test_large_arrays(void **state)
{
    struct writer *writer = *state;
    writer_header(writer, 0, 2);
    writer_key(writer, "numbers", GGUFS_ARR);
    writer_array(writer, GGUFS_U32, 8 * MILLION);
    for (uint32_t i = 0; i < 8U * MILLION; i++)
        writer_u32(writer, i * 2654435761U);
    writer_key(writer, "strings", GGUFS_ARR);
    writer_array(writer, GGUFS_STR, MILLION);
    for (uint32_t i = 0; i < (uint32_t)MILLION; i++)
        writer_string(writer, "token\n");
    uint64_t head = writer_end(writer, 0);
    expect_growth("large arrays", measure(writer->path, read_array), head, 0, 0);
}

/* ---- large files, mostly holes ---- */

#define STRING (SANITIZED ? 64 * MIB : GIB)

static void read_string(struct ggufs_tree *tree)
{
    char end[8];
    struct ggufs_file *file = must_open_file(tree, "metadata/text");
    must(must_size(tree, "metadata/text") == STRING + 1);
    must(ggufs_file_read(file, STRING - 3, end, sizeof(end)) == 4);
    must(memcmp(end, "\0\0\0\n", 4) == 0);
    must(must_size(tree, "tensors/t") == 32);
    ggufs_file_close(file);
}

static void test_string_of_a_gigabyte(void **state)
{
    struct writer *writer = *state;
    if (proc_bytes("/proc/meminfo", "MemAvailable:") < 4 * STRING) {
        printf("# skipped: not enough memory\n");
        return;
    }
    writer_header(writer, 1, 1);
    writer_key(writer, "text", GGUFS_STR);
    writer_u64(writer, STRING);
    writer_hole(writer, STRING);
    writer_tensor(writer, "t", 0, 8, 0);
    uint64_t head = writer_end(writer, 32);
    if (!writer_extend(writer, 4 * TIB)) {
        printf("# skipped: no files of terabytes here\n");
        return;
    }
    expect_growth("a string of a gigabyte", measure(writer->path, read_string), head, 0,
                  0);
}

#define TENSORS 10

/* The last byte of tensor i is i + 1. */
static void read_terabytes(struct ggufs_tree *tree)
{
    const struct ggufs_model *model = ggufs_tree_model(tree);
    must(ggufs_model_warnings(model) == 0);
    for (size_t i = 0; i < TENSORS; i++) {
        struct ggufs_tensor tensor;
        char path[64], last[2];
        ggufs_model_tensor(model, i, &tensor);
        must(tensor.size == TIB && tensor.n_elements == TIB / 4);
        must(tensor.offset == 4096 + i * TIB);
        snprintf(path, sizeof(path), "tensors/t%zu", i);
        must(must_size(tree, path) == TIB);
        struct ggufs_file *file = must_open_file(tree, path);
        must(ggufs_file_read(file, TIB - 1, last, sizeof(last)) == 1);
        must(last[0] == (char)(i + 1));
        must(ggufs_file_read(file, TIB, last, sizeof(last)) == 0);
        ggufs_file_close(file);
    }
    must(must_size(tree, "model.gguf") == 4096 + TENSORS * TIB);
    must(must_size(tree, "npy/t9.npy") > TIB);
    must_read(tree, "info.json");
    must_read(tree, "tensors.tsv");
}

static void test_ten_terabytes(void **state)
{
    struct writer *writer = *state;
    char name[16];
    writer_header(writer, TENSORS, 1);
    writer_key(writer, "general.alignment", GGUFS_U32);
    writer_u32(writer, 4096);
    for (uint64_t i = 0; i < TENSORS; i++) {
        snprintf(name, sizeof(name), "t%d", (int)i);
        writer_tensor(writer, name, 0, TIB / 4, i * TIB);
    }
    uint64_t head = writer_end(writer, 0);
    if (!writer_extend(writer, 4096 + TENSORS * TIB)) {
        printf("# skipped: no files of terabytes here\n");
        return;
    }
    for (uint64_t i = 0; i < TENSORS; i++)
        writer_poke(writer, 4096 + (i + 1) * TIB - 1, (uint8_t)(i + 1));
    expect_growth("ten terabytes", measure(writer->path, read_terabytes), head, 0, 0);
}

/* ---- all of it ---- */

#define TEST(name) cmocka_unit_test_setup_teardown(name, writer_setup, writer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_tensors),       TEST(test_tensors_of_one_name),
        TEST(test_keys),          TEST(test_keys_to_be_cut),
        TEST(test_large_arrays),  TEST(test_string_of_a_gigabyte),
        TEST(test_ten_terabytes),
    };
    setvbuf(stdout, NULL, _IONBF, 0); /* children must not write it again */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
