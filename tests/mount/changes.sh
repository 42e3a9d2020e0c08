#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What becomes of a mount when its model is unlinked, renamed over, truncated or
# rewritten, and what is shown of a model whose data was cut off before: never a short
# file, never zeros.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

sample sample.gguf
mount_model sample.gguf kept
tensor_table kept sample.gguf >table
sed "s,\tkept/,\tmnt/," table >of_mnt
unmount kept

# fresh: mounts a copy of the sample, of which nothing is in the kernel's caches yet.
fresh() {
    rm -f model.gguf
    cp -p sample.gguf model.gguf
    mount_model model.gguf mnt
}

all_tensors() {
    local known start size file
    while IFS=$'\t' read -r known start size file; do
        [ "$(stat -c %s "$file")" = "$size" ] || return 1
        cmp -i "$start:0" -n "$size" "$known" "$file" >"$err" 2>&1 || return 1
    done <of_mnt
}

# fails ERROR FILE: reading it ends in that error, without a byte.
fails() {
    status=0
    timeout 60 cat "$2" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 1 ] && [ ! -s "$out" ] && matches "$err" "$1"
}

# fails_within FILE: what is left of tensor blk.0.attn_q.weight reads, and then comes EIO.
fails_within() {
    local left=$((20000 - cut_start))
    status=0
    timeout 60 cat "$1" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 1 ] && matches "$err" 'Input/output error' &&
        [ "$(stat -c %s "$out")" -le "$left" ] &&
        cmp -i "$cut_start:0" -n "$(stat -c %s "$out")" sample.gguf "$out"
}
cut_start=$(sed -n 3p table | cut -f 2)

alive() {
    [ -n "$(serving)" ] && ls mnt/tensors >"$out" && stat -f mnt >"$out"
}

text_reads() {
    [ "$(cat mnt/metadata/general.name)" = 'A sample of everything' ]
}

fresh
rm model.gguf
verdict 'unlinked: all tensors read' all_tensors
verdict 'unlinked: text reads' text_reads
unmount mnt

fresh
head -c 100 sample.gguf >new.gguf
mv new.gguf model.gguf
verdict 'renamed over: the old bytes go on' all_tensors
verdict 'renamed over: the old text goes on' text_reads
mkdir -p other
run -q model.gguf other
verdict 'renamed over: the new file is what is mounted now' \
    gave 3 '' '^ggufs: model\.gguf: '
unmount mnt

fresh
chmod 600 model.gguf
ln model.gguf another.gguf
verdict 'other rights, another link: all tensors read' all_tensors
rm another.gguf
unmount mnt

# Behind blk.0.attn_norm.weight, in the midst of blk.0.attn_q.weight.
fresh
exec 7<mnt/tensors/sample.i64
truncate -s 20000 model.gguf
verdict 'truncated: EIO for what is cut off' \
    fails 'Input/output error' mnt/tensors/sample.f64
verdict 'truncated: EIO for what is cut in two' \
    fails_within mnt/tensors/blk.0.attn_q.weight
verdict 'truncated: EIO for a file that was open' fails 'Input/output error' - <&7
exec 7<&-
first_two() {
    head -n 2 of_mnt >first
    [ -s first ] && while IFS=$'\t' read -r known start size file; do
        cmp -i "$start:0" -n "$size" "$known" "$file" >"$err" 2>&1 || return 1
    done <first
}
verdict 'truncated: the tensors before read' first_two
verdict 'truncated: text reads' text_reads
verdict 'truncated: the server is alive' alive
unmount mnt

fresh
truncate -s 0 model.gguf
verdict 'truncated to nothing: EIO' \
    fails 'Input/output error' mnt/tensors/token_embd.weight
verdict 'truncated to nothing: the server is alive' alive
unmount mnt

fresh
exec 7<mnt/tensors/sample.i64
tr '[:lower:]' '[:upper:]' <sample.gguf >model.gguf
verdict 'rewritten: ESTALE on open' \
    fails 'Stale file handle' mnt/tensors/token_embd.weight
verdict 'rewritten: ESTALE on open of text too' fails 'Stale file handle' mnt/info.json
verdict 'rewritten: a file that was open fails' fails 'Stale file handle' - <&7
exec 7<&-
verdict 'rewritten: the server is alive' alive
unmount mnt

# Only the time of the last change of the inode tells.
fresh
printf 'XXXX' | dd of=model.gguf bs=1 seek=70000 conv=notrunc status=none
touch -r sample.gguf model.gguf
verdict 'rewritten, with its time put back: ESTALE' \
    fails 'Stale file handle' mnt/tensors/token_embd.weight
unmount mnt

fresh
echo more >>model.gguf
verdict 'grown: ESTALE' fails 'Stale file handle' mnt/tensors/token_embd.weight
unmount mnt

# Cut off before it is mounted.
head -c 20000 sample.gguf >cut.gguf
mkdir -p mnt
run cut.gguf mnt
verdict 'cut off: mounts with a warning' gave 0 '' '^ggufs: cut\.gguf: warning: '
verdict 'cut off: the complete tensors read' first_two
verdict 'cut off: sizes are what they should be' \
    [ "$(stat -c %s mnt/tensors/blk.0.attn_q.weight)" = 36864 ]
verdict 'cut off: EIO for what is cut in two' \
    fails_within mnt/tensors/blk.0.attn_q.weight
incomplete() {
    local file n=0
    while IFS=$'\t' read -r _ start size file; do
        ((start >= 20000 && size > 0)) || continue
        fails 'Input/output error' "$file" || return 1
        n=$((n + 1))
    done <of_mnt
    [ "$n" -eq 17 ]
}
verdict 'cut off: EIO for all that is not whole' incomplete
never_short() {
    status=0
    dd if=mnt/tensors/blk.0.attn_q.weight bs=1000 count=1 skip=30 status=none \
        >"$out" 2>"$err" || status=$?
    [ "$status" -ne 0 ] && [ ! -s "$out" ]
}
verdict 'cut off: a piece behind the cut is an error' never_short
verdict 'cut off: info.json says so' \
    [ "$(jq '.warnings | length > 0' mnt/info.json)" = true ]
verdict 'cut off: text reads' text_reads
unmount mnt
run -q -o strict cut.gguf mnt
verdict 'cut off: strict refuses' gave 5 '' '^ggufs: cut\.gguf: '
finish
