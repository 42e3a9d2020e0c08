/* SPDX-License-Identifier: MIT */
/* From what a person typed to the models that it means: paths of files and folders, and
 * names in the stores of Ollama ("ollama:NAME"), Hugging Face ("hf:ORG/NAME") and LM
 * Studio ("lmstudio:PUBLISHER/REPO"). Nothing is ever downloaded, nothing opened but
 * folders and manifests. */

#ifndef GGUFS_STORES_STORE_H
#define GGUFS_STORES_STORE_H

#include <stdbool.h>

#include "ggufs.h"
#include "stores/found.h"

/* Several things that were asked for, and where they are looked for. */
struct stores;

/* Takes apart what was typed; paths (also those out of the environment) are made
 * absolute. Looks at nothing but whether each is a file, a folder or a name. 0 or -errno
 * with error filled. */
int stores_open(const char *const *specs, size_t n, struct stores **stores,
                struct ggufs_error *error);
void stores_close(struct stores *stores);

/* Fills list, which is empty at first (found_done is the caller's, also after an error),
 * with what is there now. What cannot be read below what was asked for is an item with
 * trouble. What was asked for itself, or a name that is not in its store, is an error
 * (which says what there is like it) where it is the only one, else an item with trouble
 * too. Not by two threads at once. */
int stores_find(struct stores *stores, struct found_list *list,
                struct ggufs_error *error);

/* Whether stores_find would find something else than the last time: some stat calls.
 * Never false by mistake for what lies in folders; a file that was rewritten in place is
 * for the one who has it open to notice. */
bool stores_changed(const struct stores *stores);

/* What was asked for is one file or one model's name, not a folder, a store or
 * several. */
bool stores_is_single(const struct stores *stores);

/* A name for all of it, fit for a directory's name: of one model its file name less
 * .gguf and shard suffix or its name in the store, of a folder the folder's, else
 * "models". */
const char *stores_name(const struct stores *stores);

/* The i-th folder below which models are opened (absolute, real paths, links' targets
 * included), or NULL behind the last. */
const char *stores_folder(const struct stores *stores, size_t i);

#endif
