/* SPDX-License-Identifier: MIT */
/* --help and --version: what the manual page says at length, on one screen. */

#include "cli/command.h"

#include "ggufs.h"

#include <stdio.h>

static const char help[] =
    "Usage: ggufs [OPTION]... MODEL... [MOUNTPOINT]   mount\n"
    "       ggufs --check MODEL...                    say what is wrong with it\n"
    "       ggufs --ls MODEL [PATH]                   list the tree\n"
    "       ggufs --cat MODEL PATH                    write one file of the tree\n"
    "       ggufs --diff [--brief] [--json] A B       say how two models differ\n"
    "\n"
    "Mounts a GGUF model file as a read-only directory tree: metadata and tensors as\n"
    "plain files. The modes with -- mount nothing and need no FUSE.\n"
    "\n"
    "MODEL is a file (of a split model: any shard), a directory of models, or a name\n"
    "in a store: ollama:NAME[:TAG], hf:ORG/NAME[:FILE], lmstudio:AUTHOR/REPO[/FILE].\n"
    "Several models, a directory or a store give one directory a model. Without\n"
    "MOUNTPOINT a directory named after the model is made here, and removed again\n"
    "at unmount (fusermount3 -u DIRECTORY, or umount as root).\n"
    "\n"
    "  -f               stay in the foreground\n"
    "  -d               debug messages of libfuse, in the foreground\n"
    "  -s               serve with a single thread\n"
    "  -q               say nothing about warnings\n"
    "  -h, --help       this text\n"
    "  -V, --version    the version\n"
    "  -o OPT[,OPT]...  libfuse's mount options, such as allow_other, and:\n"
    "       strict        warnings are errors\n"
    "       single        one shard of a split model, alone\n"
    "       partial       a split model with shards missing: what is there\n"
    "       no_views      no npy/, model.safetensors, SHA256SUMS\n"
    "       dequant=TYPE  quantised types in these: f32 (default), f16, bf16-as-u16\n"
    "       cache=WHEN    the kernel's page cache: auto (default), always, never\n"
    "       mlock         tensor data stays in memory once it was read\n"
    "       drop          lets go of it behind a reader\n"
    "       io_uring      requests through io_uring (libfuse 3.18, Linux 6.14)\n"
    "       nonempty      mount over a directory that is not empty\n"
    "       no_sandbox    keep the rights that serving files does not need\n"
    "\n"
    "Exit status: 0 fine, 1 system error, 2 usage, 3 not a GGUF file or malformed,\n"
    "4 unsupported version, 5 incomplete, 6 cannot mount. Of --diff: 0 the same,\n"
    "1 different, 2 or more trouble. See ggufs(1) for all.\n";

int help_command(const struct options *options)
{
    (void)options;
    fputs(help, stdout);
    return GGUFS_OK;
}

int version_command(const struct options *options)
{
    (void)options;
    printf("ggufs %s\n", ggufs_version());
    return GGUFS_OK;
}
