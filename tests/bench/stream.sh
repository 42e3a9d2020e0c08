# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Streaming one big tensor, against the same range of the model's file with the same reader; and
# the null filesystem against the file, which is as near as a server on libfuse can come.

use_big_tensor
offset=$(getfattr --absolute-names --only-values -n user.gguf.offset "$tensor")

raw() { file_warm "$file"; "$reader" stream "$file" "$offset" "$length" "$1"; }
raw_cold() { leave "$mnt"; file_cold "$file"; "$reader" stream "$file" "$offset" "$length" "$1"; }
raw_map() { file_warm "$file"; "$reader" mmap "$file" "$offset" "$length"; }
# As read_first, of the null filesystem.
null_first() { enter_null "$mnt2" "$length"; "$reader" "$1" "$mnt2/data" 0 "$length" "$2"; leave "$mnt2"; }
# The same with reader and server on one processor, so that no request wakes another one.
null_on_one() { (taskset -cp 0 "$BASHPID" >/dev/null && null_first "$@"); }

# against_file NAME TARGET MODE BLOCK
against_file() {
    pair "$1" file "$2" "raw $4" "read_first $3 $4"
    pair "$1: the null filesystem" file '' "raw $4" "null_first $3 $4"
}

against_file 'stream 128 KiB, file cached' 0.40 stream 131072
against_file 'stream 1 MiB, file cached' '' stream 1048576
against_file 'stream 128 KiB direct, file cached' 0.65 direct 131072
against_file 'stream 1 MiB direct, file cached' 0.95 direct 1048576
if command -v taskset >/dev/null; then
    pair 'stream 128 KiB direct: the null filesystem on one CPU' file '' 'raw 131072' 'null_on_one direct 131072'
fi
enter "$file" "$mnt"
read_again 1048576 >/dev/null
pair 'stream 128 KiB, mount cached' file 0.90 'raw 131072' 'read_again 131072'
pair 'stream 1 MiB, mount cached' file 0.90 'raw 1048576' 'read_again 1048576'
pair 'stream 128 KiB, disk cold' file 0.95 'raw_cold 131072' 'read_cold 131072'
pair 'stream 1 MiB, disk cold' file 0.95 'raw_cold 1048576' 'read_cold 1048576'
pair 'mmap, one pass, file cached' file '' raw_map 'read_first mmap'
leave "$mnt"
