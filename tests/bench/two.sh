# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Two readers on two tensors at once, against the two read one after the other.

file=$(model two 2 0 "$((big_bytes / 2))")
enter "$file" "$mnt"
one=$mnt/tensors/blk.0.ffn_down.weight two=$mnt/tensors/blk.1.ffn_down.weight
length=$(stat -c %s "$two")

fresh() { file_warm "$file"; enter "$file" "$mnt"; }
read_both() {
    "$reader" stream "$one" 0 "$length" 131072 >/dev/null &
    local first=$!
    "$reader" stream "$two" 0 "$length" 131072 >/dev/null
    wait "$first"
}
read_each() {
    "$reader" stream "$one" 0 "$length" 131072 >/dev/null
    "$reader" stream "$two" 0 "$length" 131072 >/dev/null
}
in_turn() { fresh; seconds read_each; }
at_once() { fresh; seconds read_both; }
pair 'two readers at once, 128 KiB, file cached' 'one after the other' 1.6 in_turn at_once
leave "$mnt"
