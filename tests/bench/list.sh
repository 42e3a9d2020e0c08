# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Listing many names, against the same names as files of a real directory.

n=1000000
[ "$quick" = 0 ] || n=10000
file=$(model "tensors-$n" "$n" 0 0)
real=$bench_dir/real-$n
enter "$file" "$mnt"
if [ ! -d "$real" ]; then
    mkdir "$real"
    (cd "$real" && find "$mnt/tensors" -type f -printf '%f\0' | xargs -0 touch)
fi
find "$real" -type f >/dev/null
find "$mnt/tensors" -type f >/dev/null
ls -l "$mnt/tensors" >/dev/null
pair "find over $n tensors, warm" "$(stat -fc %T "$real")" 0.5 \
    "seconds find $real -type f" "seconds find $mnt/tensors -type f"
pair "ls -l of $n tensors, warm" "$(stat -fc %T "$real")" 0.5 \
    "seconds ls -l $real" "seconds ls -l $mnt/tensors"
leave "$mnt"
