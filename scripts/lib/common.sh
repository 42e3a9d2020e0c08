# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What all scripts share: where the project is, how to say things, how to build. Sourced by
# them; leaves the working directory at the project's root.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$project" || exit

# Steps go to standard error: a script's standard output is its result.
say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
    say "$*"
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# The compiler, through ccache where that works and nobody chose another.
compiler() {
    if [ -n "${CC:-}" ]; then
        printf '%s\n' "$CC"
    elif have ccache && ccache_works; then
        printf 'ccache cc\n'
    else
        printf 'cc\n'
    fi
}

# It does not where it has no directory for its cache.
ccache_works() {
    local object status=0
    object=$(mktemp)
    ccache cc -c -x c /dev/null -o "$object" 2>/dev/null || status=1
    rm -f "$object"
    return "$status"
}

# build DIRECTORY [MESON OPTION]...: configures where needed and builds everything. A directory
# that was configured elsewhere (a copied checkout) or by another Meson is made anew.
build() {
    local directory=$1
    shift
    if ! configured_here "$directory" || ! meson configure "$directory" "$@" >&2; then
        rm -rf "$directory"
        CC=$(compiler) meson setup "$directory" "$@" >&2 || return
    fi
    ninja -C "$directory" >&2
}

configured_here() {
    [ -f "$1/build.ninja" ] &&
        grep -qF "$project/" "$1/meson-info/intro-buildsystem_files.json" 2>/dev/null
}
