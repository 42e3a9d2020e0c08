/* SPDX-License-Identifier: MIT */
/* A small directory that is laid out as a text says, in a temporary place that nothing in it
 * can lead out of.
 *
 *     d PATH              a directory
 *     f PATH<TAB>TEXT     a file with that text
 *     g PATH              a small model file; Q8_0 or odd in its name makes it another
 *     l PATH<TAB>TARGET   a symbolic link
 *     p PATH              a FIFO
 *     x PATH              nothing: what is there is removed
 *
 * Paths are below the place; the directories that lead to them are made. In a text, @ROOT@ is
 * the place. */

#ifndef GGUFS_FUZZ_GROUND_H
#define GGUFS_FUZZ_GROUND_H

#include "harness.h"

struct ground {
    char root[DIRECTORY_ROOM];
    int fd; /* of it */
};

void ground_init(struct ground *ground);
void ground_done(struct ground *ground);
/* One line, which is changed. What makes no sense, leads out of the place or cannot be made is
 * passed over. */
void ground_line(struct ground *ground, char *line);
/* A path that stays below the place wherever it is followed from. */
bool ground_is_inside(const char *path);

#endif
