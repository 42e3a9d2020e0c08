/* SPDX-License-Identifier: MIT */
/* Every crafted file of the test material through the parser, against the verdict that its
 * table names. Skipped where the material is not there. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/material.h"
#include "support/parsed.h"

#define EXPECTED "cases/expected.tsv"

/* "mount" is fulfilled by either of ok and warn. */
static bool holds(const char *verdict, const struct parsed *parsed)
{
    const char *found = parsed->rc < 0                ? "reject"
                        : parsed->head.n_warnings > 0 ? "warn"
                                                      : "ok";
    if (strcmp(verdict, "mount") == 0)
        return parsed->rc == 0;
    return strcmp(verdict, found) == 0;
}

static void check_error(const struct parsed *parsed)
{
    if (parsed->rc == 0)
        return;
    assert_true(parsed->error.code == GGUFS_FORMAT ||
                parsed->error.code == GGUFS_VERSION);
    assert_true(parsed->error.text[0] != '\0');
    assert_true(parsed->error.offset != GGUFS_NO_OFFSET);
}

static void test_each_case(void **state)
{
    char path[4096], part[300], name[256], verdict[32];
    int cases = 0;
    (void)state;
    assert_true(material_path(path, sizeof(path), EXPECTED));
    FILE *table = fopen(path, "r");
    assert_non_null(table);
    while (fscanf(table, "%255s %31s", name, verdict) == 2) {
        struct parsed parsed;
        snprintf(part, sizeof(part), "cases/%s", name);
        assert_true(material_path(path, sizeof(path), part));
        assert_true(parsed_file(&parsed, path));
        if (!holds(verdict, &parsed))
            fail_msg("%s: %s wanted; %s", name, verdict, parsed.error.text);
        check_error(&parsed);
        parsed_done(&parsed);
        cases++;
    }
    fclose(table);
    assert_true(cases > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_case),
    };
    char path[4096];
    if (!material_path(path, sizeof(path), EXPECTED))
        return material_skip(EXPECTED);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
