/* SPDX-License-Identifier: MIT */
/* Directories searched for models: every *.gguf below, shards of a set as one. */

#ifndef GGUFS_STORES_SCAN_H
#define GGUFS_STORES_SCAN_H

#include "ggufs.h"
#include "stores/found.h"
#include "stores/places.h"

/* Filesystems that were there when a directory was scanned first. One that is mounted
 * below it later is not entered: it may be the very mount that shows the models, and
 * asking that for its files would be waiting for oneself. Zeroed: the next scan is the
 * first. */
struct mounts {
    dev_t *devices;
    size_t count, room;
    bool known; /* the first scan is over */
};

void mounts_done(struct mounts *mounts);

struct scan_options {
    unsigned depth;        /* directories in directories; 0: SCAN_DEPTH */
    size_t entries;        /* of all directories together; 0: SCAN_ENTRIES */
    struct mounts *mounts; /* NULL: enter whatever is mounted */
};

#define SCAN_DEPTH   64
#define SCAN_ENTRIES 1000000

/* Adds what is below the absolute path to list, and what was read to places. A model is
 * called after its file, less .gguf and the shard suffix; its folder is `folder` ("" or
 * "a/b") and what leads to it from path. Symbolic links are followed, to files and to
 * directories; hidden ones are no exception. What cannot be opened for a reason that
 * shows already (a link to nothing, a FIFO, a directory without rights or one that a
 * link puts inside itself, too deep, too many) is added as broken. 0, -ENOMEM, or why
 * path itself cannot be read; error then says so. */
int scan_directory(const char *path, const char *folder,
                   const struct scan_options *options, struct found_list *list,
                   struct places *places, struct ggufs_error *error);

#endif
