/* SPDX-License-Identifier: MIT */
/* Models and places of models, laid out in a temporary directory, small enough to be read a
 * thousand times over. */

#ifndef GGUFS_TESTS_SCENES_H
#define GGUFS_TESTS_SCENES_H

#include "ggufs.h"
#include "support/layout.h"

struct scene {
    const char *name;
    void (*lay_out)(const struct layout *layout);
    const char
        *models[3]; /* paths in the layout, or names in a store; NULL behind the last */
    struct ggufs_options options;
    bool searches; /* for what is to be opened, in places that it must read */
    bool diff;     /* the two models are compared with each other */
};

/* The i-th, or NULL behind the last. */
const struct scene *scene_at(size_t i);

/* Lays it out, and sets the environment so that stores are looked for there alone. */
void scene_init(const struct scene *scene, struct layout *layout);
/* What to open: a path, or a name in a store as it is. */
const char *scene_model(const struct scene *scene, const struct layout *layout, size_t i);

#endif
