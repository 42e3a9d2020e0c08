/* SPDX-License-Identifier: MIT */
/* A manifest of Ollama's store, and the blobs that it names. */

#ifndef GGUFS_STORES_MANIFEST_H
#define GGUFS_STORES_MANIFEST_H

#include "stores/kind.h"

/* Adds the model that the manifest at path describes, called name, and behind it what
 * belongs to it ("NAME-projector", "NAME-adapter"). A manifest or blob that cannot be
 * used is added as broken. root is the store's. 0 or -ENOMEM. */
int manifest_read(const char *root, const char *path, const char *name,
                  struct search *search);

#endif
