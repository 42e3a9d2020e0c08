/* SPDX-License-Identifier: MIT */
/* How alike two names are. Only the first bytes of long ones are compared, so that a
 * store full of long names costs no more. */

#include "stores/near.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "stores/found.h"

#define COMPARED 96 /* bytes of a name */
#define UNLIKE   UINT_MAX

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* Insertions, deletions and replacements that make b of a (Levenshtein). */
static unsigned distance(const char *a, const char *b)
{
    size_t n = strnlen(b, COMPARED);
    unsigned row[COMPARED + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= COMPARED && a[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned above = row[j];
            bool same =
                tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            row[j] = min3(above + 1, row[j - 1] + 1, corner + !same);
            corner = above;
        }
    }
    return row[n];
}

/* 0 is the same but for case; UNLIKE where they have nothing to do with each other. */
static unsigned unlikeness(const char *wanted, const char *name)
{
    size_t length = strnlen(wanted, COMPARED);
    unsigned steps = distance(wanted, name);
    if (steps <= 1 + length / 4)
        return steps;
    bool held =
        length > 0 && *name && (strcasestr(name, wanted) || strcasestr(wanted, name));
    return held ? COMPARED + steps : UNLIKE;
}

size_t near_names(const char *wanted, const char *const *names, size_t n,
                  const char *near[NEAR_MAX])
{
    unsigned scores[NEAR_MAX];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned score = unlikeness(wanted, names[i]);
        size_t at = count;
        while (at > 0 && scores[at - 1] > score)
            at--;
        if (score == UNLIKE || at == NEAR_MAX)
            continue;
        size_t moved = (count < NEAR_MAX ? count : NEAR_MAX - 1) - at;
        memmove(&scores[at + 1], &scores[at], moved * sizeof(*scores));
        memmove(&near[at + 1], &near[at], moved * sizeof(*near));
        scores[at] = score;
        near[at] = names[i];
        if (count < NEAR_MAX)
            count++;
    }
    return count;
}

void near_list(char *text, size_t size, const char *const *names, size_t n, size_t all)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 quoted(names[i], strlen(names[i])).text);
    if (n < all && used < size)
        snprintf(text + used, size - used, " and %zu more", all - n);
}

int near_error(struct ggufs_error *error, const char *what, const char *wanted,
               const char *place, const char *const *names, size_t n)
{
    const char *near[NEAR_MAX];
    size_t count = near_names(wanted, names, n, near);
    const char *lead = count > 0 ? "like it: " : n > 0 ? "there are: " : "it has none";
    char list[NEAR_MAX * 90] = "";
    if (count > 0)
        near_list(list, sizeof(list), near, count, count);
    else if (n > 0)
        near_list(list, sizeof(list), names, n < NEAR_MAX ? n : NEAR_MAX, n);

    return found_missing(error, "no %s %s in %s; %s%s", what,
                         quoted(wanted, strlen(wanted)).text,
                         quoted(place, strlen(place)).text, lead, list);
}
