# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Random 4 KiB reads, against a null filesystem of the same libfuse: what a request costs.

file=$(big_model)
name=blk.0.ffn_down.weight
enter "$file" "$mnt"
length=$(stat -c %s "$mnt/tensors/$name")
reads=20000

null_read() {
    enter_null "$mnt2" "$length"
    "$reader" random "$mnt2/data" 0 "$length" 4096 "$reads" "$1"
    leave "$mnt2"
}
ours_read() {
    file_warm "$file"
    enter "$file" "$mnt"
    "$reader" random "$mnt/tensors/$name" 0 "$length" 4096 "$reads" "$1"
}

pair 'random 4 KiB, 1 reader, file cached' 'null filesystem' 0.85 'null_read 1' 'ours_read 1'
pair 'random 4 KiB, 4 readers, file cached' 'null filesystem' 0.85 'null_read 4' 'ours_read 4'
leave "$mnt"
