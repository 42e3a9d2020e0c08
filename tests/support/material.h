/* SPDX-License-Identifier: MIT */
/* The larger test material, which a checkout need not have. */

#ifndef GGUFS_TESTS_MATERIAL_H
#define GGUFS_TESTS_MATERIAL_H

#include <stdbool.h>
#include <stddef.h>

/* The path of a file or directory of it, in buffer: false where it is not there. */
bool material_path(char *buffer, size_t size, const char *name);

/* For a main whose tests all need it: `if (!material_path(...)) return material_skip("cases");`
 * Says in TAP that the whole program is skipped, and why. (cmocka's own skip() writes "not ok"
 * in TAP, which Meson counts as failed.) */
int material_skip(const char *name);

#endif
