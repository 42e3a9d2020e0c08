/* SPDX-License-Identifier: MIT */
/* Every decoder, in the build for all machines and in the one for AVX2, against the
 * worked examples of examples.csv and against the formulas of reference.c. A NaN is as
 * good as any other: which one comes out is promised by nobody. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quant/decoders.h"
#include "quant/tables.h"
#include "reference.h"

enum { BLOCKS = 40 };

/* Bytes and values that end where their memory ends, for AddressSanitizer to guard;
 * the bytes begin at an odd address. */
struct room {
    uint8_t *memory;
    uint8_t *bytes;
    float *out;
    float *expected;
    size_t n_values;
};

static struct room room_init(const struct reference_type *type, size_t n_blocks)
{
    struct room room = {.n_values = n_blocks * (size_t)type->n};
    room.memory = malloc(1 + n_blocks * (size_t)type->size);
    room.out = malloc(room.n_values * sizeof(float));
    room.expected = malloc(room.n_values * sizeof(float));
    assert_non_null(room.memory);
    assert_non_null(room.out);
    assert_non_null(room.expected);
    room.bytes = room.memory + 1;
    return room;
}

static void room_done(struct room *room)
{
    free(room->memory);
    free(room->out);
    free(room->expected);
}

static bool machine_has_avx2(void)
{
#ifdef QUANT_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* Decodes room->bytes with each decoder that can run here, and compares. */
static void expect(const struct reference_type *type, struct room *room, size_t n_blocks,
                   bool big_endian, const char *what)
{
    for (int avx2 = 0; avx2 <= machine_has_avx2(); avx2++) {
        memset(room->out, 0xa5, room->n_values * sizeof(float));
        quant_decoder_of(type->id, avx2)(room->bytes, n_blocks, room->out, big_endian);
        if (!reference_equal(room->out, room->expected, room->n_values))
            fail_msg("%s, %s, %s-endian%s: other values", type->name, what,
                     big_endian ? "big" : "little", avx2 ? ", AVX2" : "");
    }
}

static void test_all_types_have_decoders(void **state)
{
    (void)state;
    const struct reference_type *type;
    size_t n = 0;
    for (; (type = reference_type_at(n)) != NULL; n++) {
        assert_non_null(quant_decoder(type->id));
        assert_non_null(quant_decoder_of(type->id, false));
        assert_ptr_equal(quant_decoder(type->id),
                         quant_decoder_of(type->id, machine_has_avx2()));
    }
    assert_int_equal(n, 35);
}

static void test_other_numbers_have_none(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < 300; id++)
        if (!reference_type(id))
            assert_null(quant_decoder(id));
    assert_null(quant_decoder(UINT32_MAX));
    assert_null(quant_decoder_of(43, true));
    assert_null(quant_decoder_of(4, true));
}

/* From hex digits in pairs, up to something that is none. Returns how many bytes. */
static size_t read_hex(const char *text, uint8_t *bytes)
{
    size_t n = 0;
    unsigned byte;
    for (; sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
        bytes[n] = (uint8_t)byte;
    return n;
}

static size_t read_values(char *text, float *values)
{
    size_t n = 0;
    for (char *end; *text && *text != '\n'; text = end, n++) {
        uint32_t bits = (uint32_t)strtoul(text, &end, 16);
        memcpy(values + n, &bits, sizeof(bits));
        assert_ptr_not_equal(end, text);
    }
    return n;
}

/* A line: id,type,block bytes in hex,values in hex separated by blanks. */
static void check_example(char *line)
{
    uint32_t id = (uint32_t)strtoul(line, NULL, 10);
    const struct reference_type *type = reference_type(id);
    assert_non_null(type);
    char *block = strchr(strchr(line, ',') + 1, ',') + 1;
    char *values = strchr(block, ',') + 1;
    values[-1] = '\0';
    size_t n_blocks = strlen(block) / 2 / (size_t)type->size;
    struct room room = room_init(type, n_blocks);
    assert_int_equal(read_hex(block, room.bytes), n_blocks * (size_t)type->size);
    assert_int_equal(read_values(values, room.expected), room.n_values);
    expect(type, &room, n_blocks, false, "example");
    reference_swap(type, room.bytes, n_blocks);
    expect(type, &room, n_blocks, true, "example");
    room_done(&room);
}

static void test_examples(void **state)
{
    char line[8192];
    FILE *file = fopen(*state, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_string_equal(line, "id,type,block,values\n");
    int n = 0;
    for (; fgets(line, sizeof(line), file); n++)
        check_example(line);
    fclose(file);
    assert_int_equal(n, 35);
}

static void fill_random(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

static void check_blocks(const struct reference_type *type, struct room *room,
                         const char *what)
{
    reference_decode(type, room->bytes, BLOCKS, room->expected);
    expect(type, room, BLOCKS, false, what);
    reference_swap(type, room->bytes, BLOCKS);
    expect(type, room, BLOCKS, true, what);
}

static void for_all_types(void (*check)(const struct reference_type *type,
                                        struct room *room))
{
    const struct reference_type *type;
    for (size_t i = 0; (type = reference_type_at(i)) != NULL; i++) {
        struct room room = room_init(type, BLOCKS);
        check(type, &room);
        room_done(&room);
    }
}

static void check_random(const struct reference_type *type, struct room *room)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        fill_random(room->bytes, BLOCKS * (size_t)type->size, seed);
        check_blocks(type, room, "random blocks");
    }
}

static void test_random_blocks(void **state)
{
    (void)state;
    for_all_types(check_random);
}

/* All bytes the same: zeros, ones, and scales that are tiny, about one, huge or NaN. */
static void check_uniform(const struct reference_type *type, struct room *room)
{
    static const uint8_t all[] = {0x00, 0x01, 0x3c, 0x55, 0x7c,
                                  0x7f, 0x80, 0xbc, 0xfc, 0xff};
    for (size_t i = 0; i < sizeof(all); i++) {
        memset(room->bytes, all[i], BLOCKS * (size_t)type->size);
        check_blocks(type, room, "uniform blocks");
    }
}

static void test_uniform_blocks(void **state)
{
    (void)state;
    for_all_types(check_uniform);
}

/* A scale that is each half that there is, with codes at random. */
static void check_halves(const struct reference_type *type, struct room *room)
{
    fill_random(room->bytes, BLOCKS * (size_t)type->size, 77);
    const struct reference_field *field = type->fields;
    for (uint32_t half = 0; field->width == 2 && half < 0x10000; half += BLOCKS) {
        for (int i = 0; i < BLOCKS; i++) {
            uint8_t *p = room->bytes + i * type->size + field->offset;
            store_u16(p, (uint16_t)(half + (uint32_t)i), false);
        }
        reference_decode(type, room->bytes, BLOCKS, room->expected);
        expect(type, room, BLOCKS, false, "each half");
    }
}

static void test_each_half(void **state)
{
    static const uint32_t ids[] = {1, 2, 7, 9, 25, 30, 41};
    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        struct room room = room_init(reference_type(ids[i]), BLOCKS);
        check_halves(reference_type(ids[i]), &room);
        room_done(&room);
    }
}

/* Products and sums with zeros keep the signs that the formulas give them. */
static void test_signs_of_zero(void **state)
{
    (void)state;
    float out[32];
    uint8_t block[20] = {0x00, 0xbc}; /* d = -1 */
    memset(block + 2, 0x88, 16);      /* all codes mean 0 */
    quant_decoder(2)(block, 1, out, false);
    for (int i = 0; i < 32; i++)
        assert_true(bits_of_float(out[i]) == 0x80000000);
    memset(block, 0, sizeof(block));
    block[1] = block[3] = 0x80; /* Q4_1: d = m = -0, codes 0 */
    quant_decoder(3)(block, 1, out, false);
    for (int i = 0; i < 32; i++)
        assert_true(bits_of_float(out[i]) == 0x80000000);
}

/* Any number of blocks at once gives what they give one by one, and no more is
 * written. */
static void check_counts(const struct reference_type *type, struct room *room)
{
    const size_t n = (size_t)type->n, size = (size_t)type->size;
    fill_random(room->bytes, BLOCKS * size, 5);
    for (size_t i = 0; i < BLOCKS; i++)
        quant_decoder(type->id)(room->bytes + i * size, 1, room->expected + i * n, false);
    for (size_t first = 0; first < 3; first++)
        for (size_t count = 0; first + count <= BLOCKS; count++) {
            memset(room->out, 0xa5, room->n_values * sizeof(float));
            quant_decoder(type->id)(room->bytes + first * size, count, room->out, false);
            assert_true(
                reference_equal(room->out, room->expected + first * n, count * n));
            if (count < BLOCKS)
                assert_true(bits_of_float(room->out[count * n]) == 0xa5a5a5a5);
        }
}

static void test_counts(void **state)
{
    (void)state;
    for_all_types(check_counts);
}

/* The same bytes at every address modulo 16. */
static void check_addresses(const struct reference_type *type, struct room *room)
{
    const size_t size = (size_t)type->size;
    uint8_t *bytes = malloc(16 + 4 * size);
    assert_non_null(bytes);
    fill_random(room->bytes, 4 * size, 9);
    reference_decode(type, room->bytes, 4, room->expected);
    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(bytes + shift, room->bytes, 4 * size);
        quant_decoder(type->id)(bytes + shift, 4, room->out, false);
        assert_true(reference_equal(room->out, room->expected, 4 * (size_t)type->n));
    }
    free(bytes);
}

static void test_addresses(void **state)
{
    (void)state;
    for_all_types(check_addresses);
}

#define SUM(table)        sum_of((const uint8_t *)(table), sizeof(table), false)
#define SUM_SIGNED(table) sum_of((const uint8_t *)(table), sizeof(table), true)

static int sum_of(const uint8_t *numbers, size_t n, bool is_signed)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += is_signed ? (int8_t)numbers[i] : numbers[i];
    return sum;
}

static void test_table_sums(void **state)
{
    (void)state;
    assert_int_equal(SUM(quant_grid_iq2_xxs), 38611);
    assert_int_equal(SUM(quant_grid_iq2_xs), 81582);
    assert_int_equal(SUM(quant_grid_iq2_s), 167589);
    assert_int_equal(SUM(quant_grid_iq3_xxs), 25592);
    assert_int_equal(SUM(quant_grid_iq3_s), 12748);
    assert_int_equal(SUM_SIGNED(quant_grid_iq1), -15);
    assert_int_equal(SUM(quant_signs_even), 16320);
    assert_int_equal(SUM_SIGNED(quant_values_iq4_nl), -94);
    assert_int_equal(SUM_SIGNED(quant_values_e2m1_x2), 0);
}

/* test_quant EXAMPLES */
int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_types_have_decoders),
        cmocka_unit_test(test_other_numbers_have_none),
        cmocka_unit_test_prestate(test_examples, argv[1]),
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_uniform_blocks),
        cmocka_unit_test(test_each_half),
        cmocka_unit_test(test_signs_of_zero),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_table_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
