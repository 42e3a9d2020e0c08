#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shards as one model: named by any of them, merged in model.gguf, incomplete, at odds with each
# other. What they must merge to is written by make_gguf, which has never seen the shards.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

make_gguf=${1:?is the program make_gguf}
check_reads=${2:?is the program check_reads}

# first_keys ALIGNMENT NO COUNT: those of a first shard, the last two of them only where given.
first_keys() {
    printf '%s\n' 'key str general.architecture llama' "key u32 general.alignment $1" \
        'key str general.name A set'
    [ $# -eq 1 ] || printf '%s\n' "key u16 split.count $3" "key u16 split.no $2"
    printf '%s\n' 'key i32 split.tensors.count 5' 'key u64 after.split 18446744073709551615'
}

second_tensors='tensor token_embd.weight Q8_0 1 64 3
tensor single F32 2 1
tensor odd F16 3 7 5'
third_tensors='tensor blk.0.attn_q.weight F32 4 33 2
tensor counts I32 5 9'

# describe_set NAME WIDTH ALIGNMENT DIRECTIVE: three shards, the first of which has no tensors,
# and NAME-merged.gguf.
describe_set() {
    local no
    for no in 1 2 3; do
        printf 'file %s-%0*d-of-%0*d.gguf\n' "$1" "$2" "$no" "$2" 3
        printf '%s\nalignment %s\n' "$4" "$3"
        case $no in
        1) first_keys "$3" 0 3 ;;
        2) printf '%s\n' "key u32 general.alignment $3" 'key i64 split.no 1' 'key u8 split.count 3' \
            'key i32 split.tensors.count 5' "$second_tensors" ;;
        3) printf '%s\n' "key u32 general.alignment $3" 'key u64 split.no 2' 'key i16 split.count 3' \
            "$third_tensors" ;;
        esac
    done
    # The keys of the first shard, split.count set to 0 and moved to the end.
    printf '%s\n' "file $1-merged.gguf" "$4" "alignment $3"
    first_keys "$3" | sed '/split.tensors.count/ i key u16 split.no 0'
    printf '%s\n' 'key u16 split.count 0' "$second_tensors" "$third_tensors"
}

make_set() {
    describe_set "$@" | "$make_gguf"
}

# reads_as KNOWN FILE: by read, pread and mmap, in pieces and by four processes at once.
reads_as() {
    printf '%s\t0\t%s\t%s\n' "$1" "$(stat -c %s "$1")" "$2" >table
    cmp "$1" "$2" >"$err" 2>&1 || return
    status=0
    timeout 300 "$check_reads" table 4 20 >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}

same_tree() {
    diff -r "$1" "$2" >"$out" 2>"$err"
}

# info FILTER MOUNT: the filter gives true for info.json.
info() {
    jq "$1" "$2/info.json" >"$out" 2>"$err" && [ "$(cat "$out")" = true ]
}

# fails_with STATUS PATTERN: one line, and nothing is mounted.
fails_with() {
    [ "$status" -eq "$1" ] && [ "$(wc -l <"$err")" -eq 1 ] && matches "$err" "$2" &&
        [ -z "$(mounts)" ] && wait_until no_servers
}

# refuses NAME STATUS PATTERN FILE: by the mount and by what mounts nothing.
refuses() {
    mkdir -p none
    run -q "$4" none
    verdict "$1: refused" fails_with "$2" "$3"
    run -q --ls "$4"
    verdict "$1: refused by --ls" fails_with "$2" "$3"
    run --check "$4"
    verdict "$1: refused by --check" gave "$2" '' "$3"
}

make_set set 5 32 ''

for no in 1 2 3; do
    mount_model "set-0000$no-of-00003.gguf" "m$no"
done
mount_model set-merged.gguf merged
for no in 2 3; do
    # info.json and all.
    verdict "shard $no shows what shard 1 shows" same_tree m1 "m$no"
done

verdict 'tensors of all shards' [ "$(ls m1/tensors | wc -l)" -eq 5 ]
verdict 'they are those of the merged model' same_tree m1/tensors merged/tensors
verdict 'and so are the numpy files' same_tree m1/npy merged/npy
verdict 'and the table' cmp m1/tensors.tsv merged/tensors.tsv
verdict 'and the hashes' cmp m1/SHA256SUMS merged/SHA256SUMS
in_shard_order() {
    [ "$(tail -n +2 m1/tensors.tsv | cut -f 1 | tr '\n' ' ')" = \
        'token_embd.weight single odd blk.0.attn_q.weight counts ' ]
}
verdict 'in shard order' in_shard_order
split_keys() {
    [ "$(cat m1/metadata/split.no m1/metadata/split.count m1/metadata/split.tensors.count | tr '\n' ' ')" = '0 3 5 ' ] &&
        [ "$(cat m1/metadata/general.name)" = 'A set' ]
}
verdict 'the split keys stay visible' split_keys

if command -v jq >/dev/null; then
    verdict 'info.json: the shards' info '.file.shards | map(.name) ==
        ["set-00001-of-00003.gguf", "set-00002-of-00003.gguf", "set-00003-of-00003.gguf"]' m1
    verdict 'info.json: their form' info '.file.shards | map([.version, .byte_order, .n_tensors]) ==
        [[3, "little", 0], [3, "little", 3], [3, "little", 2]]' m1
    verdict 'info.json: the shard of a tensor' info '[.file.shards[.tensors[].shard].name] ==
        ["set-00002-of-00003.gguf", "set-00002-of-00003.gguf", "set-00002-of-00003.gguf",
         "set-00003-of-00003.gguf", "set-00003-of-00003.gguf"]' m1
    verdict 'info.json: nothing to warn of' info '.warnings == []' m1
else
    skip 'info.json' 'no jq'
fi
if command -v getfattr >/dev/null; then
    shard_of() {
        [ "$(getfattr --only-values -n user.gguf.shard "m1/tensors/$1" 2>"$err")" = "$2" ]
    }
    verdict 'user.gguf.shard of the second' shard_of odd 1
    verdict 'user.gguf.shard of the third' shard_of counts 2
    no_shard() {
        ! getfattr -d merged/tensors/odd 2>/dev/null | grep -q shard
    }
    verdict 'none for a model in one file' no_shard
else
    skip 'user.gguf.shard' 'no getfattr'
fi

verdict 'model.gguf is the merged file' reads_as set-merged.gguf m1/model.gguf
verdict 'model.gguf of one file is the file' reads_as set-merged.gguf merged/model.gguf
run --cat -q set-00002-of-00003.gguf model.gguf
verdict 'and so --cat writes it' cmp "$out" set-merged.gguf
run --check m1/model.gguf
verdict '--check finds nothing in it' gave 0 '^m1/model\.gguf: ok$' ''

mount_model m1/model.gguf again
verdict 'the mount of a mount: tensors' same_tree m1/tensors again/tensors
verdict 'the mount of a mount: model.gguf' reads_as set-merged.gguf again/model.gguf
run --cat -q again/model.gguf model.gguf
verdict 'and once more' cmp "$out" set-merged.gguf
unmount again m1 m2 m3 merged

# Found beside the path as given, not where links lead.
mkdir blobs snapshot
for no in 1 2 3; do
    cp "set-0000$no-of-00003.gguf" "blobs/hash$no"
    ln -s "../blobs/hash$no" "snapshot/linked-0000$no-of-00003.gguf"
done
mount_model snapshot/linked-00003-of-00003.gguf links
verdict 'shards that are links elsewhere' reads_as set-merged.gguf links/model.gguf
unmount links

# shape NAME WIDTH ALIGNMENT DIRECTIVE
shape() {
    local named
    make_set "$@"
    named=$(printf '%s-%0*d-of-%0*d.gguf' "$1" "$2" 2 "$2" 3)
    mount_model "$named" shaped
    verdict "$1: model.gguf is the merged file" reads_as "$1-merged.gguf" shaped/model.gguf
    unmount shaped
}
shape one-digit 1 32 ''
shape nine-digits 9 32 ''
shape big-endian 5 32 big
shape version-1 5 32 'version 1'
shape alignment-8 5 8 ''
shape alignment-64 5 64 ''
shape alignment-4096 5 4096 ''
shape 'a b%c' 5 32 ''

# The tool writes no dimensions of 1 at the end, at least one dimension, and version 3.
for no in 1 2; do
    printf '%s\n' "file squeezed-0000$no-of-00002.gguf" 'version 2' "key u16 split.no $((no - 1))" \
        'key u16 split.count 2' 'key i32 split.tensors.count 2'
    [ "$no" -eq 1 ] && echo 'tensor scalar F32 1' || echo 'tensor matrix F32 2 1 2 1 1'
done | "$make_gguf"
printf '%s\n' 'file squeezed-merged.gguf' 'key u16 split.no 0' 'key i32 split.tensors.count 2' \
    'key u16 split.count 0' 'tensor scalar F32 1 1' 'tensor matrix F32 2 1 2' | "$make_gguf"
mount_model squeezed-00001-of-00002.gguf shaped
verdict 'scalars, dimensions of 1 and version 2 are merged as the tool does it' \
    reads_as squeezed-merged.gguf shaped/model.gguf
verdict 'but shown as they are stored' grep -qP '^matrix\tF32\t1x1x2x1\t' shaped/tensors.tsv
unmount shaped

# As many shards as the largest sets have, and not that many descriptors to begin with.
for ((no = 1; no <= 1148; no++)); do
    printf 'file many-%05d-of-01148.gguf\n' "$no"
    printf '%s\n' "key u16 split.no $((no - 1))" 'key u16 split.count 1148' \
        'key i32 split.tensors.count 1148' "tensor t$no I32 $no 3"
done | "$make_gguf"
{
    printf '%s\n' 'file many-merged.gguf' 'key u16 split.no 0' 'key i32 split.tensors.count 1148' \
        'key u16 split.count 0'
    for ((no = 1; no <= 1148; no++)); do
        echo "tensor t$no I32 $no 3"
    done
} | "$make_gguf"
many_shards() {
    mkdir -p many
    status=0
    (ulimit -S -n 256 && exec "$GGUFS" -q many-00500-of-01148.gguf many) >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ] && [ "$(ls many/tensors | wc -l)" -eq 1148 ] &&
        cmp many/model.gguf many-merged.gguf
}
verdict '1148 shards' many_shards
mounted many && unmount many

# A shard that is missing.
mkdir gap
cp set-0000[13]-of-00003.gguf gap
refuses 'a missing shard' 5 'shard 2 of 3 is missing: .*set-00002-of-00003\.gguf' \
    gap/set-00003-of-00003.gguf
refuses 'a shard named that is missing' 1 'No such file' gap/set-00002-of-00003.gguf
mount_model -o partial gap/set-00003-of-00003.gguf partial
verdict 'partial: what is there' [ "$(ls partial/tensors | tr '\n' ' ')" = 'blk.0.attn_q.weight counts ' ]
partial_reads() {
    cmp partial/tensors/counts <("$GGUFS" --cat -q set-00001-of-00003.gguf tensors/counts)
}
verdict 'partial: it reads' partial_reads
verdict 'partial: the keys' grep -qx 'A set' partial/metadata/general.name
verdict 'partial: info.json names what is missing' grep -qF set-00002-of-00003.gguf partial/info.json
missing_warned() {
    info '.warnings | map(test("missing")) | any' partial
}
if command -v jq >/dev/null; then
    verdict 'partial: info.json warns' missing_warned
    verdict 'partial: info.json says which' info '.file.shards | map(.missing // false) ==
        [false, true, false]' partial
else
    skip 'partial: info.json warns' 'no jq'
fi
verdict 'partial: no file that would be the whole model' shows partial \
    'SHA256SUMS info.json metadata npy tensors tensors.tsv '
sums_of_what_is_there() {
    (cd partial && sha256sum -c --quiet SHA256SUMS) >"$out" 2>&1 && [ "$(wc -l <partial/SHA256SUMS)" -eq 2 ]
}
verdict 'partial: the sums of what is there' sums_of_what_is_there
verdict 'partial: all that is there can be copied' cp -r partial copy
unmount partial
cp set-00002-of-00003.gguf gap/
rm gap/set-00001-of-00003.gguf
refuses 'the first shard missing' 5 'shard 1 of 3 is missing: .*set-00001-of-00003\.gguf' \
    gap/set-00002-of-00003.gguf
mount_model -o partial gap/set-00002-of-00003.gguf partial
verdict 'partial without the first shard' [ "$(ls partial/tensors | wc -l)" -eq 5 ]
unmount partial
partial_and_strict() {
    run -q -o partial,strict gap/set-00002-of-00003.gguf none
    fails_with 5 'missing'
}
verdict 'partial and strict' partial_and_strict

# One shard alone.
mount_model -o single gap/set-00003-of-00003.gguf alone
verdict 'single: its tensors' [ "$(ls alone/tensors | tr '\n' ' ')" = 'blk.0.attn_q.weight counts ' ]
verdict 'single: model.gguf is the shard' reads_as set-00003-of-00003.gguf alone/model.gguf
unmount alone

# A shard cut short: its last tensor is not there, all others are.
mkdir cut
cp set-0000[13]-of-00003.gguf cut
head -c -80 set-00002-of-00003.gguf >cut/set-00002-of-00003.gguf
mount_model cut/set-00001-of-00003.gguf cutmount
cut_gives() {
    cmp cutmount/tensors/single <("$GGUFS" --cat -q set-00001-of-00003.gguf tensors/single) &&
        cmp cutmount/tensors/counts <("$GGUFS" --cat -q set-00001-of-00003.gguf tensors/counts) &&
        ! cat cutmount/tensors/odd >"$out" 2>"$err" && matches "$err" 'Input/output error'
}
verdict 'data cut off in a shard: EIO for that alone' cut_gives
merged_gives() {
    ! cat cutmount/model.gguf >"$out" 2>"$err" && matches "$err" 'Input/output error'
}
verdict 'and for model.gguf' merged_gives
unmount cutmount
run --check cut/set-00001-of-00003.gguf
verdict 'and --check says so' gave 5 'set-00002-of-00003' ''

# Shards at odds. odd DESCRIPTION: two of them, the second as described.
odd() {
    mkdir -p odds
    rm -f odds/*
    printf '%s\n' 'file odds/odd-00001-of-00002.gguf' 'key u16 split.no 0' 'key u16 split.count 2' \
        'key i32 split.tensors.count 2' 'tensor a F32 1 4' 'file odds/odd-00002-of-00002.gguf' \
        "$@" | "$make_gguf"
}
second='odd-00002-of-00002\.gguf.*'
odd 'key u16 split.no 1' 'key u16 split.count 2' 'key i32 split.tensors.count 2' 'tensor b F32 2 4'
mount_model odds/odd-00001-of-00002.gguf fine
verdict 'shards that agree' [ "$(ls fine/tensors | wc -l)" -eq 2 ]
unmount fine
# disagrees NAME PATTERN DESCRIPTION...
disagrees() {
    odd "${@:3}"
    refuses "$1" 3 "$2" odds/odd-00001-of-00002.gguf
}
#         name                      message                           second shard
disagrees 'split.no is another' "$second"'split\.no is 0' \
    'key u16 split.no 0' 'key u16 split.count 2' 'tensor b F32 2 4'
disagrees 'split.no is missing' "$second"'split\.no is missing' \
    'key u16 split.count 2' 'tensor b F32 2 4'
disagrees 'split.no is negative' "$second"'split\.no' \
    'key i16 split.no -1' 'key u16 split.count 2' 'tensor b F32 2 4'
disagrees 'split.no is a string' "$second"'split\.no' \
    'key str split.no one' 'key u16 split.count 2' 'tensor b F32 2 4'
disagrees 'split.count is another' "$second"'split\.count is 3, the set is of 2' \
    'key u16 split.no 1' 'key u16 split.count 3' 'tensor b F32 2 4'
disagrees 'the sum of tensors is another' 'split\.tensors\.count is 2, the shards hold 3' \
    'key u16 split.no 1' 'key u16 split.count 2' 'tensor b F32 2 4' 'tensor c F32 2 4'
disagrees 'split.tensors.count is another' "$second"'split\.tensors\.count is 3, .* 2' \
    'key u16 split.no 1' 'key u16 split.count 2' 'key i32 split.tensors.count 3' 'tensor b F32 2 4'
disagrees 'the other byte order' "$second"'big-endian.*little-endian' \
    'big' 'key u16 split.no 1' 'key u16 split.count 2' 'tensor b F32 2 4'
disagrees 'another family of versions' "$second"'version 1.*version 3' \
    'version 1' 'key u16 split.no 1' 'key u16 split.count 2' 'tensor b F32 2 4'
disagrees 'a tensor twice' 'tensor .a. .*odd-0000[12]-of' \
    'key u16 split.no 1' 'key u16 split.count 2' 'tensor a F32 2 4'
odd 'version 2' 'key u16 split.no 1' 'key u16 split.count 2' 'tensor b F32 2 4'
mount_model odds/odd-00001-of-00002.gguf fine
verdict 'versions 2 and 3 agree' [ "$(ls fine/tensors | wc -l)" -eq 2 ]
unmount fine

# What stands in a shard's place.
odd_file() {
    rm -rf "odds/odd-00002-of-00002.gguf"
    "${@:4}" odds/odd-00002-of-00002.gguf
    refuses "$1" "$2" "$second$3" odds/odd-00001-of-00002.gguf
}
cut_head() {
    head -c 100 set-00002-of-00003.gguf >"$1"
}
odd_file 'a FIFO for a shard' 3 'regular file' mkfifo
odd_file 'a directory for a shard' 3 'regular file' mkdir
odd_file 'an empty shard' 3 '' touch
odd_file 'a shard with its head cut off' 3 '\(at byte [0-9]+\)' cut_head
odd_file 'a link to nowhere for a shard' 5 '' ln -s nowhere
rm -f odds/odd-00002-of-00002.gguf
cp set-merged.gguf odds/alone-00001-of-00002.gguf
run --check odds/alone-00001-of-00002.gguf
verdict 'a shard by its name alone is a model with a warning' gave 0 'warning: .*of no set' ''

real=$shared/models/stories3M-q8_0-00002-of-00003.gguf
if [ -r "$real" ]; then
    mount_model "$real" real
    verdict 'a real set: model.gguf is what llama-gguf-split wrote' \
        reads_as "$shared/models/stories3M-q8_0-merged-by-llama-gguf-split.gguf" real/model.gguf
    mount_model real/model.gguf again
    verdict 'a real set: the mount of a mount' same_tree real/tensors again/tensors
    unmount again real
else
    skip 'a real set' 'the shared material is not here'
fi
if command -v llama-gguf-split >/dev/null; then
    by_tool() {
        llama-gguf-split --merge set-00001-of-00003.gguf tool.gguf >"$out" 2>"$err" &&
            cmp tool.gguf set-merged.gguf
    }
    verdict 'llama-gguf-split --merge writes the same' by_tool
else
    skip 'llama-gguf-split --merge writes the same' 'it is not installed'
fi
finish
