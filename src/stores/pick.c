/* SPDX-License-Identifier: MIT */
/* Choosing among the models of a repository. Works on names that are not yet made to
 * differ. */

#include "stores/pick.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "model/shard_name.h"
#include "stores/group.h"
#include "stores/near.h"
#include "stores/paths.h"

/* How a model is called in its repository: "sub/folder/NAME". */
static char *inner_name(struct arena *arena, const struct found *found,
                        const char *folder)
{
    const char *sub = found->folder + strlen(folder);
    while (*sub == '/')
        sub++;
    return *sub ? path_join(arena, sub, found->name)
                : arena_copy(arena, found->name, strlen(found->name));
}

/* wanted less .gguf, or less a shard's suffix. */
static char *stem_of(struct arena *arena, const char *wanted)
{
    struct shard_name shard;
    size_t length = strlen(wanted);
    if (shard_name_parse(wanted, &shard))
        length = shard.prefix_length;
    else if (group_wants(wanted))
        length -= strlen(".gguf");
    return arena_copy(arena, wanted, length);
}

static bool by_inner_name(const struct found *found, const char *inner,
                          const char *wanted)
{
    (void)found;
    return strcmp(inner, wanted) == 0;
}

static bool by_name(const struct found *found, const char *inner, const char *wanted)
{
    (void)inner;
    return strcmp(found->name, wanted) == 0;
}

/* wanted stands in the name between separators. '_' is one only in front, since quants
 * have it inside: Q4_K is no part of Q4_K_M. */
static bool by_part(const struct found *found, const char *inner, const char *wanted)
{
    size_t length = strlen(wanted);
    if (found->kind != FOUND_MODEL || length == 0)
        return false;
    for (const char *p = inner; (p = strcasestr(p, wanted)); p++) {
        bool begins = p == inner || strchr("-._/", p[-1]);
        bool ends = p[length] == '\0' || strchr("-./", p[length]);
        if (begins && ends)
            return true;
    }
    return false;
}

static bool only_model(const struct found *found, const char *inner, const char *wanted)
{
    (void)inner;
    (void)wanted;
    return found->kind == FOUND_MODEL && !found->trouble;
}

typedef bool match_fn(const struct found *found, const char *inner, const char *wanted);

/* How many match; *which is the last of them, and names gets those that are. */
static size_t matches(const struct found_list *list, const char *const *inner,
                      match_fn *match, const char *wanted, size_t *which,
                      const char **names)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!match(&list->items[i], inner[i], wanted))
            continue;
        *which = i;
        names[n++] = inner[i];
    }
    return n;
}

static int ambiguous(struct ggufs_error *error, const char *wanted,
                     const char *const *names, size_t n)
{
    char list[NEAR_MAX * 90] = "";
    near_list(list, sizeof(list), names, n < NEAR_MAX ? n : NEAR_MAX, n);
    return error_set(error, GGUFS_USAGE, GGUFS_NO_OFFSET, "%s could be one of %zu: %s",
                     quoted(wanted, strlen(wanted)).text, n, list);
}

static int choose(struct found_list *list, const char *const *inner, const char **names,
                  const char *wanted, const char *stem, const char *place,
                  struct ggufs_error *error)
{
    static match_fn *const rules[] = {by_inner_name, by_name, by_part};
    size_t which = 0;
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        size_t n = matches(list, inner, rules[i], stem, &which, names);
        if (n > 1)
            return ambiguous(error, wanted, names, n);
        if (n == 1)
            return found_take(list, which, error);
    }
    return near_error(error, "model", wanted, place, inner, list->count);
}

int pick_model(struct found_list *list, const char *folder, const char *wanted,
               const char *place, struct ggufs_error *error)
{
    struct arena *arena = &list->arena;
    const char **inner = arena_alloc(arena, (list->count + 1) * sizeof(*inner));
    const char **names = arena_alloc(arena, (list->count + 1) * sizeof(*names));
    char *stem = stem_of(arena, wanted);
    bool whole = inner && names && stem;
    for (size_t i = 0; whole && i < list->count; i++) {
        inner[i] = inner_name(arena, &list->items[i], folder);
        whole = inner[i] != NULL;
    }
    if (!whole)
        return error_memory(error);
    if (*wanted)
        return choose(list, inner, names, wanted, stem, place, error);

    size_t which = 0;
    if (matches(list, inner, only_model, wanted, &which, names) == 1)
        return found_take(list, which, error);
    if (list->count == 1 && list->items[0].trouble)
        return found_take(list, 0, error);
    return 0;
}
