#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The manual page is right mdoc, and tells of every option that --help tells of.

set -eu
cd "$(dirname "$0")/../.."

if ! command -v mandoc >/dev/null; then
    echo 'no mandoc'
    exit 77
fi
# Other pages that are not installed here are none of our faults.
faults=$(mandoc -T lint -W style src/ggufs.1 2>/dev/null |
    grep -v ': referenced manual not found: ') || true
if [ -n "$faults" ]; then
    printf '%s\n' "$faults"
    exit 1
fi
echo 'mandoc finds nothing'
text=$(mandoc -T ascii src/ggufs.1 | sed $'s/.\b//g')
status=0
for word in $("$GGUFS" --help | grep -oE '^ +[a-z_]+=?|--?[A-Za-z]+' | tr -d ' ' | sort -u); do
    grep -qF -e "$word" <<<"$text" || {
        echo "$word is not in the manual"
        status=1
    }
done
exit "$status"
