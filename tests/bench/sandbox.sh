# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# What the sandbox costs: the same mount without it is the yardstick.

use_big_tensor
small=$(model "tensors-1000" 1000 0 0)

mount_in() { leave "$mnt"; seconds "$ggufs" -q -o "$1" "$small" "$mnt"; }

pair 'sandbox: stream 128 KiB, file cached' no_sandbox '' \
    'mount_option=no_sandbox read_first stream 131072' 'read_first stream 131072'
pair 'sandbox: random 4 KiB, 1 reader' no_sandbox '' \
    'mount_option=no_sandbox read_first random 4096 20000 1' 'read_first random 4096 20000 1'
pair 'sandbox: mount, 1,000 tensors' no_sandbox '' 'mount_in no_sandbox' 'mount_in ro'
leave "$mnt"
