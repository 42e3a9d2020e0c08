#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Many models in one mount: a directory of them or several files; what they are called, what is
# skipped, that they are opened when somebody looks and closed again, and that files which come
# and go are noticed.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

make_gguf=${1:?is the program make_gguf}

# model NAME...: small models, each with its own name as a key and in a tensor.
model() {
    local name
    for name; do
        mkdir -p "$(dirname "$name")"
        printf '%s\n' "file $name" 'key str general.architecture llama' \
            "key str general.name the model $name" 'key u32 llama.block_count 1' \
            "tensor first F32 ${#name} 32 16" "tensor second Q8_0 1 64 4"
    done | "$make_gguf"
}

# states MOUNT: name and state of models.tsv, up to the first colon.
states() {
    tail -n +2 "$1/models.tsv" | cut -f 1,7 | cut -d : -f 1 | tr '\t\n' '= '
}

# held WHERE: descriptors and maps that the servers have of files below a directory.
held() {
    local pid n=0
    for pid in $(servers); do
        n=$((n + $(find "/proc/$pid/fd" -lname "$(pwd)/$1/*" -printf '%p\n' | wc -l)))
        n=$((n + $(grep -cF " $(pwd)/$1/" "/proc/$pid/maps" || true)))
    done
    echo "$n"
}

# holds NAME WHERE OPERATOR NUMBER: the case passes where so many are held; only root may look.
holds() {
    if [ "$(id -u)" -eq 0 ]; then
        verdict "$1" [ "$(held "$2")" "$3" "$4" ]
    else
        skip "$1" 'only root may look'
    fi
}

model zoo/one.gguf zoo/a/twin.gguf zoo/b/twin.gguf zoo/a/x/deep.gguf zoo/lone-00001-of-00001.gguf
for no in 1 2; do
    printf '%s\n' "file zoo/set-0000$no-of-00002.gguf" "key u16 split.no $((no - 1))" \
        'key u16 split.count 2' 'key i32 split.tensors.count 2' "tensor t$no F32 $no 8"
done | "$make_gguf"

# A directory.
mount_model zoo mnt
verdict 'a directory: a directory a model, folders only where names clash' \
    shows mnt 'a-twin b-twin deep lone models.tsv one set '
verdict 'each is its own model' grep -qx 'the model zoo/b/twin.gguf' mnt/b-twin/metadata/general.name
verdict 'a set is one' [ "$(ls mnt/set/tensors | tr '\n' ' ')" = 't1 t2 ' ]
all_ok() {
    [ "$(states mnt)" = 'a-twin=ok b-twin=ok deep=ok lone=ok one=ok set=ok ' ]
}
verdict 'models.tsv: all are fine' all_ok
verdict 'models.tsv: its columns' \
    [ "$(head -n 1 mnt/models.tsv | tr '\t' ' ')" = 'name path architecture parameters types bytes state' ]
one_line() {
    grep -P "^one\t" mnt/models.tsv >"$out"
    [ "$(cat "$out")" = "$(printf 'one\t%s\tllama\t768\tF32,Q8_0\t%s\tok' \
        "$(realpath zoo/one.gguf)" "$(stat -c %s zoo/one.gguf)")" ]
}
verdict 'models.tsv: a line' one_line
run --ls -q zoo
listed() {
    [ "$(cut -f 3 "$out" | LC_ALL=C sort)" = \
        "$(find mnt -mindepth 1 -printf '%P\n' | LC_ALL=C sort)" ]
}
verdict '--ls lists the same' listed
run --cat -q zoo a-twin/metadata/general.name
verdict '--cat finds what is in one' gave 0 '^the model zoo/a/twin\.gguf$' ''
run --check zoo
verdict '--check goes through all' [ "$status $(grep -c ': ok$' "$out")" = '0 6' ]
differ() {
    status=0
    diff -r mnt/a-twin/metadata mnt/b-twin/metadata >"$out" 2>"$err" || status=$?
    [ "$status" -eq 1 ] && [ "$(grep -c '^[<>]' "$out")" -eq 2 ] &&
        grep -qx '< the model zoo/a/twin.gguf' "$out"
}
verdict 'diff -r of the metadata of two' differ
mount_model zoo/one.gguf single
verdict 'a model is as it is in a mount of its own' diff -r single mnt/one
unmount single
mount_model zoo second
same_numbers() {
    [ "$(cd mnt && find . -printf '%P %i %s %T@\n' | sort)" = \
        "$(cd second && find . -printf '%P %i %s %T@\n' | sort)" ]
}
verdict 'two mounts are the same, inode numbers too' same_numbers
different_numbers() {
    [ -z "$(find mnt -printf '%i\n' | sort | uniq -d)" ]
}
verdict 'no inode number is there twice' different_numbers
verdict 'what is not there' [ ! -e mnt/none ]
unmount mnt second

# Several files.
mount_model zoo/one.gguf zoo/b/twin.gguf zoo/a/twin.gguf mnt
verdict 'several files' shows mnt 'a-twin b-twin models.tsv one '
unmount mnt
mount_model zoo/set-00002-of-00002.gguf zoo/one.gguf mnt
verdict 'a set and a file' shows mnt 'models.tsv one set '
unmount mnt
mount_model zoo/a zoo/b zoo/one.gguf mnt
verdict 'directories and a file' shows mnt 'a-twin b-twin deep models.tsv one '
unmount mnt
mkdir bare
(cd bare && status=0 && "$GGUFS" -q ../zoo) || bail 'no mount without a mountpoint'
verdict 'without a mountpoint it is called after the directory' \
    shows bare/zoo 'a-twin b-twin deep lone models.tsv one set '
unmount bare/zoo
verdict 'and is gone again' wait_until [ ! -e bare/zoo ]

# Names that meet. None is hidden.
model clash/t.gguf clash/t-00001-of-00001.gguf clash/u/t.gguf clash/models.tsv.gguf \
    'clash/a-b/c.gguf' 'clash/a/b/c.gguf' 'clash/a/b-c.gguf' 'clash/%2F.gguf' 'clash/ sp ace.gguf'
mount_model clash mnt
all_there() {
    names mnt >"$out"
    [ "$(cat mnt/*/metadata/general.name 2>"$err" | sort -u | wc -l)" -eq 9 ] &&
        [ "$(find mnt -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 9 ] && [ -f mnt/models.tsv ]
}
verdict 'names that clash are all there' all_there
paths_right() {
    tail -n +2 mnt/models.tsv | cut -f 1,2 >lines
    [ "$(wc -l <lines)" -eq 9 ] && while IFS=$'\t' read -r name path; do
        cmp "mnt/$name/model.gguf" "$path" >"$err" 2>&1 || return
    done <lines
}
verdict 'and models.tsv says which is which' paths_right
unmount mnt

# What is no model, in every way.
model bad/good.gguf bad/locked/in.gguf
echo 'no model' >bad/junk.gguf
: >bad/empty.gguf
head -c 200 bad/good.gguf >bad/cut.gguf
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >bad/lfs.gguf
{ printf 'GGUF\004\000\000\000' && tail -c +9 bad/good.gguf; } >bad/four.gguf
cp zoo/set-00002-of-00002.gguf bad/half-00002-of-00002.gguf
mkfifo bad/fifo.gguf
ln -s nowhere bad/dangling.gguf
ln -s self.gguf bad/self.gguf
mkdir bad/folder.gguf bad/x bad/y
ln -s ../y bad/x/y
ln -s ../x bad/y/x
ln -s . bad/again
echo text >bad/README.md
printf 'tab\tand\nnewline' >$'bad/new\nline\t.gguf'
mount_model bad mnt
verdict 'what is broken is left out' shows mnt 'good in models.tsv '
skipped() {
    cp mnt/models.tsv "$out"
    grep -P "^$1[^\t]*\t[^\t]*\t\t\t\t\tskipped: .*$2" mnt/models.tsv >"$err"
}
while read -r name pattern; do
    verdict "models.tsv: $name is skipped: $pattern" skipped "$name" "$pattern"
done <<'LIST'
junk not a GGUF file
empty empty
cut at byte 1
lfs git-lfs pointer
four version
half shard 1 of 2 is missing
fifo not a regular file
dangling a link to nothing
self link
again cycle
LIST
verdict 'models.tsv: cycles of two are cut too' skipped '[xy]' cycle
verdict 'models.tsv: seven columns, whatever files are called' \
    awk -F '\t' 'NF != 7 { exit 1 }' mnt/models.tsv
verdict 'a text file is not spoken of' sh -c '! grep -q README mnt/models.tsv'
run --ls bad
told() {
    [ "$status" -eq 0 ] && grep -q '^ggufs: .*bad/junk\.gguf: not a GGUF' "$err" &&
        grep -q 'bad/fifo\.gguf: not a regular file' "$err"
}
verdict 'what is skipped is told' told
run --ls -q bad
verdict 'but not with -q' gave 0 'good' ''
run --check bad
checked() {
    [ "$status" -eq 5 ] && grep -q 'good.*: ok$' "$out" && grep -q 'junk' "$err"
}
verdict '--check says the worst' checked
unmount mnt
# A file without rights, and a directory: needs somebody who has none.
if can_be_nobody; then
    without_rights=as_nobody
    chmod 755 "$work"
elif [ "$(id -u)" -ne 0 ]; then
    without_rights='env'
else
    without_rights=
fi
if [ -n "$without_rights" ]; then
    chmod 0 bad/locked bad/cut.gguf
    status=0
    "$without_rights" "$GGUFS" --ls bad >"$out" 2>"$err" || status=$?
    rest_is_there() {
        # As find does it: all that there is, and status 1 for what could not be looked at.
        [ "$status" -eq 1 ] && matches "$out" 'good/info\.json' &&
            matches "$err" 'bad/locked: .*Permission denied' &&
            matches "$err" 'cut.*: Permission denied'
    }
    verdict 'a directory and a file without rights: the rest is there' rest_is_there
    chmod 755 bad/locked bad/cut.gguf
else
    skip 'a directory and a file without rights' 'root may read all, and cannot become another'
fi
mkdir empty
mount_model empty mnt
verdict 'an empty directory' shows mnt 'models.tsv '
unmount mnt

# Files come and go.
model live/stays.gguf live/goes.gguf
mount_model live mnt
verdict 'at first' shows mnt 'goes models.tsv stays '
exec 3<mnt/goes/tensors/first
model live/new/comes.gguf
wait_until test -d mnt/comes || true
verdict 'a file that comes is found by its name' [ -d mnt/comes ]
verdict 'and listed' shows mnt 'comes goes models.tsv stays '
verdict 'and can be read' grep -qx 'the model live/new/comes.gguf' mnt/comes/metadata/general.name
head -c 2048 live/goes.gguf >/dev/null
cp live/goes.gguf kept.gguf
rm live/goes.gguf
wait_until shows mnt 'comes models.tsv stays ' || true
verdict 'a file that goes is no longer listed' shows mnt 'comes models.tsv stays '
verdict 'nor in models.tsv' [ "$(states mnt)" = 'stays=ok comes=ok ' ]
"$GGUFS" --cat -q kept.gguf tensors/first >first
verdict 'who has it open reads on' cmp first - <&3
exec 3<&-
model other.gguf
mv other.gguf live/stays.gguf
stays_says() {
    grep -qx "the model $1" mnt/stays/metadata/general.name
}
wait_until stays_says other.gguf || true
verdict 'a file that is replaced is shown anew' stays_says other.gguf
echo junk >live/new/broken.gguf
broken_came() {
    ls mnt >/dev/null && grep -q '^broken' mnt/models.tsv
}
wait_until broken_came || true
verdict 'a broken one that comes is in models.tsv' grep -qP '^broken\t.*skipped: ' mnt/models.tsv
verdict 'and left out of the list' shows mnt 'comes models.tsv stays '
model fixed.gguf
mv fixed.gguf live/new/broken.gguf
wait_until test -e mnt/broken/info.json || true
verdict 'when it is mended it is there' [ -e mnt/broken/info.json ]
rm -r live/new
wait_until shows mnt 'models.tsv stays ' || true
verdict 'a folder that goes' shows mnt 'models.tsv stays '
unmount mnt

# The mount below the directory that is searched, in which it would find itself.
mkdir self
model self/m.gguf
(
    cd self
    mkdir mnt
    timeout 60 "$GGUFS" -q . ./mnt
) || bail 'a mount below the directory'
verdict 'a mount below the directory itself' timeout 60 test "$(timeout 60 ls self/mnt | tr '\n' ' ')" = 'm models.tsv '
model self/n.gguf
sees_itself() {
    [ "$(timeout 60 ls self/mnt | tr '\n' ' ')" = 'm models.tsv n ' ]
}
wait_until sees_itself || true
verdict 'it is searched again and does not hang' sees_itself
verdict 'and models.tsv has not the mount in it' [ "$(states self/mnt)" = 'm=ok n=ok ' ]
unmount self/mnt
wait_until no_servers || true # which was not called by that name

# 500 models under a server that may have 64 descriptors.
many=()
for ((i = 100; i < 600; i++)); do
    many+=("herd/$((i % 7))/model-$i.gguf")
done
model "${many[@]}"
few_descriptors() {
    mkdir -p mnt
    status=0
    (ulimit -n 64 && exec timeout 60 "$GGUFS" -q "$@") >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}
verdict '500 models, 64 descriptors: it mounts' few_descriptors herd mnt
limited() {
    local pid
    for pid in $(serving); do
        grep -Eq '^Max open files +64 +64' "/proc/$pid/limits" || return
    done
}
verdict 'the limit holds' limited
holds 'nothing of them is open or mapped' herd -eq 0
verdict 'their names are listed' [ "$(find mnt -mindepth 1 -maxdepth 1 -name 'model-*' | wc -l)" -eq 500 ]
ls -U mnt >/dev/null
# Listing says what is a model and what is broken, so it looks into each, once.
holds 'after that only the last ones are' herd -le 32
cat mnt/model-123/metadata/general.name mnt/model-599/metadata/general.name >"$out"
verdict 'two are read' grep -qx 'the model herd/4/model-599.gguf' "$out"
verdict 'all are read' [ "$(cat mnt/*/metadata/general.name | sort -u | wc -l)" -eq 500 ]
holds 'few of them stay open' herd -le 32
cp mnt/models.tsv "$out"
verdict 'models.tsv has all' [ "$(grep -c 'ok$' "$out")" -eq 500 ]
# One that is in use stays, whatever else is read.
exec 3<mnt/model-300/tensors/first
cat mnt/*/tensors/second | sha256sum >/dev/null
"$GGUFS" --cat -q "herd/$((300 % 7))/model-300.gguf" tensors/first >first
verdict 'one that is in use is not closed' cmp first - <&3
exec 3<&-
at_once() {
    local i pids=() pid
    for i in 1 2 3 4; do
        cat mnt/*/tensors/first | sha256sum >"sum$i" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || return
    done
    cat sum? >"$out"
    [ "$(sort -u "$out" | wc -l)" -eq 1 ] &&
        [ "$(cut -c 1-64 sum1)" = "$(for ((i = 100; i < 600; i++)); do
            cat "mnt/model-$i/tensors/first"
        done | sha256sum | cut -c 1-64)" ]
}
verdict 'four readers of all at once' at_once
holds 'and few stay open' herd -le 32
unmount mnt
finish
