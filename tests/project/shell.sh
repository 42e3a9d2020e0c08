#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The project's shell scripts have nothing that shellcheck finds fault with.

set -eu
cd "$(dirname "$0")/../.."

if ! command -v shellcheck >/dev/null; then
    echo 'no shellcheck'
    exit 77
fi
version=$(shellcheck --version | sed -n 's/^version: //p')
if [ "$(printf '%s\n' 0.9 "$version" | sort -V | head -n 1)" != 0.9 ]; then
    echo "shellcheck 0.9 follows what a script sources; here it is $version"
    exit 77
fi
mapfile -t scripts < <(
    find scripts .ci -maxdepth 1 -type f
    find tests -name '*.sh' ! -name lib.sh
)
shellcheck -S warning "${scripts[@]}"
# What a library sets, others use, and the other way round.
mapfile -t libraries < <(
    find scripts/lib -name '*.sh'
    find tests -name lib.sh
)
shellcheck -S warning -e SC2034,SC2154 "${libraries[@]}"
