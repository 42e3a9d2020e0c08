/* SPDX-License-Identifier: MIT */
/* Files that are models by their names, the shards of a set taken together. */

#ifndef GGUFS_STORES_GROUP_H
#define GGUFS_STORES_GROUP_H

#include "stores/found.h"
#include "stores/places.h"

struct group_file;

/* What was found goes to list, where links lead to, to places. */
struct group {
    struct found_list *list;
    struct places *places;
    struct group_file *files;
    size_t count, room;
};

/* The name of a file that is to be taken for a model. */
bool group_wants(const char *name);
/* What a model is called: its file's name, less .gguf or, for a shard, all from its
 * number on. NULL where memory is out. */
char *group_name(struct arena *arena, const char *path);
/* Looks at the file at the absolute path. What is no regular file goes to the list as
 * broken, the rest waits for group_flush; path and folder must live until then. 0 or
 * -ENOMEM. */
int group_add(struct group *group, const char *path, const char *folder);
/* Puts what was added into the list, sets as one model each. 0 or -ENOMEM. */
int group_flush(struct group *group);
void group_done(struct group *group);

#endif
