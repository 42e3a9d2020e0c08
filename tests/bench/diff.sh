# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Two identical models: diff -rq through two mounts, and ggufs --diff, against cmp on the files.

file=$(big_model)
twin=$bench_dir/twin.gguf
[ -e "$twin" ] || cp "$file" "$twin"
by_cmp() { file_warm "$file"; file_warm "$twin"; seconds cmp "$file" "$twin"; }
by_diff() {
    file_warm "$file"
    file_warm "$twin"
    enter "$file" "$mnt" -o no_views
    enter "$twin" "$mnt2" -o no_views
    # The name of the file is in info.json: what is compared is everything else.
    seconds diff -rq -x info.json -x model.gguf "$mnt" "$mnt2"
}
by_ggufs() { file_warm "$file"; file_warm "$twin"; seconds "$ggufs" --diff --brief "$file" "$twin"; }
pair 'diff -rq of two mounts, file cached' 'cmp of the files' 0.8 by_cmp by_diff
pair 'ggufs --diff --brief, file cached' 'cmp of the files' '' by_cmp by_ggufs
leave "$mnt"
leave "$mnt2"
