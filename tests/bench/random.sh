# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Random 4 KiB reads, against a null filesystem of the same libfuse: what a request costs.

use_big_tensor
reads=20000

null_read() {
    enter_null "$mnt2" "$length"
    "$reader" random "$mnt2/data" 0 "$length" 4096 "$reads" "$1"
    leave "$mnt2"
}

pair 'random 4 KiB, 1 reader, file cached' 'null filesystem' 0.85 'null_read 1' "read_first random 4096 $reads 1"
pair 'random 4 KiB, 4 readers, file cached' 'null filesystem' 0.85 'null_read 4' "read_first random 4096 $reads 4"
leave "$mnt"
