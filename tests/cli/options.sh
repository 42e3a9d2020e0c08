#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line: what is refused and how, help and version, descriptors that are closed.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

"$GGUFS_SAMPLE" sample.gguf

see_help='see ggufs --help'
#      name                    status  stdout   stderr                                   arguments
expect 'no operands'                2  ''       '^ggufs: no model is named; usage: '
expect 'unknown long option'        2  ''       "^ggufs: unknown option --frob .$see_help" --frob sample.gguf
expect 'unknown short option'       2  ''       '^ggufs: unknown option -z '             -z sample.gguf
expect 'unknown in a cluster'       2  ''       '^ggufs: unknown option -z '             --check -qzf sample.gguf
expect 'long option with a value'   2  ''       '^ggufs: unknown option --check=1'       --check=1 sample.gguf
expect '--help with a value'        2  ''       '^ggufs: --help=1: .* no argument'       --help=1
expect '-o without a list'          2  ''       '^ggufs: -o needs an argument'           --ls sample.gguf -o
expect 'two commands'               2  ''       '^ggufs: --ls and --cat: one of them'    --ls --cat sample.gguf
expect '--check of nothing'         2  ''       '^ggufs: .*usage: ggufs --check MODEL'   --check
expect '--ls of too much'           2  ''       '^ggufs: .*usage: ggufs --ls MODEL'      --ls sample.gguf a b
expect '--cat without a path'       2  ''       '^ggufs: .*usage: ggufs --cat MODEL'     --cat sample.gguf
expect 'unknown word behind -o'     2  ''       '^ggufs: -o frob: unknown'               --ls -o strict,frob sample.gguf
expect 'a comma after a backslash'  2  ''       '^ggufs: -o a\\,strict: unknown'         --ls -o 'a\,strict' sample.gguf
expect 'dequant=f8'                 2  ''       '^ggufs: -o dequant=f8: it is f32, f16 ' --ls -o dequant=f8 sample.gguf
expect 'cache=maybe'                2  ''       '^ggufs: -o cache=maybe: it is auto, '   --ls -o cache=maybe sample.gguf
expect 'our words behind -o'        0  'info.json$' '' --ls -q -o strict,single,,no_views -o dequant=f16,cache=never sample.gguf
expect 'options behind operands'    0  'info.json$' '' sample.gguf --ls -q
expect 'operands behind --'         1  ''       '^ggufs: -q: '                           --ls -- -q
expect '--help'                     0  '^Usage: ggufs' ''                                --help
expect '-h'                         0  '^Usage: ggufs' ''                                -h
expect '--version'                  0  '^ggufs [0-9]+\.[0-9]+\.[0-9]+$' ''               --version
expect '-V'                         0  '^ggufs [0-9]' ''                                 -V
expect '--help wins'                0  '^Usage: ggufs' ''                                --check --help --ls
expect 'control characters in an option' 2 '' 'unknown option --\\x1b\[31m' "$(printf -- '--\033[31m')"

expect '--check, not locked up'     0  ': ok$' ''     --check -q -o no_sandbox sample.gguf
expect '--ls, not locked up'        0  'info.json$' '' --ls -q -o no_sandbox sample.gguf
expect '--cat, not locked up'       0  'llama' ''     --cat -q -o no_sandbox sample.gguf info.json

run --help
verdict '--help within 80 columns' sh -c "! grep -E '.{81}' '$out'"
verdict '--help tells of every mode and option' sh -c "
    for word in --check --ls --cat -f -d -s -q -h -V -o strict single partial no_views \
        dequant= cache= io_uring nonempty no_sandbox; do
        grep -qF -e \"\$word\" '$out' || exit 1
    done"

one_line() {
    run --frob
    [ "$(wc -l <"$err")" -eq 1 ]
}
verdict 'an error is one line' one_line

# Descriptors that are closed are no place for a model to turn up.
status=0
"$GGUFS" --cat -q sample.gguf info.json <&- >"$out" 2>"$err" || status=$?
verdict 'standard input closed' gave 0 'tensors' ''
status=0
"$GGUFS" --cat -q sample.gguf info.json >&- 2>"$err" || status=$?
: >"$out"
verdict 'standard output closed is an error' gave 1 '' '^ggufs: standard output: '
status=0
"$GGUFS" --version >&- 2>"$err" || status=$?
verdict 'standard output closed, and little to say' gave 1 '' '^ggufs: standard output: '
status=0
"$GGUFS" --ls -q sample.gguf >"$out" 2>&- || status=$?
: >"$err"
verdict 'standard error closed' gave 0 'info.json$' ''
status=0
"$GGUFS" --ls missing.gguf <&- >&- 2>&- || status=$?
verdict 'all three closed' test "$status" -eq 1
magic() {
    [ "$(dd if=sample.gguf bs=4 count=1 2>/dev/null)" = GGUF ]
}
verdict 'the model is as it was' magic

if [ -w /dev/full ]; then
    for arguments in '--help' '--ls -q sample.gguf' '--cat -q sample.gguf info.json' \
        '--check -q sample.gguf'; do
        status=0
        # shellcheck disable=SC2086 # words
        "$GGUFS" $arguments >/dev/full 2>"$err" || status=$?
        : >"$out"
        verdict "a full disk under $arguments" gave 1 '' '^ggufs: standard output: (No space|write error)'
    done
else
    skip 'a full disk' 'no /dev/full'
fi

reader_leaves() {
    { "$GGUFS" --cat -q sample.gguf info.json 2>"$err" || true; } | true
    : >"$out"
    [ ! -s "$err" ]
}
verdict 'a reader that leaves is no news' reader_leaves

finish
