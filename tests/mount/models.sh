#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Real models and generated ones, mounted, against inventories that others made of them:
# every value, every tensor, every byte.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

if ! [ -d "$shared/models/expected" ]; then
    echo '1..0 # SKIP the shared material is not here'
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo '1..0 # SKIP no python3'
    exit 0
fi

as_known() {
    status=0
    python3 "$here/check_model.py" "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}

# model FILE INVENTORY: alone, also where it is one of a set.
model() {
    mount_model -o single "$1" mnt
    verdict "$(basename "$1")" as_known mnt "$2" "$1" "$shared/tools"
    unmount mnt
}

for file in "$shared"/models/*.gguf; do
    model "$file" "$shared/models/expected/$(basename "$file" .gguf).json"
done
for file in "$shared"/gen/*.gguf; do
    model "$file" "${file%.gguf}.json"
done

# set_of NAME INVENTORIES: a set, by any of its shards, has the keys of the first shard
# and the tensors of all.
set_of() {
    local shard
    for shard in "$1"-0*-of-*.gguf; do
        mount_model "$shard" mnt
        verdict "the set, by $(basename "$shard")" is_set "$1" "$2"
        unmount mnt
    done
}
is_set() {
    local known=("$2/$(basename "$1")"-0*-of-*.json)
    jq -s '[.[].tensors[] | [.dims, .n_bytes, .abs_offset]]' "${known[@]}" >expected
    jq '[.tensors[] | [.dimensions, .size, .offset]]' mnt/info.json >"$out"
    cmp expected "$out" || return 1
    [ "$(cat mnt/metadata/split.count)" = "${#known[@]}" ] || return 1
    jq -rs '.[].tensors[] | "\(.raw_sha256)  tensors/\(.name)"' "${known[@]}" >sums
    (cd mnt && sha256sum --quiet -c) <sums >"$out" 2>"$err"
}
set_of "$shared/models/stories3M-q8_0" "$shared/models/expected"
set_of "$shared/gen/split-nf12" "$shared/gen"

mount_model "$shared/models/stories3M-q8_0-00001-of-00003.gguf" mnt
verdict 'the set merged is what llama-gguf-split writes' \
    cmp mnt/model.gguf "$shared/models/stories3M-q8_0-merged-by-llama-gguf-split.gguf"
unmount mnt

# The head of a big model: all of it can be listed, and what is not there is EIO.
mount_model "$shared/models/llama-2-7b-q4_0-head-only.gguf" mnt
head_only() {
    local path
    [ "$(find mnt/tensors -type f | wc -l)" -eq 291 ] || return 1
    for path in mnt/tensors/*; do
        ! head -c 1 "$path" >"$out" 2>"$err" && [ ! -s "$out" ] &&
            matches "$err" 'Input/output error' || return 1
    done
}
verdict 'a head alone: every tensor is listed, and its reading EIO' head_only
unmount mnt
finish
