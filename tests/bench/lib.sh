# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# What the groups of scripts/bench share: files, mounts, states of the caches, pairs, the table.

bench_set_up() {
    local built=build-bench
    build "$built" --buildtype=release >/dev/null 2>&1
    ggufs=$PWD/$built/src/ggufs
    reader=$PWD/$built/tests/bench/bench_read
    make_model=$PWD/$built/tests/bench/bench_model
    null_fs=$PWD/$built/tests/bench/null_fs
    if [ -n "${GGUFS_BENCH_DIR:-}" ]; then
        bench_dir=$GGUFS_BENCH_DIR bench_own=0
        mkdir -p "$bench_dir"
    else
        bench_dir=$(mktemp -d "${TMPDIR:-/tmp}/ggufs-bench.XXXXXX") bench_own=1
    fi
    mnt=$bench_dir/mnt mnt2=$bench_dir/mnt2 rows=$bench_dir/rows.jsonl
    mkdir -p "$mnt" "$mnt2"
    : >"$rows"
    big_bytes=$((2 << 30))
    [ "$quick" = 0 ] || big_bytes=$((64 << 20))
    pids=()
}

bench_clean_up() {
    local pid
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    leave "$mnt"
    leave "$mnt2"
    [ "$bench_own" = 0 ] || rm -rf "$bench_dir"
}

# model NAME TENSORS TOKENS BYTES: makes it once, prints its path.
model() {
    local path=$bench_dir/$1.gguf
    [ -e "$path" ] || "$make_model" "$path" "$2" "$3" "$4" >&2
    echo "$path"
}

big_model() { model big 9 32000 "$big_bytes"; }

# -- mounts --

leave() { ! mountpoint -q "$1" || fusermount3 -u "$1" 2>/dev/null || umount -l "$1"; }

# enter MODEL MOUNTPOINT [OPTION]...: a mount whose caches are empty.
enter() {
    local file=$1 dir=$2
    shift 2
    leave "$dir"
    "$ggufs" -q "$@" "$file" "$dir"
}

wait_for_mount() {
    local i
    for i in $(seq 100); do
        mountpoint -q "$1" && return 0
        sleep 0.05
    done
    echo "$1 does not come up" >&2
    return 1
}

# enter_null MOUNTPOINT SIZE: a null filesystem with a file of so many bytes, which the kernel
# reads ahead as far as it does in a mount of ours.
enter_null() {
    local ahead
    leave "$1"
    "$null_fs" "$1" "$2" >/dev/null &
    pids+=($!)
    wait_for_mount "$1"
    ahead=/sys/class/bdi/$(mountpoint -d "$1")/read_ahead_kb
    [ ! -w "$ahead" ] || echo 4096 >"$ahead"
}

# -- states of the caches --

file_warm() { "$reader" warm "$1" 0 "$(stat -Lc %s "$1")" 1048576; }
file_cold() { "$reader" drop "$1"; [ ! -w /proc/sys/vm/drop_caches ] || echo 1 >/proc/sys/vm/drop_caches; }

# -- reading the big model --

# The tensor that has half of the big model: $file, $tensor in the mount, its $length.
use_big_tensor() {
    file=$(big_model)
    tensor=$mnt/tensors/blk.0.ffn_down.weight
    enter "$file" "$mnt"
    length=$(stat -c %s "$tensor")
}

# read_first MODE [ARGUMENT]...: all of it, over a file that is cached and a mount that is not.
# With $mount_option the mount has that option.
read_first() {
    local mode=$1
    shift
    file_warm "$file"
    enter "$file" "$mnt" -o "${mount_option:-ro}"
    "$reader" "$mode" "$tensor" 0 "$length" "$@"
}
read_again() { "$reader" stream "$tensor" 0 "$length" "$1"; }
read_cold() { leave "$mnt"; file_cold "$file"; enter "$file" "$mnt"; read_again "$1"; }

# -- measuring --

# seconds COMMAND...: how long it takes; its output goes nowhere.
seconds() {
    local start=$EPOCHREALTIME
    "$@" >/dev/null
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", b - a }'
}

bench_header() {
    printf '%-54s %-19s %10s %10s %7s %15s %7s\n' measurement yardstick yardstick ggufs ratio \
        '(least - most)' target
}

# pair NAME YARDSTICK TARGET YARD OURS: the last two are commands that print seconds.
pair() {
    local label=$1 yardstick=$2 target=$3 yard=$4 ours=$5 i times=$bench_dir/times
    : >"$times"
    for i in $(seq "$pairs"); do
        if [ $((i % 2)) = 1 ]; then
            local y o
            y=$(eval "$yard") o=$(eval "$ours")
        else
            o=$(eval "$ours") y=$(eval "$yard")
        fi
        echo "$y $o" >>"$times"
    done
    bench_row "$label" "$yardstick" "$target" <"$times"
}

# Medians of lines "yardstick ggufs", as a row of the table and a line of JSON.
bench_row() {
    awk -v name="$1" -v yardstick="$2" -v target="$3" -v rows="$rows" '
        function median(values, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
                    t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
                }
            return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
        }
        { n++; y[n] = $1; o[n] = $2; r[n] = $2 > 0 ? $1 / $2 : 0 }
        END {
            ym = median(y, n); om = median(o, n); rm = median(r, n)
            printf "%-54s %-19s %9.4fs %9.4fs %7.2f %15s %7s\n", name, yardstick, ym, om, rm,
                sprintf("(%.2f - %.2f)", r[1], r[n]), target
            printf "{\"name\":\"%s\",\"yardstick\":\"%s\",\"target\":\"%s\",\"pairs\":%d," \
                "\"yardstick_s\":%.6f,\"ggufs_s\":%.6f,\"ratio\":%.4f,\"least\":%.4f,\"most\":%.4f}\n",
                name, yardstick, target, n, ym, om, rm, r[1], r[n] >>rows
        }'
}

# figure NAME TARGET VALUE: something that has no yardstick.
figure() {
    printf '%-54s %-19s %10s %10s %7s %15s %7s\n' "$1" '' '' "$3" '' '' "$2"
    printf '{"name":"%s","target":"%s","value":"%s"}\n' "$1" "$2" "$3" >>"$rows"
}

bench_finish() {
    echo "$(uname -sr), $(nproc) cores, libfuse $(pkg-config --modversion fuse3), $(date +%F)," \
        "load $(cut -d' ' -f1 /proc/loadavg), $pairs pairs"
    [ -z "$json" ] || { echo '['; paste -sd, "$rows"; echo ']'; } >"$json"
    [ "$record" = 0 ] || bench_record
}

# The history: date, commit, measurement, ratio (or value).
bench_record() {
    local history=tests/bench/history.tsv
    [ -e "$history" ] || printf 'date\tcommit\tmeasurement\tyardstick\tratio\tleast\tmost\n' >"$history"
    jq -r --arg date "$(date +%F)" --arg commit "$(git rev-parse --short HEAD)" \
        '[$date, $commit, .name, .yardstick // "", (.ratio // .value), .least // "", .most // ""] | @tsv' \
        "$rows" >>"$history"
}
