#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One mount under load, while others come and go: nothing differs, and at the end the server has
# as many descriptors and threads and as much memory as before. Then a million random reads
# (fewer in the short run), and a server that is killed under its readers.
#
#   stress.sh LOAD CHECK_READS [SECONDS [READS]]
#
# scripts/stress runs it for minutes.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

load=$1 check_reads=$2 seconds=${3:-6} reads=${4:-20000}
readers=4
# A sanitizer that keeps what is freed, to see it used again, would look like a leak.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64
export TSAN_OPTIONS=${TSAN_OPTIONS-}:history_size=2

sample sample.gguf
mkdir mnt guest

# ---- what is known

mount_model sample.gguf mnt
tensor_table mnt sample.gguf >tensors
"$GGUFS" --ls -q sample.gguf | sed -n 's/^f\t[0-9]*\t//p' >files
mkdir copy
while IFS= read -r file; do
    mkdir -p "copy/$(dirname "$file")"
    "$GGUFS" --cat -q sample.gguf "$file" >"copy/$file" 2>"$err" || bail "--cat $file"
done <files
cp tensors table
printf 'sample.gguf\t0\t%s\t%s\n' "$(stat -c %s sample.gguf)" mnt/model.gguf >>table
while IFS= read -r file; do
    case $file in tensors/* | *%* | model.gguf) continue ;; esac
    printf 'copy/%s\t0\t%s\tmnt/%s\n' "$file" "$(stat -c %s "copy/$file")" "$file"
done <files >>table
unmount mnt

# ---- measures of the server

descriptors() {
    find "/proc/$server/fd" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l
}

threads() {
    find "/proc/$server/task" -mindepth 1 -maxdepth 1 | wc -l
}

memory() {
    sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$server/status"
}

# The kernel lets go of files a moment after they are closed.
settled() {
    [ "$(descriptors)" -le "$descriptors" ]
}

# start: one mount in the foreground, so that what a sanitizer says is seen.
start() {
    "$GGUFS" -f -q sample.gguf mnt >"$work/said" 2>&1 </dev/null &
    program=$!
    wait_until [ -e mnt/info.json ] || bail 'no mount'
    server=$(serving mnt)
}

# ---- the load

# put_load SECONDS [READERS]
put_load() {
    status=0
    "$load" mnt table "${2-$readers}" "$1" >"$out" 2>"$err" || status=$?
}

compare_all() {
    while [ ! -e stop ]; do
        find copy -type f -printf '%P\0' | xargs -0 -I '{}' cmp -- 'copy/{}' 'mnt/{}' || exit 1
    done >differing 2>&1
}

# Every other one without the sandbox, where a leak check can run at the end.
come_and_go() {
    local n=0 options
    while [ ! -e stop ]; do
        options=()
        ((n % 2)) || options=(-o no_sandbox)
        "$GGUFS" -f -q "${options[@]}" sample.gguf guest >>guests 2>&1 </dev/null &
        guest=$!
        wait_until [ -e guest/info.json ] || exit 1
        cmp guest/model.gguf sample.gguf || exit 1
        take_away guest || exit 1
        wait "$guest" || exit 1
        n=$((n + 1))
        echo "$n" >guests_gone
    done
}

random_by_fio() {
    [ -z "$fio" ] || fio --name=load --filename=mnt/model.gguf --readonly --rw=randread --bs=512-64k \
        --numjobs=2 --invalidate=1 --time_based --runtime="$1" --size="$(stat -c %s sample.gguf)" \
        --thread --output=fio.txt >/dev/null 2>&1
}

fio=
! command -v fio >/dev/null || fio=1

start
idle=$(descriptors)
put_load 2 16
verdict 'warmed up' [ "$status" -eq 0 ]
descriptors=$idle
wait_until settled || true
at_start="$(descriptors) $(threads)" memory_start=$(memory)

(compare_all) &
comparing=$!
(come_and_go 2>"$work/guest_errors") &
guests=$!
(random_by_fio "$seconds") &
random=$!
put_load $((seconds / 2))
first=$(tail -n 1 "$out") worst=$status memory_middle=$(memory)
put_load $((seconds - seconds / 2))
worst=$((worst > status ? worst : status))
verdict "$readers readers at random: nothing differs, nothing fails" \
    [ "$worst" -eq 0 ]
total=$((first + $(tail -n 1 "$out")))
touch stop
ends_well() {
    wait "$1"
}
verdict 'meanwhile find and cmp: nothing differs' ends_well "$comparing"
verdict 'meanwhile other mounts came and went' ends_well "$guests"
if [ -n "$fio" ]; then
    verdict 'meanwhile fio: no error' ends_well "$random"
else
    skip 'meanwhile fio' 'it is not installed'
fi

wait_until settled || true
at_end="$(descriptors) $(threads)" memory_end=$(memory)
echo "# operations: $total, other mounts: $(cat guests_gone)"
echo "# descriptors and threads: $at_start at the start, $at_end at the end"
echo "# memory in KiB: $memory_start, $memory_middle, $memory_end"
if [ "$(id -u)" -eq 0 ]; then
    verdict 'as many descriptors as before' [ "${at_end% *}" -le "$idle" ]
else
    skip 'as many descriptors as before' 'only root may look'
fi
# libfuse has up to twelve, and keeps them; a sanitizer has one of its own.
verdict 'no more threads than before' \
    [ "${at_end#* }" -le $((${at_start#* } > 13 ? ${at_start#* } : 13)) ]
# What each thread keeps for itself comes once: 2 MiB a thread, and a tenth.
verdict 'no more memory than before' \
    [ "$memory_end" -le $((memory_start + memory_start / 10 + 20480)) ]
# In a run of minutes all that has happened by half-way.
if [ "$seconds" -ge 60 ]; then
    verdict 'no more memory than half-way' \
        [ "$memory_end" -le $((memory_middle + memory_middle / 20 + 4096)) ]
fi

# ---- random reads, each compared, in every way that programs read

rounds=$((reads / $(wc -l <table) / 2 + 1))
reads_right() {
    timeout 3000 "$check_reads" table 2 "$rounds" >"$out" 2>"$err"
}
verdict "$((rounds * 2 * $(wc -l <table))) random reads: nothing differs" reads_right

take_away mnt
status=0
wait "$program" || status=$?
verdict 'it ends with status 0' [ "$status" -eq 0 ]
silent() {
    cp "$1" "$err" && [ ! -s "$1" ]
}
verdict 'and said nothing' silent said
verdict 'nor did the others' silent guests

# ---- killed under its readers

start
timeout 120 "$load" mnt table "$readers" 100 >"$out" 2>"$err" &
loading=$!
sleep 1
kill -s KILL "$server"
status=0
wait "$loading" || status=$?
verdict 'kill -9 under load: every reader gets an error, none hangs' [ "$status" -eq 3 ]
wait "$program" || true
verdict 'kill -9 under load: no mount is left' not_mounted mnt
finish
