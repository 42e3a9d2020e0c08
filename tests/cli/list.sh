#!/bin/sh
# SPDX-License-Identifier: MIT
# --ls and --cat on the sample model: what is listed, and that what is listed can be had.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

"$GGUFS_SAMPLE" sample.gguf
# show PATH: --cat, for use in pipes. Not locked up, unlike the rest: a build with sanitizers
# looks for leaks only so.
show() {
    "$GGUFS" -q -o no_sandbox --cat sample.gguf "$1"
}

run --ls -q sample.gguf
cp "$out" listing
lines_right() {
    ! grep -vE "^[df]$(printf '\t')[0-9]+$(printf '\t')[^/].*$" listing
}
verdict 'each line is type, size, path' lines_right
listed() {
    cut -f 3 listing | grep -qxF -e "$1"
}
for path in info.json tensors.tsv chat_template.jinja metadata metadata/general.architecture \
    tensors npy model.gguf model.safetensors SHA256SUMS; do
    verdict "$path is listed" listed "$path"
done
no_views() {
    gave 0 'tensors\.tsv$' '' && ! grep -Eq 'npy|safetensors|SHA256SUMS' "$out"
}
run --ls -q -o no_views sample.gguf
verdict 'no_views leaves the views out' no_views

same_again() {
    run --ls -q sample.gguf
    cmp -s listing "$out"
}
verdict 'the same again' same_again

part() {
    run --ls -q sample.gguf "$1"
    grep -F "$(printf '\t')$2" listing | grep -E "$(printf '\t')metadata(/|\$)" | cmp -s - "$out"
}
verdict 'a directory and what is below' part metadata metadata
verdict 'slashes around the path' part /metadata/ metadata
verdict 'one file' part metadata/general.architecture metadata/general.architecture
expect 'a path that is not there' 1 '' '^ggufs: metadata/none: No such file' --ls -q sample.gguf metadata/none
expect '--cat of a path that is not there' 1 '' '^ggufs: none: No such file' --cat -q sample.gguf none
expect '--cat of a directory' 1 '' '^ggufs: metadata: Is a directory' --cat -q sample.gguf metadata
expect '--cat below a file' 1 '' '^ggufs: info.json/x: Not a directory' --cat -q sample.gguf info.json/x
expect '--cat of a value' 0 '^llama$' '' --cat -q sample.gguf metadata/general.architecture

# Every file that is listed has as many bytes as the listing says.
sizes_right() {
    grep '^f' listing | while IFS=$(printf '\t') read -r _ size path; do
        got=$(show "$path" | wc -c)
        if [ "$got" -ne "$size" ]; then
            echo "# $path: $size bytes listed, $got had"
            exit 1
        fi
    done
}
verdict 'every file is as long as listed' sizes_right

model_is_itself() {
    show model.gguf | cmp -s - sample.gguf
}
verdict 'model.gguf is the model' model_is_itself

# Tensors are the bytes at their offsets in the file.
tensors_right() {
    show info.json | jq -r '.tensors[] | "\(.offset)\t\(.size)\t\(.path)"' >table
    [ -s table ] && while IFS=$(printf '\t') read -r offset size path; do
        tail -c +$((offset + 1)) sample.gguf | head -c "$size" >expected
        show "$path" | cmp -s - expected || exit 1
    done <table
}
if command -v jq >/dev/null; then
    verdict 'tensors are the bytes at their offsets' tensors_right
else
    skip 'tensors are the bytes at their offsets' 'no jq'
fi

# The sample has a key whose name turns the direction of writing around.
turning=$(printf '\342\200\256')
verdict 'names are as they are in a pipe' grep -qF "$turning" listing
escaped_on_terminal() {
    script -qec "'$GGUFS' -q --ls sample.gguf" /dev/null </dev/null >"$out" 2>"$err" &&
        ! grep -qF "$turning" "$out" && grep -qF '\xe2\x80\xae' "$out"
}
if command -v script >/dev/null; then
    verdict 'and escaped on a terminal' escaped_on_terminal
else
    skip 'and escaped on a terminal' 'no script(1)'
fi

finish
