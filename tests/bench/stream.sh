# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Streaming one big tensor, against the same range of the model's file with the same reader.

file=$(big_model)
enter "$file" "$mnt"
tensor=tensors/blk.0.ffn_down.weight
offset=$(getfattr --absolute-names --only-values -n user.gguf.offset "$mnt/$tensor")
length=$(stat -c %s "$mnt/$tensor")

# ours MODE BLOCK [OPTION]...: a fresh mount over a file that is cached.
fresh() {
    local mode=$1 block=$2
    shift 2
    file_warm "$file"
    enter "$file" "$mnt" "$@"
    "$reader" "$mode" "$mnt/$tensor" 0 "$length" "$block"
}
again() { "$reader" stream "$mnt/$tensor" 0 "$length" "$1"; }
cold() { leave "$mnt"; file_cold "$file"; enter "$file" "$mnt"; again "$1"; }
raw() { file_warm "$file"; "$reader" stream "$file" "$offset" "$length" "$1"; }
raw_cold() { leave "$mnt"; file_cold "$file"; "$reader" stream "$file" "$offset" "$length" "$1"; }

pair 'stream 128 KiB, file cached' 'file' 0.40 'raw 131072' 'fresh stream 131072'
pair 'stream 1 MiB, file cached' 'file' '' 'raw 1048576' 'fresh stream 1048576'
pair 'stream 128 KiB direct, file cached' 'file' 0.65 'raw 131072' 'fresh direct 131072'
pair 'stream 1 MiB direct, file cached' 'file' 0.95 'raw 1048576' 'fresh direct 1048576'
enter "$file" "$mnt"
again 1048576 >/dev/null
pair 'stream 128 KiB, mount cached' 'file' 0.90 'raw 131072' 'again 131072'
pair 'stream 1 MiB, mount cached' 'file' 0.90 'raw 1048576' 'again 1048576'
pair 'stream 1 MiB, disk cold' 'file' 0.95 'raw_cold 1048576' 'cold 1048576'
map_raw() { "$reader" mmap "$file" "$offset" "$length"; }
map_fresh() { enter "$file" "$mnt"; "$reader" mmap "$mnt/$tensor" 0 "$length"; }
file_warm "$file"
pair 'mmap, one pass, file cached' 'file' '' 'map_raw' 'map_fresh'
leave "$mnt"
