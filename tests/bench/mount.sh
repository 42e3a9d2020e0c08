# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# From the command to a usable mount, and what the serving process takes.

mount_once() { leave "$mnt"; seconds "$ggufs" -q "$1" "$mnt"; }
mount_median() {
    local i
    for i in $(seq $((2 * pairs + 1))); do mount_once "$1"; done | sort -n | sed -n "$((pairs + 1))p"
}
milliseconds() { awk -v s="$1" 'BEGIN { printf "%.1f ms", 1000 * s }'; }
# The most memory that a process of this mount ever had.
peak() {
    local pid
    for pid in $(pgrep -x ggufs); do
        tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qF "$mnt" && awk '/VmHWM/ { print $2 }' "/proc/$pid/status"
    done | sort -n | tail -1
}

vocabulary=$(model vocabulary 1000 256000 4096000)
figure 'mount, 1,000 tensors, 256k tokens' '20 ms' "$(milliseconds "$(mount_median "$vocabulary")")"
for n in 1000 10000 100000 1000000; do
    [ "$quick" = 0 ] || [ "$n" -le 10000 ] || continue
    file=$(model "tensors-$n" "$n" 0 0)
    target=''
    [ "$n" != 1000000 ] || target='600 ms'
    figure "mount, $n tensors" "$target" "$(milliseconds "$(mount_median "$file")")"
    head_kib=$(($(stat -c %s "$file") / 1024))
    figure "memory, $n tensors (file $head_kib KiB)" "" "$(peak) KiB"
done
leave "$mnt"
