# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# TAP for tests that run the program without a mount. Needs GGUFS, the program, and
# GGUFS_SAMPLE, the program that makes the sample model. Leaves the working directory at a new,
# empty one, which goes away at the end.

set -eu
: "${GGUFS:?is the program}" "${GGUFS_SAMPLE:?is the program that makes the sample model}"

case_number=0
failures=0
work=$(mktemp -d)
cd "$work"
trap 'cd /; rm -rf "$work"' EXIT

# What the last `run` gave.
status=0
out=$work/.out
err=$work/.err

# run ARGUMENT...: the program's output and status.
run() {
    status=0
    "$GGUFS" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

# verdict NAME CONDITION...: the case passes where the command CONDITION does.
verdict() {
    case_number=$((case_number + 1))
    verdict_name=$1
    shift
    if "$@"; then
        echo "ok $case_number - $verdict_name"
    else
        echo "not ok $case_number - $verdict_name"
        echo "# status $status"
        sed 's/^/# out: /' "$out" 2>/dev/null | cut -c 1-300 | head -n 20
        sed 's/^/# err: /' "$err" 2>/dev/null | cut -c 1-300 | head -n 20
        failures=$((failures + 1))
    fi
}

skip() {
    case_number=$((case_number + 1))
    echo "ok $case_number - $1 # SKIP $2"
}

# matches FILE PATTERN: an extended regular expression that a line matches; an empty one is
# that the file is empty.
matches() {
    if [ -z "$2" ]; then
        [ ! -s "$1" ]
    else
        grep -Eq -e "$2" "$1"
    fi
}

gave() {
    [ "$status" -eq "$1" ] && matches "$out" "$2" && matches "$err" "$3"
}

# expect NAME STATUS OUT ERR ARGUMENT...: runs the program and holds what it gives against the
# status and the patterns.
expect() {
    expect_name=$1 expect_status=$2 expect_out=$3 expect_err=$4
    shift 4
    run "$@"
    verdict "$expect_name" gave "$expect_status" "$expect_out" "$expect_err"
}

finish() {
    echo "1..$case_number"
    [ "$failures" -eq 0 ]
}
