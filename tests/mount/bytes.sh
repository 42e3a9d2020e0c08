#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tensors are the bytes at their offsets in the model file, and text is what --cat gives,
# however they are read: whole, in odd pieces, by read, pread and mmap, from several
# processes at once.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

check_reads=${1:?is the program check_reads}

# whole TABLE: each file by cmp.
whole() {
    local known start size file
    [ -s "$1" ] && while IFS=$'\t' read -r known start size file; do
        [ "$(stat -c %s "$file")" = "$size" ] || return 1
        cmp -i "$start:0" -n "$size" "$known" "$file" >"$err" 2>&1 || return 1
    done <"$1"
}

# pieces TABLE PROCESSES ROUNDS
pieces() {
    status=0
    timeout 600 "$check_reads" "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}

# model NAME FILE ROUNDS: all tensors of a model.
model() {
    mount_model "$2" mnt
    tensor_table mnt "$2" >table
    if [ -s table ]; then
        verdict "$1: whole tensors" whole table
        verdict "$1: pieces of tensors" pieces table 4 "$3"
    fi
    unmount mnt
}

sample sample.gguf
model sample sample.gguf 40
mount_model -s sample.gguf mnt
tensor_table mnt sample.gguf >table
verdict 'a single thread: pieces of tensors' pieces table 4 20

# The files that are made, of which --cat gives the whole.
mkdir known
: >made
while IFS= read -r -d '' path; do
    known=known/$(wc -l <made)
    "$GGUFS" --cat -q sample.gguf "$path" >"$known"
    printf '%s\t0\t%s\t%s\n' "$known" "$(stat -c %s "$known")" "mnt/$path" >>made
done < <(find mnt -type f -not -path 'mnt/tensors/*' -printf '%P\0')
verdict 'whole made files' whole made
verdict 'pieces of made files' pieces made 4 20
unmount mnt

if [ -d "$shared/models" ]; then
    # A set is mounted below; the model that is cut off has a test of its own.
    for file in "$shared"/models/*.gguf; do
        case $file in
        *-of-*) ;;
        *head-only*) ;;
        *) model "$(basename "$file")" "$file" 10 ;;
        esac
    done
    set=$shared/models/stories3M-q8_0-00001-of-00003.gguf
    mount_model "$set" mnt
    jq -r --arg folder "$shared/models/" \
        '.file.shards as $shards | .tensors[] |
            [$folder + $shards[.shard].name, .offset, .size, "mnt/" + .path] |
            map(tostring) | join("\t")' mnt/info.json >table
    verdict 'a set of shards: whole tensors' whole table
    verdict 'a set of shards: pieces of tensors' pieces table 4 10
    unmount mnt
else
    skip 'real models' 'the shared material is not here'
fi
finish
