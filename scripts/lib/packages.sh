# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# The packages that building, running and testing need, by package manager, and how to install
# those that are missing. Needs common.sh. Nothing is installed where nothing is missing.

# What must be there, one line a thing: how to see that it is, then its package in Debian
# (apt), Fedora (dnf), Arch (pacman), Alpine (apk) and openSUSE (zypper); "-" where it comes
# with another one. "program NAME" looks for a command, "library NAME" asks pkg-config,
# "header NAME" asks the compiler.
build_needs='
program cc               gcc             gcc             gcc          build-base   gcc
header  stdio.h          libc6-dev       glibc-devel     glibc        musl-dev     glibc-devel
program meson            meson           meson           meson        meson        meson
program ninja            ninja-build     ninja-build     ninja        samurai      ninja
program pkg-config       pkg-config      pkgconf         pkgconf      pkgconf      pkgconf
library fuse3            libfuse3-dev    fuse3-devel     fuse3        fuse3-dev    fuse3-devel
program fusermount3      fuse3           fuse3           fuse3        fuse3        fuse3
library jansson          libjansson-dev  jansson-devel   jansson      jansson-dev  libjansson-devel
library libcrypto        libssl-dev      openssl-devel   openssl      openssl-dev  libopenssl-devel
library libseccomp       libseccomp-dev  libseccomp-devel libseccomp  libseccomp-dev libseccomp-devel
'
# What the tests need beyond that.
test_needs='
library cmocka           libcmocka-dev   libcmocka-devel cmocka       cmocka-dev   libcmocka-devel
program getfattr         attr            attr            attr         attr         attr
program ps               procps          procps-ng       procps-ng    procps       procps
program jq               jq              jq              jq           jq           jq
program rsync            rsync           rsync           rsync        rsync        rsync
program setpriv          util-linux      util-linux      util-linux   setpriv      util-linux
'
# What the tests use where it is there and pass over where it is not.
test_wants='
program mandoc           mandoc          mandoc          mandoc       mandoc       mandoc
program clang-format     clang-format    clang-tools-extra clang      clang-extra-tools clang-tools
program shellcheck       shellcheck      ShellCheck      shellcheck   shellcheck   ShellCheck
'

# Which column of the tables, and how to call the package manager.
package_column() {
    if have apt-get; then
        echo 3
    elif have dnf; then
        echo 4
    elif have pacman; then
        echo 5
    elif have apk; then
        echo 6
    elif have zypper; then
        echo 7
    else
        echo 0
    fi
}

is_there() {
    case $1 in
    program) have "$2" ;;
    library) have pkg-config && pkg-config --exists "$2" ;;
    header) have cc && printf '#include <%s>\n' "$2" | cc -E -o /dev/null - 2>/dev/null ;;
    esac
}

# missing COLUMN TABLE: the packages of the table's lines that are not there.
missing() {
    local line
    while read -r -a line; do
        if [ "${#line[@]}" -gt 0 ] && ! is_there "${line[0]}" "${line[1]}"; then
            echo "${line[$1 - 1]}"
        fi
    done <<<"$2" | grep -vx -e - | sort -u
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        say "not root, and no sudo: cannot run $*"
        return 1
    fi
}

# install_packages COLUMN PACKAGE...
install_packages() {
    local column=$1
    shift
    case $column in
    3)
        as_root apt-get update -q </dev/null >&2 || say "apt-get update failed; going on with what is known"
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" </dev/null >&2
        ;;
    4) as_root dnf install -y "$@" </dev/null >&2 ;;
    5) as_root pacman -S --needed --noconfirm "$@" </dev/null >&2 ;;
    6) as_root apk add "$@" </dev/null >&2 ;;
    7) as_root zypper --non-interactive install "$@" </dev/null >&2 ;;
    esac
}

# need TABLE: installs what is missing; without it there is no going on.
need() {
    local column packages
    column=$(package_column)
    mapfile -t packages < <(missing "$((column > 0 ? column : 3))" "$1")
    if [ "${#packages[@]}" -eq 0 ]; then
        return
    fi
    if [ "$column" -eq 0 ]; then
        die "no package manager known here; install (Debian's names): ${packages[*]}"
    fi
    say "installing ${packages[*]}"
    install_packages "$column" "${packages[@]}" || die "could not install ${packages[*]}"
}

# want TABLE: the same where it works; what is still missing is said once and done without.
want() {
    local column packages
    column=$(package_column)
    if [ "$column" -eq 0 ]; then
        return
    fi
    mapfile -t packages < <(missing "$column" "$1")
    if [ "${#packages[@]}" -gt 0 ]; then
        say "installing ${packages[*]}"
        install_packages "$column" "${packages[@]}" || say "going on without ${packages[*]}"
    fi
}
