#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Nothing in a mount can be changed, not by root either.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

try_writes=${1:?is the program try_writes}
sample sample.gguf
mount_model sample.gguf mnt
find mnt -printf '%i %y %m %n %s %T@ %P\n' >before

"$try_writes" mnt >results
while IFS=$'\t' read -r name got expected; do
    verdict "$name: $got" [ "$got" = "$expected" ]
done <results
verdict 'all ways were tried' [ "$(wc -l <results)" -gt 45 ]

unchanged() {
    find mnt -printf '%i %y %m %n %s %T@ %P\n' | cmp - before &&
        cmp mnt/model.gguf sample.gguf
}
verdict 'nothing has changed' unchanged

if can_be_nobody; then
    chmod 755 "$work"
    as_nobody "$try_writes" mnt >results 2>"$err" || true
    verdict 'another user does not even get in' \
        [ ! -s results ]
else
    skip 'another user' 'only root can become one'
fi
finish
