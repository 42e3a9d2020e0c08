#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a stranger has written, in names, keys and texts of a model and in the names of files, never
# gets to act on a terminal: not in errors, warnings, the log, listings, findings, differences.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# A title, a colour, a bell, C1 as bytes and as UTF-8, text that runs backwards, lines.
evil=$'e\e]0;owned\a\e[31m\x9b32m\xc2\x9b33m\xc2\x85\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\r\n\b\x7fvil'
# The same without bytes that are not UTF-8, for names that may not have them.
evil_name=${evil//$'\x9b'32m/}

# ---- models, byte by byte

number() { # SIZE N: little-endian
    local i text=''
    for ((i = 0; i < $1; i++)); do
        printf -v text '%s\\x%02x' "$text" $(($2 >> 8 * i & 255))
    done
    # shellcheck disable=SC2059
    printf "$text"
}

string() {
    local LC_ALL=C
    number 8 "${#1}"
    printf '%s' "$1"
}

key() { # NAME TEXT
    string "$1"
    number 4 8
    string "$2"
}

head_of() { # TENSORS KEYS
    printf GGUF
    number 4 3
    number 8 "$1"
    number 8 "$2"
}

tensor() { # NAME TYPE OFFSET DIMENSION...
    local n
    string "$1"
    number 4 $(($# - 3))
    for n in "${@:4}"; do
        number 8 "$n"
    done
    number 4 "$2"
    number 8 "$3"
}

# model TEXT: names that nobody has thought of, twice, types that nobody knows.
model() {
    head_of 4 5
    key general.architecture "$evil$1"
    key "$evil" "$evil$1"
    key "$evil" "$evil again"
    key general.name "$1"
    key tokenizer.chat_template "$evil"
    tensor "$evil" 0 0 8
    tensor "$evil" 0 32 8
    tensor "${evil}unknown" 250 64 8
    tensor "${evil}only$1" 0 96 8
    head -c 200 /dev/zero
    printf '%s' "$1"
}

model one >a.gguf
model two >b.gguf
cp a.gguf "$evil.gguf"
head -c 500 a.gguf >"cut$evil.gguf"
{
    head_of 1 0
    tensor "$evil" 0 0 $((1 << 62)) 64
} >large.gguf
{
    head_of 0 1
    string "$evil"
    number 4 77
} >type.gguf
{
    head_of 1 1
    key general.architecture "$evil"
    tensor "$evil" 2 0 33
    head -c 100 /dev/zero
} >row.gguf
printf '<html>%s' "$evil" >html.gguf
mkdir mnt many "many/$evil"
cp a.gguf many/fine.gguf
cp type.gguf "many/$evil/broken.gguf"
cp a.gguf "many/$evil/also.gguf"

# ---- what must not come through

# harmless FILE: nothing that a terminal would obey, beside tabs and ends of lines; and UTF-8.
harmless() {
    tr '\t\r' '  ' <"$1" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 &&
        ! LC_ALL=C tr '\t\r' '  ' <"$1" | LC_ALL=C grep -aqP \
            '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
}

# A carriage return is what a terminal makes of the end of a line; it must not come elsewhere.
no_return_within() {
    ! LC_ALL=C grep -aqP '\r(?!$)' "$1"
}

# quotes FILE: something of it was shown at all.
quotes() {
    grep -qF owned "$1"
}

one_line_each() {
    ! grep -avE '^(ggufs: )' "$err"
}

escaped() {
    quotes "$err" && harmless "$err" && no_return_within "$err" && one_line_each && harmless "$out"
}

# says NAME ARGUMENT...: standard error and standard output.
says() {
    run "${@:2}"
    verdict "$1" escaped
}

# What this looks for is found.
printf '%s\n' "$evil_name" >plain
sees() {
    ! harmless plain
}
verdict 'the test sees what is not escaped' sees

# ---- errors and warnings

says 'a file that is not there' --check "none$evil.gguf"
says 'a file that is cut off, of an odd name' --check "cut$evil.gguf"
says 'a tensor too large' --check large.gguf
says 'a type of value that nobody knows' --check type.gguf
says 'a command that nobody knows' "--$evil"
says 'an option that nobody knows' -o "$evil" a.gguf mnt
says 'a path that is not there' --cat -q a.gguf "tensors/$evil"
says 'a path of a listing that is not there' --ls -q a.gguf "tensors/$evil"
says 'a user who is not there' -o "setuid=$evil" -q a.gguf mnt
says 'a mountpoint that is not there' -q a.gguf "none$evil"
says 'a store that is not there' --check "hf:$evil/$evil"
run --check html.gguf
verdict 'a file mistaken for a model' harmless "$err"

# found NAME FILE: findings go to standard output.
found() {
    run --check "$2"
    verdict "$1" quotes_safely
}
quotes_safely() {
    quotes "$out" && harmless "$out" && no_return_within "$out" && harmless "$err"
}
found '--check: names in findings' a.gguf
found '--check: a row that is no multiple of its block' row.gguf
found '--check: the name of the file' "$evil.gguf"
run --check many
verdict '--check: a directory of models' quotes_safely
finds_them() {
    matches "$out" 'also\.gguf: warning: ' && matches "$err" 'broken\.gguf: .*type 77'
}
verdict '--check: finds those of odd names too' finds_them
run --diff a.gguf b.gguf
verdict '--diff: names and texts' quotes_safely

run a.gguf mnt
verdict 'mounting: warnings' escaped
unmount mnt
run "$evil.gguf" mnt
verdict 'mounting: a file of an odd name' escaped
unmount mnt
run many mnt
verdict 'mounting: a directory with odd names' harmless "$err"
cat mnt/models.tsv >"$out"
verdict 'models.tsv: paths' quotes_safely
unmount mnt
"$GGUFS" -f "$evil.gguf" mnt >log 2>&1 </dev/null &
wait_until [ -e mnt/info.json ] || true
truncate -s 100 "$evil.gguf"
cat mnt/tensors/* >/dev/null 2>&1 || true
unmount mnt
cp a.gguf "$evil.gguf"
cp log "$err"
verdict 'the log, of a file that was cut off meanwhile' escaped

# ---- on a terminal

# on_terminal ARGUMENT...: what it would show. The line that --diff keeps about how far it is
# is its own, and so is what a terminal echoes of the end of the input.
on_terminal() {
    local command
    printf -v command '%q ' "$GGUFS" "$@"
    SHELL=$BASH script -qec "$command" /dev/null </dev/null >shown 2>"$err" || true
    sed -e 's/\r\x1b\[K//g' -e 's/\r *[0-9]* % of the tensors compared//g' \
        -e 's/\^D\x08\x08//g' -e 's/\r*$//' shown >"$out"
}

shown_safely() {
    quotes "$out" && harmless "$out" && no_return_within "$out"
}

if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    skip 'on a terminal' 'no script(1)'
    finish
    exit
fi
on_terminal --ls a.gguf
verdict 'terminal: --ls' shown_safely
on_terminal --ls "$evil.gguf"
verdict 'terminal: --ls of a file of an odd name' shown_safely
on_terminal --ls -q many
verdict 'terminal: --ls of a directory' shown_safely
on_terminal --check a.gguf "$evil.gguf" type.gguf large.gguf
verdict 'terminal: --check' shown_safely
on_terminal --diff a.gguf b.gguf
verdict 'terminal: --diff' shown_safely
on_terminal --diff --json a.gguf b.gguf
verdict 'terminal: --diff --json' shown_safely
on_terminal a.gguf mnt
verdict 'terminal: mounting' shown_safely
unmount mnt
finish
