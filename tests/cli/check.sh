#!/bin/sh
# SPDX-License-Identifier: MIT
# --check: verdicts, statuses and messages, on the sample model, on files that are none, and on
# the crafted cases where they are at hand.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

"$GGUFS_SAMPLE" sample.gguf
size=$(wc -c <sample.gguf)
head -c $((size - 20)) sample.gguf >cut.gguf
head -c 100 sample.gguf >head.gguf
head -c 3 sample.gguf >three.gguf
{ printf 'GGUF\004\000\000\000' && tail -c +9 sample.gguf; } >version4.gguf
: >empty.gguf
mkfifo fifo.gguf
mkdir folder
cp sample.gguf folder/one.gguf
cp head.gguf folder/two.gguf
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >lfs.gguf
printf '<!DOCTYPE html>\n<html><body>404</body></html>\n' >page.gguf
printf 'PK\003\004aaaaaaaaaaaaaaaaaaaaaaaaaaaa' >zip.gguf
printf '\002\000\000\000\000\000\000\000{}          ' >tensors.gguf
printf 'tjgg\003\000\000\000aaaaaaaaaaaaaaaaaaaaaaa' >ggjt.gguf
printf 'lmgg\003\000\000\000aaaaaaaaaaaaaaaaaaaaaaa' >ggml.gguf

#      name                     status  stdout                           stderr                     arguments
expect 'a model that is fine'        0  '^sample\.gguf: ok$'             ''                         --check -q sample.gguf
expect 'data cut off'                5  '^cut\.gguf: warning: .*'        ''                         --check -q cut.gguf
expect 'the head cut off'            3  ''  '^ggufs: head\.gguf: .* \(at byte [0-9]+\)$'            --check -q head.gguf
expect 'three bytes'                 3  ''  '^ggufs: three\.gguf: '                                 --check -q three.gguf
expect 'an empty file'               3  ''  '^ggufs: empty\.gguf: '                                 --check -q empty.gguf
expect 'version 4'                   4  ''  '^ggufs: version4\.gguf: .*4.*\(at byte 4\)$'           --check -q version4.gguf
expect 'no such file'                1  ''  '^ggufs: none\.gguf: .*No such file'                    --check -q none.gguf
expect 'a FIFO'                      3  ''  '^ggufs: fifo\.gguf: .*regular file'              --check -q fifo.gguf
expect 'a device'                    3  ''  '^ggufs: /dev/null: .*regular file'               --check -q /dev/null
expect 'a git-lfs pointer'           3  ''  '^ggufs: lfs\.gguf: .*[Ll][Ff][Ss]'                     --check -q lfs.gguf
expect 'HTML'                        3  ''  '^ggufs: page\.gguf: .*HTML'                            --check -q page.gguf
expect 'zip'                         3  ''  '^ggufs: zip\.gguf: .*(zip|ZIP)'                        --check -q zip.gguf
expect 'safetensors'                 3  ''  '^ggufs: tensors\.gguf: .*safetensors'                  --check -q tensors.gguf
expect 'ggjt'                        3  ''  '^ggufs: ggjt\.gguf: .*ggjt'                            --check -q ggjt.gguf
expect 'ggml'                        3  ''  '^ggufs: ggml\.gguf: .*ggml'                            --check -q ggml.gguf
expect 'a path with an escape'       1  ''  '^ggufs: a\\x1b\[31mb\\xc2\\x9b: '  --check -q "$(printf 'a\033[31mb\302\233')"
expect 'a name with a line break'    1  ''  '^ggufs: a\\x0ab: '                 --check -q 'a
b'
expect 'a directory'                 3  'one\.gguf: ok$'  '^ggufs: .*two\.gguf: '                   --check -q folder

# A folder of models: each once, whatever it is called; what is not searched is told as it is.
mkdir -p 'odd/a	b' manifests/registry.ollama.ai/library/m
cp sample.gguf 'odd/a	b/x\\x41.gguf'
ln -s .. 'odd/a	b/up'
printf '{}' >manifests/registry.ollama.ai/library/m/latest
expect 'a path with odd bytes'        1  'a\\x09b/x\\+x41\.gguf: ok$' '^ggufs: .*/up: not searched: a cycle'  --check -q odd
each_once() {
    [ "$(wc -l <"$out")" -eq 1 ] && [ "$(wc -l <"$err")" -eq 1 ]
}
verdict 'a cycle of links is gone round no time' each_once
OLLAMA_MODELS=$work
export OLLAMA_MODELS
expect 'a manifest without a model'   1  ''  '^ggufs: .*/m/latest: .*'    --check -q ollama:

if [ "$(id -u)" -eq 0 ]; then
    skip 'a file without rights' 'root may read all'
else
    cp sample.gguf secret.gguf
    chmod 0 secret.gguf
    expect 'a file without rights' 1 '' '^ggufs: secret\.gguf: .*Permission denied' --check -q secret.gguf
fi

goes_on() {
    gave 5 '^cut\.gguf: warning' '^ggufs: none\.gguf: ' &&
        [ "$(grep -c ': ok$' "$out")" -eq 2 ] && matches "$err" '^ggufs: head\.gguf: '
}
run --check -q sample.gguf none.gguf head.gguf cut.gguf sample.gguf
verdict 'goes on, and the worst status counts' goes_on

expect 'strict: a model that is fine' 0 ': ok$'         ''  --check -q -o strict sample.gguf
expect 'strict: incomplete stays so'  5 ': warning: '   ''  --check -q -o strict cut.gguf

# case_is FILE VERDICT: what --check says of a crafted file is what the list expects.
case_is() {
    run --check -q "$cases/$1"
    case $2 in
    reject)
        { [ "$status" -eq 3 ] || [ "$status" -eq 4 ]; } && [ ! -s "$out" ] &&
            [ "$(wc -l <"$err")" -eq 1 ] && matches "$err" '^ggufs: .+: .'
        ;;
    warn)
        { [ "$status" -eq 0 ] || [ "$status" -eq 5 ]; } && [ ! -s "$err" ] &&
            matches "$out" ': warning: ' && strict_refuses "$1"
        ;;
    ok) gave 0 ': ok$' '' && [ "$(wc -l <"$out")" -eq 1 ] ;;
    mount) { [ "$status" -eq 0 ] || [ "$status" -eq 5 ]; } && [ ! -s "$err" ] ;;
    *) false ;;
    esac
}

strict_refuses() {
    run --ls -q -o strict "$cases/$1"
    { [ "$status" -eq 3 ] || [ "$status" -eq 5 ]; } && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ]
}

cases=${GGUFS_SHARED:-/nowhere}/cases
if [ -r "$cases/expected.tsv" ]; then
    tab=$(printf '\t')
    while IFS=$tab read -r file expected _; do
        verdict "$file: $expected" case_is "$file" "$expected"
    done <"$cases/expected.tsv"
else
    skip 'crafted cases' 'the shared material is not here'
fi

finish
