/* SPDX-License-Identifier: MIT */
/* Builds each row's file, has it parsed, and compares. */

#include "support/rules.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check_said(const struct rule *rule, size_t i, uint64_t offset,
                       const char *text)
{
    const char *wanted = i < RULE_WARNINGS ? rule->said[i].text : NULL;
    if (wanted == NULL || offset != rule->said[i].offset || strcmp(text, wanted) != 0)
        fail_msg("%s: \"%s\" at byte %" PRIu64, rule->name, text, offset);
}

static void check_warnings(const struct rule *rule, const struct head *head)
{
    size_t i;
    for (i = 0; i < head->n_warnings; i++)
        check_said(rule, i, head->warnings[i].offset, head->warnings[i].text);
    if (i < RULE_WARNINGS && rule->said[i].text != NULL)
        fail_msg("%s: no \"%s\"", rule->name, rule->said[i].text);
}

static void check_rule(const struct rule *rule)
{
    struct build build;
    struct parsed parsed;
    size_t size;
    build_init(&build, 3, false);
    rule->make(&build);
    const uint8_t *bytes = build_bytes(&build, &size);
    parsed_whole(&parsed, bytes, size);
    if (parsed.error.code != rule->code || (parsed.rc < 0) != (rule->code != GGUFS_OK))
        fail_msg("%s: code %d: %s", rule->name, parsed.error.code, parsed.error.text);
    if (parsed.rc < 0)
        check_said(rule, 0, parsed.error.offset, parsed.error.text);
    else
        check_warnings(rule, &parsed.head);
    parsed_done(&parsed);
    build_done(&build);
}

void rules_check(const struct rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_rule(&rules[i]);
}
