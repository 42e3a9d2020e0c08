#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The crafted files, mounted: what must be refused is, with its status and one line; of
# the others everything can be listed and read, or ends in EIO where data is cut off.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

cases=$shared/cases
if ! [ -r "$cases/expected.tsv" ]; then
    echo '1..0 # SKIP the shared material is not here'
    exit 0
fi
mkdir mnt

# What is read whole here; what is longer is read at both ends.
whole_up_to=16777216

# read_file FILE: into "$out".
read_file() {
    if [ "$(stat -c %s "$1")" -le "$whole_up_to" ]; then
        timeout 120 cat "$1" >"$out" 2>"$err"
    else
        timeout 120 head -c 65536 "$1" >"$out" 2>"$err" &&
            timeout 120 tail -c 65536 "$1" >"$out" 2>"$err"
    fi
}

cut_off() {
    grep -q -e 'cut off' -e 'past the end' -e 'end of the file' -e 'missing' warnings
}

# walk: lists all, reads all; only what shows data may fail, and only where it is cut off.
walk() {
    local path
    find mnt -printf '%y %s %p\n' >"$out" 2>"$err" || return 1
    while IFS= read -r -d '' path; do
        if read_file "$path"; then
            [ "$(stat -c %s "$path")" -gt "$whole_up_to" ] ||
                [ "$(stat -c %s "$path")" -eq "$(stat -c %s "$out")" ] || return 1
        else
            matches "$err" 'Input/output error' && cut_off || return 1
            case $path in
            mnt/tensors/* | mnt/npy/* | mnt/model.* | mnt/SHA256SUMS) ;;
            *) return 1 ;;
            esac
        fi
    done < <(find mnt -type f -print0)
    jq -e '.warnings | type == "array"' mnt/info.json >"$out" 2>"$err"
}

# With -o strict a model that has warnings is refused.
strict_refuses() {
    run -q -o strict "$1" mnt
    { [ "$status" -eq 3 ] || [ "$status" -eq 5 ]; } && [ "$(wc -l <"$err")" -eq 1 ] &&
        not_mounted mnt
}

strict_mounts() {
    run -o strict "$1" mnt
    gave 0 '' '' && unmount mnt
}

# Faults that are of no byte: the file is too short for a header.
no_place='^(00_empty|01_magic_only|02_magic_3bytes)'

refused() {
    { [ "$status" -eq 3 ] || [ "$status" -eq 4 ]; } && [ ! -s "$out" ] &&
        [ "$(wc -l <"$err")" -eq 1 ] && not_mounted mnt &&
        if [[ $1 =~ $no_place ]]; then
            matches "$err" '^ggufs: .+: .'
        else
            matches "$err" '^ggufs: .+: .+ \(at byte [0-9]+\)$'
        fi
}

mounts_with() {
    gave 0 '' "$1" && mounted mnt
}

case_is() {
    local file=$cases/$1
    run "$file" mnt
    cp "$err" warnings
    case $2 in
    reject) refused "$1" ;;
    warn) mounts_with 'warning: ' && walk && unmount mnt && strict_refuses "$file" ;;
    ok) mounts_with '' && walk && unmount mnt && strict_mounts "$file" ;;
    mount) mounted mnt && [ "$status" -eq 0 ] && walk && unmount mnt ;;
    *) false ;;
    esac
}

while IFS=$'\t' read -r file expected _; do
    verdict "$file: $expected" case_is "$file" "$expected"
    not_mounted mnt || take_away -z mnt
done <"$cases/expected.tsv"
verdict 'no server is left' wait_until no_servers
finish
