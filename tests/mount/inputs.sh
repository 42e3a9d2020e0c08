#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is no model is refused in one line, with its status; nothing is mounted, nothing
# hangs and nothing is left behind.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

sample sample.gguf
mkfifo fifo.gguf
: >empty.gguf
head -c 100 sample.gguf >head.gguf
{ printf 'GGUF\004\000\000\000' && tail -c +9 sample.gguf; } >version4.gguf
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >lfs.gguf
ln -s nowhere.gguf dangling.gguf
ln -s loop.gguf loop.gguf
mkdir folder.gguf mnt

# refused STATUS PATTERN
refused() {
    [ "$status" -eq "$1" ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] &&
        matches "$err" "$2" && [ -z "$(mounts)" ] && wait_until no_servers
}

# refuses NAME STATUS PATTERN ARGUMENT...: with a mountpoint, and with one that would be
# made.
refuses() {
    local before
    run -q "${@:4}" mnt
    verdict "$1" refused "$2" "$3"
    before=$(ls -A)
    run -q "${@:4}"
    verdict "$1, without a mountpoint" refused "$2" "$3"
    verdict "$1, nothing is left behind" [ "$(ls -A)" = "$before" ]
}

#       name                   status  message                                        arguments
refuses 'no such file'              1  '^ggufs: none\.gguf: .*No such file'            none.gguf
refuses 'a link to nowhere'         1  '^ggufs: dangling\.gguf: .*No such file'        dangling.gguf
refuses 'a link to itself'          1  '^ggufs: loop\.gguf: .*symbolic links'          loop.gguf
refuses 'a FIFO'                    3  '^ggufs: fifo\.gguf: .*regular file'            fifo.gguf
refuses 'a device'                  3  '^ggufs: /dev/null: .*regular file'             /dev/null
refuses 'an empty file'             3  '^ggufs: empty\.gguf: '                         empty.gguf
refuses 'the head cut off'          3  '^ggufs: head\.gguf: .* \(at byte [0-9]+\)$'    head.gguf
refuses 'version 4'                 4  '^ggufs: version4\.gguf: .* \(at byte 4\)$'     version4.gguf
refuses 'a git-lfs pointer'         3  '^ggufs: lfs\.gguf: .*[Ll][Ff][Ss]'             lfs.gguf

# A directory is many models, none here: a tree that is empty but for its table.
run -q -o single folder.gguf mnt
no_model() {
    [ "$status" -eq 0 ] && [ "$(ls mnt)" = models.tsv ] &&
        [ "$(wc -l <mnt/models.tsv)" -eq 1 ]
}
verdict 'a directory without models' no_model
[ "$status" -ne 0 ] || unmount mnt

if can_be_nobody; then
    chmod 755 "$work"
    chmod 600 sample.gguf
    mkdir -m 777 nobodys
    run_as_nobody() {
        status=0
        as_nobody "$GGUFS" -q sample.gguf nobodys >"$out" 2>"$err" </dev/null || status=$?
    }
    run_as_nobody
    verdict 'a file without rights' refused 1 '^ggufs: sample\.gguf: .*Permission denied'
else
    skip 'a file without rights' 'only root can become a user who has none'
fi
finish
