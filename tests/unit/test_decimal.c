/* SPDX-License-Identifier: MIT */
/* Numbers as text: the layout of floats, the ends of the integers, and no locale in
 * it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        uint64_t u;
        const char *text;
    } unsigned_rows[] = {
        {0, "0"},
        {9, "9"},
        {10, "10"},
        {4294967296, "4294967296"},
        {UINT64_MAX, "18446744073709551615"},
    };
    static const struct {
        int64_t i;
        const char *text;
    } signed_rows[] = {
        {0, "0"},
        {-1, "-1"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    char out[DECIMAL_MAX];
    for (size_t i = 0; i < sizeof(unsigned_rows) / sizeof(unsigned_rows[0]); i++) {
        size_t n = decimal_u64(out, unsigned_rows[i].u);
        assert_string_equal(out, unsigned_rows[i].text);
        assert_int_equal(n, strlen(out));
    }
    for (size_t i = 0; i < sizeof(signed_rows) / sizeof(signed_rows[0]); i++) {
        size_t n = decimal_i64(out, signed_rows[i].i);
        assert_string_equal(out, signed_rows[i].text);
        assert_int_equal(n, strlen(out));
    }
}

static void check_f32(float value, const char *text)
{
    char out[DECIMAL_MAX];
    assert_int_equal(decimal_f32(out, value), strlen(text));
    assert_string_equal(out, text);
}

static void check_f64(double value, const char *text)
{
    char out[DECIMAL_MAX];
    assert_int_equal(decimal_f64(out, value), strlen(text));
    assert_string_equal(out, text);
}

static void test_f32(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } rows[] = {
        {0.0f, "0"},
        {1.0f, "1"},
        {100.0f, "100"},
        {10000.0f, "10000"},
        {0.5f, "0.5"},
        {0.1f, "0.1"},
        {0.3f, "0.3"},
        {1.5f, "1.5"},
        {123.456f, "123.456"},
        {1e-5f, "1e-05"},
        {0.0001f, "0.0001"},
        {0.00012345f, "0.00012345"},
        {1.2345e-5f, "1.2345e-05"},
        {1e-6f, "1e-06"},
        {16777215.0f, "16777215"},
        {16777216.0f, "16777216"},
        {1e8f, "100000000"},
        {123456792.0f, "123456790"},
        {1e15f, "1000000000000000"},
        {1e16f, "1e+16"},
        {1e20f, "1e+20"},
        {1.5e20f, "1.5e+20"},
        {FLT_MAX, "3.4028235e+38"},
        {FLT_MIN, "1.1754944e-38"},
        {0x1p-149f, "1e-45"},
        {0x1.fffffcp-127f, "1.1754942e-38"},
        {0x1p-20f, "9.536743e-07"},
        {3.1415927f, "3.1415927"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_f32(rows[i].value, rows[i].text);
        char minus[DECIMAL_MAX] = "-";
        strcat(minus, rows[i].text);
        check_f32(-rows[i].value, minus);
    }
}

static void test_f64(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.0, "0"},
        {1.0, "1"},
        {123456789.0, "123456789"},
        {0.1, "0.1"},
        {(double)0.1f, "0.10000000149011612"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {1e-5, "1e-05"},
        {0.0001, "0.0001"},
        {1e-300, "1e-300"},
        {1e15, "1000000000000000"},
        {9007199254740991.0, "9007199254740991"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {1e16, "1e+16"},
        {1e20, "1e+20"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {0x1p-1074, "5e-324"},
        {0x1p-44, "5.684341886080802e-14"},
        {3.141592653589793, "3.141592653589793"},
        {1234567890123.4567, "1234567890123.4568"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_f64(rows[i].value, rows[i].text);
        char minus[DECIMAL_MAX] = "-";
        strcat(minus, rows[i].text);
        check_f64(-rows[i].value, minus);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    check_f32(NAN, "nan");
    check_f32(-NAN, "nan");
    check_f32(INFINITY, "inf");
    check_f32(-INFINITY, "-inf");
    check_f64((double)NAN, "nan");
    check_f64(-(double)NAN, "nan");
    check_f64((double)INFINITY, "inf");
    check_f64(-(double)INFINITY, "-inf");
}

/* A comma for a point in the locale changes nothing. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                         "de_DE"};
    bool set = false;
    for (size_t i = 0; i < sizeof(commas) / sizeof(commas[0]) && !set; i++)
        set = setlocale(LC_ALL, commas[i]) != NULL;
    if (!set) {
        print_message("# skipped: no locale here that writes a comma for a point\n");
        return;
    }
    check_f32(1.5f, "1.5");
    check_f64(0.1 + 0.2, "0.30000000000000004");
    check_f64(1e-300, "1e-300");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),      cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
