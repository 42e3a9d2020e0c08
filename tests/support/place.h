/* SPDX-License-Identifier: MIT */
/* One file in a directory of its own, for tests of a source. Fails the test where something
 * cannot be done. */

#ifndef GGUFS_TESTS_PLACE_H
#define GGUFS_TESTS_PLACE_H

#include <stddef.h>

#include "model/source.h"

#define PLACE_SIZE 10000 /* bytes of the file: 'a' to 'g' over and over */

struct place {
    char directory[256];
    char path[300]; /* of m.gguf in it */
    char line[400]; /* what was logged last */
    int lines;
};

/* For cmocka. */
int place_setup(void **state);
int place_teardown(void **state);

/* Writes a file anew: seven characters from fill on, over and over. */
void place_write(const char *path, char fill, size_t size);
/* Opens the place's file; what it logs is noted. */
struct source *place_open(struct place *place);

#endif
