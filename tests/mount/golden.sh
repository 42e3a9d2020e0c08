#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The mount of the sample model, entry by entry, as golden.tsv has it; and that --ls and
# --cat give the same without a mount. To make the table anew after a change that is
# meant, run it with GOLDEN_NEW=1 and what `meson test -v` shows of its environment.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

check_dirs=${1:?is the program check_dirs}
sample sample.gguf
mount_model sample.gguf mnt

table() {
    printf 'inode\ttype\tmode\tlinks\tbytes\tblocks\tpath\n'
    find mnt -printf '%i\t%y\t%m\t%n\t%s\t%b\t%P\n'
}

if [ -n "${GOLDEN_NEW-}" ]; then
    table
    exit
fi

# same_text EXPECTED: what the last command put into "$out".
same_text() {
    diff -u "$1" "$out" >"$err"
}

table >"$out"
verdict 'numbers, types, modes, links, sizes, blocks, names and their order' \
    same_text "$here/golden.tsv"

find sample.gguf -printf '%T@ %T@ %T@ %U %G\n' >expected
find mnt -printf '%A@ %C@ %T@ %U %G\n' | sort -u >"$out"
verdict 'times and owner are the model'"'"'s' same_text expected

run_checked() {
    status=0
    "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}
verdict 'listings agree with stat' run_checked "$check_dirs" mnt

cp sample.gguf private.gguf
chmod 640 private.gguf
mount_model private.gguf private
verdict 'no rights that the model file does not give' \
    [ "$(find private -printf '%y %m\n' | sort -u | tr '\n' ,)" = 'd 550,f 440,' ]
unmount private

find mnt -mindepth 1 -printf '%y\t%s\t%P\n' >expected
run --ls -q sample.gguf
verdict '--ls lists the same' same_text expected

while IFS= read -r -d '' path; do
    run --cat -q sample.gguf "$path"
    verdict "--cat $(printf '%q' "$path")" cmp "mnt/$path" "$out"
done < <(find mnt -type f -printf '%P\0')

unmount mnt
verdict 'no server is left' no_servers
finish
