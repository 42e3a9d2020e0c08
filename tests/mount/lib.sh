# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests that mount: what tests/cli/lib.sh gives, and mounts whose every process and
# directory is gone at the end, whatever happens. The program runs under a name in the
# test's own directory, so that its servers are told from those of other tests by their
# command lines.

here=$(cd "$(dirname "$0")" && pwd)

# cannot_mount: says why nothing can be mounted here; fails where something can.
cannot_mount() {
    if ! [ -c /dev/fuse ] || ! : 2>/dev/null <>/dev/fuse; then
        echo 'no /dev/fuse to open'
    elif [ "$(id -u)" -eq 0 ]; then
        # CAP_SYS_ADMIN is bit 21 of the effective capabilities.
        local caps
        caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
        (((0x$caps >> 21 & 1) == 0)) && echo 'root without CAP_SYS_ADMIN'
    else
        ! command -v fusermount3 >/dev/null && echo 'no fusermount3'
    fi
}

if reason=$(cannot_mount); then
    echo "1..0 # SKIP $reason"
    exit 0
fi

# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"

ln -s "$GGUFS" "$work/.ggufs"
GGUFS=$work/.ggufs
# shellcheck disable=SC2034 # it is for the tests
shared=${GGUFS_SHARED:-/nowhere}

# wait_until CONDITION...: until the command CONDITION succeeds; fails after a minute.
wait_until() {
    local i
    for ((i = 0; i < 1200; i++)); do
        "$@" && return
        sleep 0.05
    done
    return 1
}

# names MOUNT: its entries in one line.
names() {
    (cd "$1" && find . -mindepth 1 -maxdepth 1 -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ')
}

# shows MOUNT NAMES: it has just these.
shows() {
    status=0
    names "$1" >"$out" 2>"$err" || status=$?
    [ "$(cat "$out")" = "$2" ]
}

# servers [WORD]: the processes of this test's program (with WORD among their arguments).
servers() {
    local command words
    for command in /proc/[0-9]*/cmdline; do
        words=()
        { mapfile -d '' -t words <"$command"; } 2>/dev/null || true
        [ "${words[0]-}" = "$GGUFS" ] || continue
        [ $# -eq 0 ] || in_list "$1" "${words[@]}" || continue
        command=${command#/proc/}
        echo "${command%/cmdline}"
    done
}

in_list() {
    local wanted=$1 word
    shift
    for word; do
        [ "$word" != "$wanted" ] || return 0
    done
    return 1
}

no_servers() {
    [ -z "$(servers "$@")" ]
}

# serving [WORD]: those of them that answer the kernel. Only root may see who has the channel
# open; for others it is the child of the one that keeps the mount.
serving() {
    local pid parent
    for pid in $(servers "$@"); do
        if [ "$(id -u)" -eq 0 ]; then
            find "/proc/$pid/fd" -lname /dev/fuse 2>/dev/null | grep -q . && echo "$pid"
        else
            parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
            servers | grep -qxF -e "$parent" && echo "$pid"
        fi
    done || true
}

# mounts: the mountpoints below this test's directory.
mounts() {
    local where
    while read -r _ where _; do
        printf -v where '%b' "$where"
        case $where in "$work"/*) printf '%s\n' "$where" ;; esac
    done </proc/self/mounts
}

# mounted DIRECTORY: whether something is mounted there, dead or alive.
mounted() {
    mounts | grep -qxF -e "$(absolute "$1")"
}

not_mounted() {
    ! mounted "$1"
}

absolute() {
    case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s/%s' "$PWD" "$1" ;;
    esac
}

bail() {
    echo "Bail out! $1"
    sed 's/^/# err: /' "$err"
    exit 1
}

# mount_model ARGUMENT...: mounts; the last argument is the mountpoint, made where it is
# missing.
mount_model() {
    mkdir -p "${!#}"
    run -q "$@"
    [ "$status" -eq 0 ] || bail "status $status: ggufs $*"
}

# take_away [-z] DIRECTORY: what fusermount3 -u does (-z: also while it is busy).
take_away() {
    if [ "$(id -u)" -eq 0 ] && [ "$1" = -z ]; then
        umount -l "$2"
    elif [ "$(id -u)" -eq 0 ]; then
        umount "$1"
    else
        fusermount3 -u "$@"
    fi
}

# unmount DIRECTORY...: and waits for the servers to be gone.
unmount() {
    local where
    for where; do
        take_away "$where" 2>"$err" || return
        wait_until no_servers "$where" || return
    done
}

clean_up() {
    local where pid
    trap '' INT TERM HUP
    cd /
    for pid in $(jobs -p); do
        kill -9 "$pid" 2>/dev/null || true
    done
    mounts | tac | while IFS= read -r where; do
        take_away -z "$where" 2>/dev/null || true
    done
    for pid in $(servers); do
        kill "$pid" 2>/dev/null || true
    done
    wait_until no_servers || for pid in $(servers); do
        kill -9 "$pid" 2>/dev/null || true
    done
    chmod -R u+rwX "$work" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# sample FILE: the sample model, with times and rights that do not depend on who makes it.
sample() {
    "$GGUFS_SAMPLE" "$1"
    chmod 644 "$1"
    touch -d '2001-02-03 04:05:06.123456789 UTC' "$1"
}

# tensor_table MOUNT FILE: a line a tensor, for check_reads: the file that has its bytes,
# where, how many, and the file in the mount that shows them.
tensor_table() {
    jq -r --arg mount "$1" --arg file "$2" \
        '.tensors[] | [$file, .offset, .size, $mount + "/" + .path] |
            map(tostring) | join("\t")' \
        "$1/info.json"
}

# as_nobody COMMAND...: as a user with no rights of root's. Only for root.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

can_be_nobody() {
    [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && as_nobody true 2>/dev/null
}
