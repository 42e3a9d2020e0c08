#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the program has given up while it reads a stranger's file, seen from outside (/proc) and
# tried from inside (probe.c, preloaded), and that it goes on with a word where the kernel lacks
# a part of it (without.c plays such a kernel).
#
#   sandbox.sh PROBE WITHOUT

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

probe=$1 without=$2
sample sample.gguf
mkdir mnt models
cp -p sample.gguf models/one.gguf
cp -p sample.gguf models/two.gguf

# says PID FIELD: what the kernel knows of a process.
says() {
    sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

limit_of_core() {
    sed -n 's/^Max core file size *\([^ ]*\) .*/\1/p' "/proc/$1/limits"
}

# every_thread FIELD VALUE
every_thread() {
    local status
    for status in "/proc/$(serving)"/task/*/status; do
        [ "$(sed -n "s/^$1:[[:space:]]*//p" "$status")" = "$2" ] || return 1
    done
}

# ---- from outside

run sample.gguf mnt
warned=$(sed -n 's/^ggufs: warning: sandbox: //p' "$err")
complete=
[ -n "$warned" ] || complete=1
if [ -z "$complete" ]; then
    skip 'no new privileges, a filter' "this kernel or build lacks a layer: $warned"
else
    cat mnt/tensors/* >"$out"
    verdict 'every thread: no new privileges' every_thread NoNewPrivs 1
    verdict 'every thread: a seccomp filter' every_thread Seccomp 2
fi
verdict 'every thread: no effective capability' every_thread CapEff 0000000000000000
verdict 'every thread: no permitted capability' every_thread CapPrm 0000000000000000
verdict 'no core file' [ "$(limit_of_core "$(serving)")" = 0 ]
unmount mnt

# A sanitizer limits cores by itself, if it is let.
ASAN_OPTIONS=${ASAN_OPTIONS-}:disable_coredump=0 run -o no_sandbox sample.gguf mnt
off() {
    gave 0 '' '' && [ "$(says "$(serving)" NoNewPrivs)" = "$(says $$ NoNewPrivs)" ] &&
        [ "$(says "$(serving)" Seccomp)" = "$(says $$ Seccomp)" ] &&
        [ "$(says "$(serving)" CapEff)" = "$(says $$ CapEff)" ] &&
        [ "$(limit_of_core "$(serving)")" = "$(limit_of_core $$)" ]
}
verdict '-o no_sandbox: nothing is given up' off
unmount mnt

# ---- from inside

can_probe() {
    ldd "$GGUFS" 2>/dev/null | grep -q libggufs || echo 'libggufs is not a shared library here'
}

# probed ARGUMENT...: runs the program (within `wrap`) with the probe, which writes to `found`.
wrap=()
probed() {
    : >found
    status=0
    ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 GGUFS_PROBE=$work/found \
        GGUFS_PROBE_FILE=$work/sample.gguf LD_PRELOAD=$probe \
        "${wrap[@]}" "$GGUFS" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

# ask: the server tries everything now.
ask() {
    kill -s USR1 "$(serving)"
    wait_until ended serving || true
}

ended() {
    grep -qE "^$1: (done|sanitized): " found
}

results() {
    sed -n "s/^$1: //p" found | grep -vE '^(done|sanitized): '
}

# all_refused WHEN [BUT]: everything, but what matches BUT, which works.
all_refused() {
    cp found "$out"
    ended "$1" || return 1
    results "$1" | grep -vE -e "^(${2:-})\$" >refused || return 1
    ! grep -v ': refused$' refused &&
        if [ -n "${2-}" ]; then results "$1" | grep -E -e "^($2)\$" | all_work; fi
}

all_work() {
    ! grep -v ': works$'
}

works() {
    cp found "$out"
    grep -qxF -e "$1: works" found
}

sanitized() {
    grep -q ': sanitized: ' found
}

reads() {
    [ "$(timeout 60 cat "$1/metadata/general.architecture")" = llama ]
}

if reason=$(can_probe) && [ -n "$reason" ]; then
    skip 'tried from inside' "$reason"
    finish
    exit
fi

probed -q -o no_sandbox sample.gguf mnt
ask
verdict '-o no_sandbox: opens files' works 'serving: open the file'
verdict '-o no_sandbox: opens other files' works 'serving: open another file'
verdict '-o no_sandbox: has sockets' works 'serving: a UNIX socket'
verdict '-o no_sandbox: runs programs' works 'serving: run a program'
verdict '-o no_sandbox: signals' works 'serving: signal the parent'
verdict '-o no_sandbox: has memory that is code' works 'serving: memory that is code'
unmount mnt

if [ -z "$complete" ]; then
    skip 'everything is refused' "this kernel or build lacks a layer: $warned"
    finish
    exit
fi

probed -q sample.gguf mnt
ask
verdict 'one model: everything is refused' all_refused serving
verdict 'one model: and it serves on' reads mnt
unmount mnt
probed -q -s sample.gguf mnt
ask
verdict 'one thread: everything is refused' all_refused serving
unmount mnt
mkdir -p many
probed -q models many
reads many/one
verdict 'many models: one is opened by the server in its sandbox' reads many/two
ask
verdict 'many models: everything else is refused' all_refused serving
unmount many

# A file below the folder can be read, and that is all.
mv sample.gguf models/sample.gguf
ln -s models/sample.gguf sample.gguf
probed -q models many
ask
verdict 'many models: those below the folder can be opened, to read' \
    all_refused serving 'open the file: works'
unmount many
rm sample.gguf
mv models/sample.gguf sample.gguf

reads_only='(open the file|open another file): works'
for mode in '--check sample.gguf' '--ls sample.gguf' '--cat sample.gguf info.json' \
    '--diff sample.gguf sample.gguf'; do
    # shellcheck disable=SC2086
    probed $mode
    fine() {
        [ "$status" -eq 0 ] && matches "$err" '' && all_refused opening "$reads_only"
    }
    verdict "$mode: when it parses it can read, and nothing else" fine
    # shellcheck disable=SC2086
    probed -o no_sandbox $mode
    verdict "$mode, -o no_sandbox: it can" works 'opening: run a program'
done

# ---- kernels that lack something

if [ "$(id -u)" -ne 0 ] || ! "$without" landlock -- /bin/true 2>/dev/null; then
    skip 'kernels that lack a layer' 'only root may play them'
    finish
    exit
fi

warnings() {
    sed -n 's/^ggufs: warning: sandbox: \([^:]*\): .*/\1/p' "$err"
}

# lacks NAME THING WARNINGS STILL [MOUNTLESS]: without THING it mounts, reads, says so once in
# each of the WARNINGS (MOUNTLESS, where nothing is mounted), and still refuses STILL.
lacks() {
    local name=$1 thing=$2 expected=$3 still=$4 mountless=${5-$3} mode
    wrap=("$without" "$thing" --)
    probed sample.gguf mnt
    warned_once() {
        [ "$status" -eq 0 ] && [ "$(warnings)" = "$expected" ] && reads mnt
    }
    verdict "$name: one warning a layer, and it mounts" warned_once
    ask
    still_refused() {
        cp found "$out"
        [ "$(results serving | grep -cE -e "^($still): refused\$")" -eq \
            "$(results serving | grep -cE -e "^($still): ")" ]
    }
    verdict "$name: what the other layers refuse is refused" still_refused
    unmount mnt
    for mode in '--check sample.gguf' '--cat sample.gguf metadata/general.name'; do
        # shellcheck disable=SC2086
        run_without "$thing" $mode
        quiet_result() {
            [ "$status" -eq 0 ] && [ "$(warnings)" = "$mountless" ] && [ -s "$out" ]
        }
        verdict "$name: $mode: one warning a layer, and it goes on" quiet_result
    done
    wrap=()
}

run_without() {
    local thing=$1
    shift
    status=0
    "$without" "$thing" -- "$GGUFS" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

privileges='new privileges are not ruled out'
dumps='core dumps are not ruled out'
files='files and network are not closed off by Landlock'
calls='system calls are not filtered by seccomp'
by_filter='a TCP socket|a UNIX socket|run a program|fork|mount|signal the parent|memory that is code'
by_landlock='open the file|open another file|write to the file|create a file|run a program'
lacks 'no Landlock' landlock "$files" "$by_filter"
lacks 'no seccomp' seccomp "$calls" "$by_landlock"
lacks 'dumps cannot be ruled out' dumpable "$dumps" "$by_filter|$by_landlock"
# Landlock asks for no_new_privs or for root's rights, which only the server gives up.
lacks 'no no_new_privs' no_new_privs "$privileges
$files
$calls" 'be dumped' "$privileges
$calls"
mkdir -p mnt
run_without landlock -q sample.gguf mnt
verdict '-q: no word of it' gave 0 '' ''
unmount mnt
run_without landlock -o no_sandbox sample.gguf mnt
verdict '-o no_sandbox: no word of it' gave 0 '' ''
unmount mnt
finish
