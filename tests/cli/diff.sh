#!/bin/sh
# SPDX-License-Identifier: MIT
# --diff as the command line has it: exit statuses, where the lines go, options. What it finds is
# tested elsewhere.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

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

finish
