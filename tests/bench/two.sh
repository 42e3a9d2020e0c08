# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Two readers at once, against one after the other; and the same of two null filesystems, which
# says what the cores allow: a reader and its server are two processes already.

file=$(model two 2 0 "$((big_bytes / 2))")
enter "$file" "$mnt"
ours_one=$mnt/tensors/blk.0.ffn_down.weight ours_two=$mnt/tensors/blk.1.ffn_down.weight
length=$(stat -c %s "$ours_two")
mnt3=$bench_dir/mnt3
mkdir -p "$mnt3"

read_both() {
    "$reader" stream "$1" 0 "$length" 131072 >/dev/null &
    local first=$!
    "$reader" stream "$2" 0 "$length" 131072 >/dev/null
    wait "$first"
}
read_each() {
    "$reader" stream "$1" 0 "$length" 131072 >/dev/null
    "$reader" stream "$2" 0 "$length" 131072 >/dev/null
}
ours() { file_warm "$file"; enter "$file" "$mnt"; seconds "$1" "$ours_one" "$ours_two"; }
null() {
    enter_null "$mnt2" "$length"
    enter_null "$mnt3" "$length"
    seconds "$1" "$mnt2/data" "$mnt3/data"
    leave "$mnt2"
    leave "$mnt3"
}
pair 'two readers at once, 128 KiB, file cached' 'one after the other' 1.6 'ours read_each' 'ours read_both'
pair 'two readers of two null filesystems' 'one after the other' '' 'null read_each' 'null read_both'
leave "$mnt"
