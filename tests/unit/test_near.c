/* SPDX-License-Identifier: MIT */
/* src/stores/near.c: which names are like one that is not there. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stores/near.h"

static const char *const names[] = {
    "llama3:latest", "llama3.2:1b", "llama3.2:3b", "qwen2.5:7b", "qwen2.5-coder:7b",
    "mistral:7b",    "llava:7b",    "phi4:latest", "gemma3:4b",  "llama3.2-vision:11b",
};
#define N_NAMES (sizeof(names) / sizeof(*names))

struct near_case {
    const char *wanted;
    const char *near; /* joined by spaces */
};

static const struct near_case near_cases[] = {
    {"llama3.2:3b", "llama3.2:3b llama3.2:1b"},
    {"LLAMA3.2:3B", "llama3.2:3b llama3.2:1b"},
    {"llama3.2", "llama3.2:1b llama3.2:3b llama3.2-vision:11b"},
    {"mistrall:7b", "mistral:7b"},
    {"lama", "llama3.2:1b llama3.2:3b llama3:latest llama3.2-vision:11b"},
    {"7b", "llava:7b qwen2.5:7b mistral:7b qwen2.5-coder:7b"},
    {"b", "llava:7b gemma3:4b qwen2.5:7b mistral:7b llama3.2:1b"},
    {"grok", ""},
    {"", ""},
};

static void the_most_alike_come_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(near_cases) / sizeof(*near_cases); i++) {
        const char *near[NEAR_MAX];
        char text[512] = "";
        size_t n = near_names(near_cases[i].wanted, names, N_NAMES, near);
        for (size_t k = 0; k < n; k++)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
                     k > 0 ? " " : "", near[k]);
        assert_string_equal(text, near_cases[i].near);
    }
}

static void errors_say_what_there_is(void **state)
{
    struct ggufs_error error = {0};
    (void)state;
    assert_int_equal(near_error(&error, "model", "mistal:7b", "/s", names, N_NAMES),
                     -ENOENT);
    assert_string_equal(error.text,
                        "no model 'mistal:7b' in '/s'; like it: 'mistral:7b'");
    assert_int_equal(error.code, GGUFS_SYSTEM);
    assert_int_equal(error.errnum, ENOENT);

    error = (struct ggufs_error){0};
    near_error(&error, "model", "x\n", "/s", names, N_NAMES);
    assert_string_equal(error.text,
                        "no model 'x\\x0a' in '/s'; there are: 'llama3:latest', "
                        "'llama3.2:1b', 'llama3.2:3b', 'qwen2.5:7b', "
                        "'qwen2.5-coder:7b' and 5 more");
    error = (struct ggufs_error){0};
    near_error(&error, "model", "x", "/s", NULL, 0);
    assert_string_equal(error.text, "no model 'x' in '/s'; it has none");
    assert_int_equal(near_error(NULL, "model", "x", "/s", NULL, 0), -ENOENT);
}

static void long_names_do_no_harm(void **state)
{
    char wanted[5000];
    const char *near[NEAR_MAX];
    (void)state;
    memset(wanted, 'a', sizeof(wanted) - 1);
    wanted[sizeof(wanted) - 1] = '\0';
    const char *const same[] = {wanted, "b"};
    assert_int_equal(near_names(wanted, same, 2, near), 1);
    assert_ptr_equal(near[0], wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_alike_come_first),
        cmocka_unit_test(errors_say_what_there_is),
        cmocka_unit_test(long_names_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
