/* SPDX-License-Identifier: MIT */
/* Files and directories laid out in a new temporary directory, and what a search of them
 * found as one text that a test can compare. Fails the test where something cannot be
 * made. */

#ifndef GGUFS_TESTS_LAYOUT_H
#define GGUFS_TESTS_LAYOUT_H

#include "stores/found.h"
#include "stores/places.h"

struct layout {
    char root[256]; /* a real path */
};

void layout_new(struct layout *layout);
/* Removes everything, also what was made unreadable. */
void layout_free(struct layout *layout);

/* root/path, in a buffer that is the next-but-fifteen call's. */
const char *layout_path(const struct layout *layout, const char *path);
/* Each makes the directories that lead to path. */
void layout_directory(const struct layout *layout, const char *path);
void layout_file(const struct layout *layout, const char *path, const char *text);
void layout_link(const struct layout *layout, const char *path, const char *target);
void layout_fifo(const struct layout *layout, const char *path);

/* Takes all rights from what is at path. Then root, who could read it all the same, is somebody
 * else until layout_root_again; false, after saying so, where it cannot be. */
bool layout_close(const struct layout *layout, const char *path);
void layout_root_again(void);

/* A line an item: "NAME = PATH BYTES", "NAME = PATH BYTES (3 files)", "... projector",
 * "... adapter", or "NAME ! TROUBLE"; root/ is left out of paths. Free it. */
char *layout_text(const struct layout *layout, const struct found_list *list);
/* The folders of places, a line each, in the same way; root itself is ".". */
char *layout_folders(const struct layout *layout, const struct places *places);

#endif
