/* SPDX-License-Identifier: MIT */
/* Growing the list of what was found. How names are made to differ is in clash.c. */

#include "stores/found.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stores/clash.h"

static char *keep(struct found_list *list, const char *string)
{
    return arena_copy(&list->arena, string, strlen(string));
}

static int make_room(struct found_list *list)
{
    if (list->count < list->room)
        return 0;
    size_t room = list->room ? list->room * 2 : 16;
    struct found *items = reallocarray(list->items, room, sizeof(*items));
    if (!items)
        return -ENOMEM;
    list->items = items;
    list->room = room;
    return 0;
}

int found_add(struct found_list *list, const struct found *item)
{
    if (make_room(list) < 0)
        return -ENOMEM;
    struct found copy = *item;
    copy.name = keep(list, item->name);
    copy.path = keep(list, item->path);
    copy.folder = keep(list, item->folder);
    if (item->trouble)
        copy.trouble = keep(list, item->trouble);
    if (!copy.name || !copy.path || !copy.folder || (item->trouble && !copy.trouble))
        return -ENOMEM;
    list->items[list->count++] = copy;
    return 0;
}

int found_add_broken(struct found_list *list, const char *name, const char *folder,
                     const char *path, const char *format, ...)
{
    char trouble[4096 + 512];
    ggufs_quote(trouble, 4096, path, strlen(path));
    size_t used = strlen(trouble);
    used += (size_t)snprintf(trouble + used, sizeof(trouble) - used, ": ");
    va_list args;
    va_start(args, format);
    vsnprintf(trouble + used, sizeof(trouble) - used, format, args);
    va_end(args);
    return found_add(list, &(struct found){.name = name,
                                           .path = path,
                                           .folder = folder,
                                           .trouble = trouble,
                                           .files = 1});
}

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->path, y->path);
}

int found_finish(struct found_list *list)
{
    int rc = clash_resolve(list);
    if (rc < 0)
        return rc;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), compare_found);
    return 0;
}

int found_missing(struct ggufs_error *error, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    bool first = error && error->code == GGUFS_OK;
    error_set(error, GGUFS_SYSTEM, GGUFS_NO_OFFSET, "%s", text);
    if (first)
        error->errnum = ENOENT;
    return -ENOENT;
}

int found_take(struct found_list *list, size_t i, struct ggufs_error *error)
{
    struct found chosen = list->items[i];
    list->items[0] = chosen;
    list->count = 1;
    list->single = true;
    return chosen.trouble ? found_missing(error, "%s", chosen.trouble) : 0;
}

void found_done(struct found_list *list)
{
    free(list->items);
    arena_done(&list->arena);
    *list = (struct found_list){0};
}
