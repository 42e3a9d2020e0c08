#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What newer kernels and libfuses do for a mount: passthrough of model.gguf, shared maps of
# files that are read directly, requests through io_uring. Each where it can be had; of the
# last, what is said where it cannot.
#
#   kernel.sh CHECK_READS      GGUFS_LIBFUSE is the version that the program was built with

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

check_reads=${1:?is the program check_reads}
switch=/sys/module/fuse/parameters/enable_uring
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

# ---- io_uring

goes_without() {
    gave 0 '' '^ggufs: warning: io_uring is not used: ' && [ "$(wc -l <"$err")" -eq 1 ] &&
        cmp sample.gguf mnt/model.gguf
}

on=$(cat "$switch" 2>/dev/null) || on=
run -o io_uring sample.gguf mnt
if reason=$(lacks 3.18 0) && [ -n "$reason" ]; then
    verdict 'io_uring: what it takes is said' gave 2 '' '-o io_uring: takes libfuse 3.18;'
    skip 'io_uring' "$reason"
    finish
    exit
fi
if [ "$on" != Y ] || [ -s "$err" ]; then
    reason=$(sed 's/^ggufs: warning: //' "$err")
    verdict 'io_uring: it is said once where it cannot be had, and that does no harm' goes_without
    unmount mnt
    skip 'io_uring' "$reason"
    finish
    exit
fi

# ring_threads: of the server, by their status files in /proc.
ring_threads() {
    grep -l '^Name:[[:space:]]*fuse-ring' "/proc/$(serving)"/task/*/status
}
one_a_processor() {
    gave 0 '' '' && [ "$(ring_threads | wc -l)" -eq "$(getconf _NPROCESSORS_CONF)" ]
}
# every_thread FIELD VALUE
every_thread() {
    ! grep -h "^$1:" "/proc/$(serving)"/task/*/status | grep -v "[[:space:]]$2\$"
}
read_right() {
    timeout 600 "$check_reads" table 4 "$1" >"$out" 2>"$err"
}

verdict 'io_uring: a thread for each processor' one_a_processor
verdict 'io_uring: every thread: no new privileges' every_thread NoNewPrivs 1
verdict 'io_uring: every thread: a seccomp filter' every_thread Seccomp 2
verdict 'io_uring: every thread: no capability' every_thread CapPrm 0000000000000000
tensor_table mnt sample.gguf >table
verdict 'io_uring: tensors in pieces' read_right 40
: >table
while IFS= read -r -d '' path; do
    known=known.$(wc -l <table)
    "$GGUFS" --cat -q sample.gguf "$path" >"$known"
    printf '%s\t0\t%s\t%s\n' "$known" "$(stat -c %s "$known")" "mnt/$path" >>table
done < <(find mnt -type f -not -path 'mnt/tensors/*' -printf '%P\0')
verdict 'io_uring: made files in pieces' read_right 20
verdict 'io_uring: attributes' \
    [ "$(getfattr --only-values -n user.gguf.architecture mnt)" = llama ]
unmount mnt
verdict 'io_uring: unmounting is the end' no_servers

for options in cache=never clone_fd drop_privileges no_sandbox,drop_privileges allow_other,setuid=65534; do
    can_be_nobody || [ "$options" != allow_other,setuid=65534 ] || continue
    run -o "io_uring,$options" sample.gguf mnt
    tensor_table mnt sample.gguf >table
    verdict "io_uring,$options: tensors in pieces" read_right 10
    verdict "io_uring,$options: every thread: no capability" \
        every_thread CapEff 0000000000000000
    unmount mnt
done

if [ -z "$(no_passthrough)" ]; then
    debugged -o io_uring sample.gguf mnt
    verdict 'io_uring: model.gguf is read by the kernel itself' passes_through
    unmount mnt
fi

mkdir models many
cp -p sample.gguf models/one.gguf
mount_model -o io_uring models many
verdict 'io_uring: many models are opened in the sandbox' cmp sample.gguf many/one/model.gguf
unmount many

cp sample.gguf cut.gguf
mount_model -o io_uring,cache=never cut.gguf mnt
exec 7<mnt/tensors/blk.0.attn_q.weight
head -c 100 <&7 >"$out"
truncate -s 4096 cut.gguf
cut_off() {
    ! timeout 60 cat <&7 >"$out" 2>"$err" && [ -e mnt/info.json ]
}
verdict 'io_uring: a model that is cut off gives EIO, and it serves on' cut_off
exec 7<&-
unmount mnt

mount_model -o io_uring sample.gguf mnt
kill -s TERM "$(serving)"
ended() {
    wait_until not_mounted mnt && wait_until no_servers
}
verdict 'io_uring: SIGTERM' ended
mount_model -o io_uring sample.gguf mnt
kill -s KILL "$(serving)"
verdict 'io_uring: kill -9' ended
FUSE_URING_ENABLE=1 run sample.gguf mnt
verdict 'rings that only the environment asks for are not had' [ -z "$(ring_threads)" ]
unmount mnt
run -s -o io_uring sample.gguf mnt
verdict 'io_uring: not with -s' gave 2 '' '-o io_uring .*not with -s$'
finish
