/* SPDX-License-Identifier: MIT */
/* Rules of the parser as rows of a table: what is built, and what the parser says of it. */

#ifndef GGUFS_TESTS_RULES_H
#define GGUFS_TESTS_RULES_H

#include "support/build.h"
#include "support/parsed.h"

#define RULE_WARNINGS 3

struct rule {
    const char *name;
    void (*make)(struct build *build); /* on an empty file: version 3, little-endian */
    enum ggufs_code code;              /* GGUFS_OK: it is taken in */
    /* The refusal, or all of the warnings, in order. */
    struct {
        uint64_t offset;
        const char *text;
    } said[RULE_WARNINGS];
};

#define TAKEN(make)                                                                      \
    {                                                                                    \
#make, make, GGUFS_OK                                                            \
    }
#define WARNED(make, offset, text)                                                       \
    {                                                                                    \
#make, make, GGUFS_OK,                                                           \
        {                                                                                \
            {                                                                            \
                offset, text                                                             \
            }                                                                            \
        }                                                                                \
    }
#define REFUSED(make, offset, text)                                                      \
    {                                                                                    \
#make, make, GGUFS_FORMAT,                                                       \
        {                                                                                \
            {                                                                            \
                offset, text                                                             \
            }                                                                            \
        }                                                                                \
    }
#define REFUSED_VERSION(make, text)                                                      \
    {                                                                                    \
#make, make, GGUFS_VERSION,                                                      \
        {                                                                                \
            {                                                                            \
                4, text                                                                  \
            }                                                                            \
        }                                                                                \
    }

/* Fails the test, with what the parser said, at the first row that does not hold. */
void rules_check(const struct rule *rules, size_t n);

#endif
