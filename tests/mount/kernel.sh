#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What newer kernels and libfuses do for a mount, where they can: passthrough of model.gguf,
# shared maps of files that are read directly.
#
#   kernel.sh CHECK_READS      GGUFS_LIBFUSE is the version that the program was built with

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

check_reads=${1:?is the program check_reads}
sample sample.gguf
mkdir mnt

# at_least WANTED VERSION
at_least() {
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# lacks LIBFUSE LINUX: says which of them is older than that.
lacks() {
    if ! at_least "$1" "${GGUFS_LIBFUSE:-0}"; then
        echo "libfuse $1 can, here it is ${GGUFS_LIBFUSE:-none}"
    elif ! at_least "$2" "$(uname -r)"; then
        echo "Linux $2 can, here it is $(uname -r)"
    fi
}

# debugged ARGUMENT...: mounts, with libfuse's account of each request in `requests`.
debugged() {
    "$GGUFS" -q -d "$@" >"$out" 2>requests </dev/null &
    wait_until mounted mnt && wait_until [ -e mnt/info.json ]
}

# reads_asked FILE: how many of the requests for a file's bytes came to us.
reads_asked() {
    local before after
    before=$(grep -c 'opcode: READ ' requests)
    cat "$1" >bytes
    after=$(grep -c 'opcode: READ ' requests)
    echo $((after - before))
}

# ---- passthrough

no_passthrough() {
    lacks 3.17 6.9
    [ "$(id -u)" -eq 0 ] || echo 'only root may'
    ! grep -qs '# CONFIG_FUSE_PASSTHROUGH is not set' "/boot/config-$(uname -r)" ||
        echo 'this kernel was built without it'
}

passes_through() {
    [ "$(reads_asked mnt/model.gguf)" -eq 0 ] && cmp sample.gguf bytes >"$err" 2>&1
}
comes_to_us() {
    [ "$(reads_asked mnt/tensors/blk.0.attn_q.weight)" -gt 0 ]
}
map_passes_through() {
    printf 'sample.gguf\t0\t%s\tmnt/model.gguf\n' "$(stat -c %s sample.gguf)" >table
    timeout 600 "$check_reads" table 4 20 >"$out" 2>"$err" &&
        [ "$(reads_asked mnt/model.gguf)" -eq 0 ]
}

if reason=$(no_passthrough | head -n 1) && [ -n "$reason" ]; then
    skip 'model.gguf is read by the kernel itself' "$reason"
else
    for options in cache=auto cache=never clone_fd,allow_other; do
        debugged -o "$options" sample.gguf mnt
        verdict "$options: model.gguf is read by the kernel itself" passes_through
        verdict "$options: and in pieces, and mapped" map_passes_through
        verdict "$options: a tensor is read through us" comes_to_us
        unmount mnt
    done
    debugged -o drop_privileges sample.gguf mnt
    verdict 'drop_privileges: model.gguf is read by the kernel itself' passes_through
    unmount mnt
fi

# ---- shared maps without the kernel's cache

if reason=$(lacks 3.17 6.6) && [ -n "$reason" ]; then
    skip 'cache=never: tensors in pieces, and mapped' "$reason"
else
    mount_model -o cache=never sample.gguf mnt
    tensor_table mnt sample.gguf >table
    verdict 'cache=never: tensors in pieces, and mapped' \
        timeout 600 "$check_reads" table 4 20
    unmount mnt
fi

finish
