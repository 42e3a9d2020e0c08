/* SPDX-License-Identifier: MIT */
/* SipHash-2-4 against the vectors of its authors: key 00..0f, message 00 01 02 ... */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/siphash.h"

static const struct siphash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

static void test_vectors(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        uint64_t hash;
    } rows[] = {
        {0, 0x726fdb47dd0e0e31},  {1, 0x74f839c593dc67fd},  {7, 0xab0200f58b01d137},
        {8, 0x93f5f5799a932462},  {15, 0xa129ca6149be45e5}, {16, 0x3f2acc7f57c29bdb},
        {63, 0x958a324ceb064572},
    };
    uint8_t message[64];
    for (uint8_t i = 0; i < 64; i++)
        message[i] = i;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(siphash(key, message, rows[i].length) == rows[i].hash);
}

static void test_any_address(void **state)
{
    (void)state;
    uint8_t bytes[32] = "0123456789";
    uint64_t expected = siphash(key, bytes, 10);
    for (size_t shift = 1; shift < 16; shift++) {
        uint8_t moved[32];
        for (size_t i = 0; i < 10; i++)
            moved[shift + i] = bytes[i];
        assert_true(siphash(key, moved + shift, 10) == expected);
    }
}

static void test_random_keys_differ(void **state)
{
    (void)state;
    struct siphash_key a = siphash_random_key(), b = siphash_random_key();
    assert_true(a.k0 != b.k0 || a.k1 != b.k1);
    assert_true(siphash(a, "x", 1) != siphash(b, "x", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_any_address),
        cmocka_unit_test(test_random_keys_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
