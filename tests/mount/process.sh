#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program as a process: when it goes to the background, how it ends, what it leaves
# behind (nothing), and what it says of a mountpoint that will not do.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

sample sample.gguf
mkdir mnt

reads() {
    [ "$(timeout 60 cat "$1/metadata/general.architecture" 2>"$err")" = llama ]
}

# gone DIRECTORY: unmounted, no server left; the directory is as it was.
gone() {
    wait_until not_mounted "$1" && wait_until no_servers
}

cleared() {
    gone "$1" && wait_until [ ! -e "$1" ]
}

# ---- the background

run sample.gguf mnt
usable_at_once() {
    gave 0 '' '' && mounted mnt && reads mnt
}
verdict 'relative paths; the mount is usable when the program returns' usable_at_once
verdict 'one process serves' [ "$(serving | wc -l)" -eq 1 ]
in_background() {
    local pid
    for pid in $(servers); do
        [ "$(readlink "/proc/$pid/cwd")" = / ] || return 1
        [ "$(ps -o tty= -p "$pid" | tr -d ' ')" = '?' ] || return 1
        for fd in 0 1 2; do
            [ "$(readlink "/proc/$pid/fd/$fd")" = /dev/null ] || return 1
        done
    done
}
if [ "$(id -u)" -eq 0 ]; then
    verdict 'in /, without a terminal, with /dev/null for 0 to 2' in_background
else
    skip 'in /, without a terminal' 'only root may look'
fi
verdict 'it is not of the caller'"'"'s session' \
    [ "$(serving | xargs ps -o sid= -p | tr -d ' ')" != "$(ps -o sid= -p $$ | tr -d ' ')" ]

# ---- ends

for signal in TERM INT HUP; do
    mounted mnt || mount_model sample.gguf mnt
    kill -s "$signal" "$(serving)"
    verdict "SIG$signal to the server" gone mnt
    mount_model sample.gguf mnt
    # All of its processes, as a shutdown does it.
    for pid in $(servers); do
        kill -s "$signal" "$pid" 2>/dev/null || true
    done
    verdict "SIG$signal to all" gone mnt
done

mount_model sample.gguf mnt
exec 7<mnt/tensors/blk.0.attn_q.weight
head -c 1000 <&7 >piece
busy() {
    ! take_away mnt 2>"$err" && reads mnt
}
verdict 'unmount while a file is open: refused, and it reads on' busy
take_away -z mnt 2>"$err"
verdict 'lazy unmount while a file is open: it is out of sight' not_mounted mnt
offset=$("$GGUFS" --cat -q sample.gguf info.json | jq '.tensors[2].offset')
cat piece - <&7 >whole 2>"$err" || true
verdict 'lazy unmount while a file is open: that reads on' \
    cmp -i "$offset:0" -n 36864 sample.gguf whole
exec 7<&-
verdict 'and its end is the end of the server' gone mnt

mount_model sample.gguf mnt
exec 7<mnt/tensors/blk.0.attn_q.weight
kill -s TERM "$(serving)"
verdict 'SIGTERM while a file is open' gone mnt
fails_soon() {
    status=0
    timeout 60 cat <&7 >"$out" 2>"$err" || status=$?
    [ "$status" -eq 1 ] && [ -s "$err" ]
}
verdict 'SIGTERM while a file is open: it fails, and does not hang' fails_soon
exec 7<&-

# ---- killed

run sample.gguf
verdict 'without a mountpoint: one named after the model' reads sample
exec 7<sample/tensors/blk.0.attn_q.weight
(
    cd sample
    timeout 100 sh -c 'while cat tensors/sample.i64; do :; done' >/dev/null 2>&1
) &
reader=$!
kill -s KILL "$(serving)"
verdict 'kill -9 of the server: no dead mount is left, and no directory' cleared sample
verdict 'kill -9 of the server: an open file fails' fails_soon
exec 7<&-
status=0
wait "$reader" || status=$?
verdict 'kill -9 of the server: a reader gets an error' [ "$status" -ne 124 ]

mount_model sample.gguf mnt
kill -s KILL "$(serving)"
verdict 'kill -9 of the server: a directory that was there stays' gone mnt
verdict 'kill -9 of the server: and can be mounted on again' mount_model sample.gguf mnt
unmount mnt

# All of them killed: the mount is dead, and the next start says so.
mount_model sample.gguf mnt
for pid in $(servers); do
    kill -s KILL "$pid"
done
wait_until no_servers || true
run -q sample.gguf mnt
verdict 'a dead mount is explained' gave 6 '' '^ggufs: mnt: .*fusermount3 -u mnt$'
take_away -z mnt

# ---- the directory that is made

run sample.gguf
unmount sample
verdict 'a mountpoint that was made is removed at unmount' cleared sample
run sample.gguf
kill -s TERM "$(serving)"
verdict 'a mountpoint that was made is removed after SIGTERM' cleared sample
mkdir sample
run sample.gguf
unmount sample
verdict 'one that was there stays' [ -d sample ]
rmdir sample
mkdir deep
run deep/../sample.gguf
verdict 'it is made here, not beside the model' reads sample
unmount sample

# ---- mountpoints that will not do

# refuses NAME PATTERN ARGUMENT...
refuses() {
    run -q "${@:3}"
    verdict "$1" refused "$2"
}
refused() {
    gave 6 '' "$1" && [ "$(wc -l <"$err")" -eq 1 ] && [ -z "$(mounts)" ] &&
        wait_until no_servers
}
mkdir full
: >full/file
: >file
refuses 'a mountpoint that is missing' '^ggufs: none: no such directory' sample.gguf none
verdict 'and is not made' [ ! -e none ]
refuses 'a mountpoint that is a file' '^ggufs: file: not a directory' sample.gguf file
refuses 'a mountpoint below a file' '^ggufs: file/x: .*Not a directory' sample.gguf file/x
refuses 'a mountpoint that is not empty' '^ggufs: full: not empty \(-o nonempty' \
    sample.gguf full
touch sample
refuses 'a file in the way of the one to make' '^ggufs: sample: not a directory' \
    sample.gguf
verdict 'and stays' [ -f sample ]
rm sample
run -q -o nonempty sample.gguf full
verdict '-o nonempty' reads full
unmount full
verdict 'what was hidden is there again' [ -f full/file ]
mount_model sample.gguf mnt
run -q sample.gguf mnt
verdict 'a model that is mounted there already' \
    gave 6 '' '^ggufs: mnt: a model is mounted here already'
unmount mnt
run -q -o no_such_option sample.gguf mnt
option_refused() {
    [ "$status" -eq 2 ] && matches "$err" 'no_such_option' &&
        [ "$(wc -l <"$err")" -eq 1 ] && [ -z "$(mounts)" ]
}
verdict 'an option that nobody knows' option_refused

# ---- /proc/mounts

odd='a, model\ of "mine".gguf'
cp sample.gguf "$odd"
mount_model "$odd" mnt
line_right() {
    grep -F -e "$work/mnt " /proc/self/mounts >"$out"
    read -r name _ type options _ <"$out"
    printf -v name '%b' "$name"
    [ "$name" = "$odd" ] && [ "$type" = fuse.ggufs ] &&
        for option in ro nosuid nodev noexec default_permissions; do
            case ,$options, in *,$option,*) ;; *) return 1 ;; esac
        done
}
verdict 'the line in /proc/mounts' line_right
reads_odd() {
    reads mnt && [ "$(jq -r .file.name mnt/info.json)" = "$odd" ]
}
verdict 'a name with a comma, spaces, a backslash and quotes' reads_odd
unmount mnt
mkdir 'a, mount\point'
mount_model sample.gguf 'a, mount\point'
verdict 'a mountpoint with a comma, a space and a backslash' reads 'a, mount\point'
unmount 'a, mount\point'

# ---- the foreground

# ends STATUS: the program in the foreground does, with that status.
ends() {
    if wait_until ended; then
        status=0
        wait "$program" || status=$?
        [ "$status" -eq "$1" ]
    else
        kill -s KILL "$program"
        return 1
    fi
}
ended() {
    ! kill -0 "$program" 2>/dev/null
}

for option in -f '-f -s' -d; do
    # shellcheck disable=SC2086
    "$GGUFS" -q $option sample.gguf mnt >"$out" 2>"$err" </dev/null &
    program=$!
    verdict "$option: mounts" wait_until reads mnt
    verdict "$option: stays" kill -0 "$program"
    # A shell has its jobs ignore SIGINT.
    kill -s TERM "$program"
    verdict "$option: a signal ends it, with status 0" ends 0
    verdict "$option: nothing is left" gone mnt
done
"$GGUFS" -q -f sample.gguf mnt >"$out" 2>"$err" </dev/null &
program=$!
wait_until reads mnt || true
take_away mnt
verdict '-f: unmounting ends it, with status 0' ends 0
"$GGUFS" -q -f sample.gguf mnt >"$out" 2>"$err" </dev/null &
program=$!
wait_until reads mnt || true
kill -s KILL "$(serving)"
verdict '-f: a killed server is a system error' ends 1
verdict '-f: and is told of' matches "$err" '^ggufs: .*killed by signal 9'
mount_model -s sample.gguf mnt
verdict '-s: reads' reads mnt
one_thread() {
    [ "$(find "/proc/$(serving)/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
}
verdict '-s: one thread' one_thread
unmount mnt

# ---- descriptors 0 to 2 are closed

"$GGUFS" -q sample.gguf mnt <&- >&- 2>&- || status=$?
verdict 'descriptors 0 to 2 closed at the start: mounts' reads mnt
whole_model() {
    cmp sample.gguf mnt/model.gguf
}
verdict 'descriptors 0 to 2 closed at the start: reads' whole_model
unmount mnt
status=0
"$GGUFS" -q none.gguf mnt <&- >&- 2>&- || status=$?
verdict 'descriptors 0 to 2 closed at the start: fails as ever' [ "$status" -eq 1 ]

# ---- descriptors that the caller passes on

exec 9>lock
flock 9
"$GGUFS" -q sample.gguf mnt
exec 9>&-
verdict 'what the caller had open is not held: a lock' flock -n lock true
verdict 'what the caller had open is not held: the mount reads' reads mnt
unmount mnt
rm lock

# ---- again and again

before=$(find . | sort)
fifty() {
    local i
    for ((i = 0; i < 50; i++)); do
        run -q sample.gguf
        [ "$status" -eq 0 ] && reads sample || return 1
        unmount sample && cleared sample || return 1
    done
}
verdict 'fifty mounts' fifty
verdict 'nothing is left behind' [ "$(find . | sort)" = "$before" ]
finish
