# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# The same tensors in an uncompressed squashfs image, served by squashfuse_ll.

if ! command -v mksquashfs >/dev/null || ! command -v squashfuse_ll >/dev/null; then
    echo 'squashfs: needs squashfuse and squashfs-tools: left out' >&2
else
    use_big_tensor
    image=$bench_dir/tensors.squashfs
    if [ ! -e "$image" ]; then
        enter "$file" "$mnt"
        mksquashfs "$mnt/tensors" "$image" -noI -noD -noF -noX -no-progress -quiet >/dev/null
        leave "$mnt"
    fi
    name=${tensor##*/}

    squash() { leave "$mnt2"; squashfuse_ll "$image" "$mnt2"; wait_for_mount "$mnt2"; }
    squash_read() { file_warm "$image"; squash; "$reader" "$1" "$mnt2/$name" 0 "$length" "${@:2}"; }
    squash_again() { "$reader" stream "$mnt2/$name" 0 "$length" "$1"; }
    squash_cold() { leave "$mnt2"; file_cold "$image"; squash; squash_again "$1"; }

    reads=20000
    pair 'stream 128 KiB, file cached' squashfuse_ll 1.3 'squash_read stream 131072' 'read_first stream 131072'
    pair 'stream 128 KiB direct, file cached' squashfuse_ll 2.5 'squash_read direct 131072' 'read_first direct 131072'
    pair 'stream 1 MiB direct, file cached' squashfuse_ll 2.5 'squash_read direct 1048576' 'read_first direct 1048576'
    pair 'stream 128 KiB, mount cached' squashfuse_ll 1.0 'squash_again 131072' 'read_again 131072'
    pair 'stream 128 KiB, disk cold' squashfuse_ll 1.0 'squash_cold 131072' 'read_cold 131072'
    pair 'random 4 KiB, 1 reader, file cached' squashfuse_ll 1.0 "squash_read random 4096 $reads 1" "read_first random 4096 $reads 1"
    pair 'random 4 KiB, 4 readers, file cached' squashfuse_ll 1.0 "squash_read random 4096 $reads 4" "read_first random 4096 $reads 4"
    leave "$mnt2"
    leave "$mnt"
fi
