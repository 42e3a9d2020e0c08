# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# What the sandbox costs: the same mount without it is the yardstick.

file=$(big_model)
tensor=$mnt/tensors/blk.0.ffn_down.weight
enter "$file" "$mnt"
length=$(stat -c %s "$tensor")
small=$(model "tensors-1000" 1000 0 0)

# read_in OPTION MODE [ARGUMENT]...: a fresh mount of the big model with the option.
read_in() {
    local option=$1 mode=$2
    shift 2
    file_warm "$file"
    enter "$file" "$mnt" -o "$option"
    "$reader" "$mode" "$tensor" 0 "$length" "$@"
}
mount_in() { leave "$mnt"; seconds "$ggufs" -q -o "$1" "$small" "$mnt"; }

pair 'sandbox: stream 128 KiB, file cached' no_sandbox '' \
    'read_in no_sandbox stream 131072' 'read_in ro stream 131072'
pair 'sandbox: random 4 KiB, 1 reader' no_sandbox '' \
    'read_in no_sandbox random 4096 20000 1' 'read_in ro random 4096 20000 1'
pair 'sandbox: mount, 1,000 tensors' no_sandbox '' 'mount_in no_sandbox' 'mount_in ro'
leave "$mnt"
