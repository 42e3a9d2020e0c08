#!/bin/sh
# SPDX-License-Identifier: MIT
# --diff: exit statuses, where the lines go, options, and what it finds, number by number, on two
# models whose differences are known.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

make_gguf=${1:?is the program make_gguf}

"$GGUFS_SAMPLE" a.gguf
cp a.gguf b.gguf
printf 'changed!' | dd of=b.gguf bs=1 seek=50000 conv=notrunc 2>"$err"
mkdir folder
cp a.gguf b.gguf folder

#      name               status  stdout                    stderr               arguments
expect 'the same'               0  '21 the same, 0 changed' ''                   --diff -q a.gguf a.gguf
expect 'different'              1  'tensor'                 ''                   --diff -q a.gguf b.gguf
expect 'different, in brief'    1  '.'                      ''                   --diff --brief -q a.gguf b.gguf
expect 'a model that is not there' 2 ''  '^ggufs: none\.gguf: .*No such file'    --diff -q a.gguf none.gguf
expect 'no model'               3  ''    '^ggufs: /dev/null: '                   --diff -q /dev/null a.gguf
expect 'many models'            2  ''    '^ggufs: folder: --diff compares two '  --diff -q a.gguf folder
expect 'one model'              2  ''    'usage: ggufs --diff '                  --diff a.gguf
expect '--brief elsewhere'      2  ''    '^ggufs: --brief: only with --diff'     --ls --brief a.gguf
expect '--json elsewhere'       2  ''    '^ggufs: --json: only with --diff'      --json --check a.gguf
expect 'not locked up'          1  'tensor'                 ''                   --diff -q -o no_sandbox a.gguf b.gguf

if command -v jq >/dev/null; then
    json_right() {
        gave 1 '.' '' && jq -e 'type == "object"' "$out" >/dev/null
    }
    run --diff --json -q a.gguf b.gguf
    verdict '--json is one JSON object' json_right
else
    skip '--json is one JSON object' 'no jq'
fi

if [ -w /dev/full ]; then
    status=0
    "$GGUFS" --diff -q a.gguf b.gguf >/dev/full 2>"$err" || status=$?
    : >"$out"
    verdict 'a full disk is trouble' gave 2 '' '^ggufs: standard output: '
else
    skip 'a full disk is trouble' 'no /dev/full'
fi

# ---- what it finds

"$make_gguf" <<'MODELS'
file old.gguf
key str general.architecture llama
key u32 same.key 5
key str key.only.old gone
key u32 number 1
key str text one text
key u32 type 7
tensor same F32 1 8 4
tensor raised F32 =1 8 4
tensor turned F32 =1 8 4
tensor shape F32 3 8 4
tensor type F32 =0.5 32 4
tensor integers I32 4 9
tensor only.old Q8_0 5 64
tensor empty F32 1 0
file new.gguf
key u32 same.key 5
key str general.architecture llama
key u32 number 2
key str text another
key u64 type 7
key str key.only.new here
tensor same F32 1 8 4
tensor raised F32 =3 8 4
tensor turned F32 =-1 8 4
tensor shape F32 3 4 8
tensor type F16 5 32 4
tensor integers I32 5 9
tensor only.new I32 5 64
tensor empty F32 1 0
file bare.gguf
key str general.architecture llama
MODELS

# Any order: the lines are looked for, and counted.
found='- key key.only.old: str gone
+ key key.only.new: str here
! key number: u32 1 -> u32 2
! key text: str one text -> str another
! key type: u32 7 -> u64 7
- tensor only.old: Q8_0 64
+ tensor only.new: I32 64
! tensor raised: F32 4x8: data differs; largest difference 2, mean 2, cosine similarity 1.000000
! tensor turned: F32 4x8: data differs; largest difference 2, mean 2, cosine similarity -1.000000
! tensor shape: F32 4x8 -> F32 8x4
keys: 2 the same, 3 changed, 1 added, 1 removed
tensors: 2 the same, 5 changed, 1 added, 1 removed'
has_line() {
    grep -qxF -e "$1" "$out"
}
run --diff old.gguf new.gguf
verdict 'two models differ' gave 1 '.' ''
printf '%s\n' "$found" >lines
while IFS= read -r line; do
    verdict "$line" has_line "$line"
done <lines
verdict 'a type that changed, with the numbers' \
    matches "$out" '^! tensor type: F32 4x32 -> F16 4x32; largest difference [0-9.]+, mean [0-9.]+, cosine similarity -?[01]\.[0-9]{6}$'
verdict 'integers differ' matches "$out" '^! tensor integers: I32 9: data differs'
only_these() {
    [ "$(wc -l <"$out")" -eq 14 ] && ! grep -q 'same\.key\|tensor same\|tensor empty' "$out"
}
verdict 'and nothing else' only_these
summary_last() {
    tail -n 2 "$out" | cmp -s - summary
}
tail -n 2 lines >summary
verdict 'the summary comes last' summary_last

cp "$out" first
stable() {
    run --diff old.gguf new.gguf
    cmp -s "$out" first
}
verdict 'the same again' stable
no_progress() {
    [ ! -s "$err" ]
}
verdict 'no progress where standard error is no terminal' no_progress
progress_on_terminal() {
    script -qec "'$GGUFS' --diff old.gguf new.gguf >piped" /dev/null </dev/null >"$out" 2>"$err" || true
    grep -q '%' "$out" && cmp -s piped first
}
if command -v script >/dev/null; then
    verdict 'progress on a terminal, and not among the lines' progress_on_terminal
else
    skip 'progress on a terminal, and not among the lines' 'no script(1)'
fi

turned_around() {
    run --diff new.gguf old.gguf
    gave 1 '^- key key\.only\.new: str here$' '' && has_line '! key number: u32 2 -> u32 1' &&
        has_line '+ tensor only.old: Q8_0 64'
}
verdict 'the other way round' turned_around
run --diff --brief old.gguf new.gguf
brief_right() {
    gave 1 '^! tensor raised$' '' && [ "$(wc -l <"$out")" -eq 14 ] && summary_last &&
        ! grep -q -e '->' -e 'cosine' "$out"
}
verdict '--brief: which, not how' brief_right
run --diff --brief old.gguf old.gguf
verdict '--brief of the same' gave 0 '^tensors: 8 the same, 0 changed, 0 added, 0 removed$' ''

run --diff old.gguf bare.gguf
verdict 'all tensors removed' gave 1 '^tensors: 0 the same, 0 changed, 0 added, 8 removed$' ''

# json FILTER: gives true.
json() {
    [ "$(jq "$1" "$out" 2>"$err")" = true ]
}
if command -v jq >/dev/null; then
    run --diff --json old.gguf new.gguf
    verdict '--json: status' gave 1 '.' ''
    verdict '--json: keys added' json '.keys.added == [{"name": "key.only.new", "new": "str here"}]'
    verdict '--json: keys removed' json '.keys.removed == [{"name": "key.only.old", "old": "str gone"}]'
    verdict '--json: keys changed' json '.keys.changed | map([.name, .old, .new]) | sort ==
        [["number", "u32 1", "u32 2"], ["text", "str one text", "str another"], ["type", "u32 7", "u64 7"]]'
    verdict '--json: same' json '[.keys.same, .tensors.same] == [2, 2]'
    verdict '--json: tensors added' json '.tensors.added ==
        [{"name": "only.new", "new": {"type": "I32", "shape": [64], "bytes": 256}}]'
    verdict '--json: tensors removed' json '.tensors.removed | map(.name) == ["only.old"]'
    verdict '--json: numbers' json '.tensors.changed[] | select(.name == "turned") |
        [.largest_difference, .mean_difference, .cosine_similarity, .data_differs] == [2, 2, -1, true]'
    verdict '--json: no numbers for another shape' json '.tensors.changed[] |
        select(.name == "shape") | has("largest_difference") | not'
    run --diff --json --brief old.gguf new.gguf
    verdict '--json --brief: names alone' json '.tensors.changed | map(keys) | unique == [["name"]]'
    run --diff --json old.gguf old.gguf
    verdict '--json: the same' json '(.keys.changed + .tensors.changed + .tensors.added) == []'
    verdict '--json: the same: status' [ "$status" -eq 0 ]
else
    skip '--json: what it finds' 'no jq'
fi

# What cannot be read is named, is trouble, and does not keep the rest from being compared.
head -c -400 new.gguf >cut.gguf
run --diff -q old.gguf cut.gguf
verdict 'data cut off' gave 2 'only\.new|cannot be read' ''
verdict 'the rest is compared' matches "$out" '^! tensor raised: .*cosine similarity 1\.000000$'

finish
