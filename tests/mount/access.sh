#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Who may read: exactly those who could read the model file. With allow_other, as owner, group and
# others, with users of the system where some can be made and with bare numbers where not; served
# by root, by another user (setuid=), without privileges.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

sample sample.gguf
if ! can_be_nobody; then
    # What is left to see: the mode follows the file's, and nobody else gets in anyway.
    mkdir mnt
    for mode in 400 440 444; do
        chmod "$mode" sample.gguf
        mount_model sample.gguf mnt
        verdict "a model of mode $mode: its files have it" \
            [ "$(stat -c %a mnt/info.json mnt/tensors/sample.i64 | sort -u)" = "$mode" ]
        unmount mnt
    done
    skip 'other users' 'only root may become them'
    finish
    exit
fi

# ---- users

owner='' member='' stranger=''
users_made=()

# make_user WORD: a user with a group of its own; prints its name.
make_user() {
    local name=gg$1$$
    useradd -M -N -d /nonexistent -s /bin/false "${@:2}" "$name" 2>/dev/null && printf '%s' "$name"
}

remove_users() {
    local name
    for name in "${users_made[@]}"; do
        userdel "$name" 2>/dev/null || true
    done
    [ -z "${group_made-}" ] || groupdel "$group_made" 2>/dev/null || true
    clean_up
}
trap remove_users EXIT

made=
if command -v useradd >/dev/null && groupadd "ggg$$" 2>/dev/null; then
    group_made=ggg$$
    owner=$(make_user o -g "$group_made") && users_made+=("$owner") &&
        member=$(make_user m -G "$group_made") && users_made+=("$member") &&
        stranger=$(make_user s) && users_made+=("$stranger") && made=1
fi

# as WHO COMMAND...
if [ -n "$made" ]; then
    ids="$owner:$group_made"
    as() {
        setpriv --reuid="$(id -u "$1")" --regid="$(id -g "$1")" --init-groups "${@:2}"
    }
else
    owner=65001 member=65002 stranger=65003
    ids=65001:65010
    as() {
        local groups=(--clear-groups)
        [ "$1" != "$member" ] || groups=(--groups 65010)
        setpriv --reuid="$1" --regid="$1" "${groups[@]}" "${@:2}"
    }
    skip 'users of the system' 'none can be made: bare numbers do'
fi

chmod 755 "$work"
chown "$ids" sample.gguf
mkdir mnt many models

# can WHO FILE: reads its first byte.
can() {
    as "$1" head -c 1 "$2" >/dev/null 2>"$err"
}

# same_as_file: each of the three may read the tree's files exactly if it may read the model.
same_as_file() {
    local who file path
    for who in "$owner" "$member" "$stranger"; do
        file=0
        can "$who" sample.gguf || file=1
        for path in info.json tensors.tsv model.gguf metadata/general.name \
            tensors/sample.i64 npy/sample.i64.npy; do
            tree=0
            can "$who" "$1/$path" || tree=1
            [ "$tree" -eq "$file" ] || {
                echo "$who: $path gives $tree, the model $file" >"$err"
                return 1
            }
        done
        tree=0
        as "$who" ls "$1/tensors" >/dev/null 2>"$err" || tree=1
        [ "$tree" -eq "$file" ] || {
            echo "$who: a listing gives $tree, the model $file" >"$err"
            return 1
        }
    done
}

modes() {
    stat -c %a "$1/info.json" "$1/tensors/sample.i64" "$1/model.gguf" | sort -u
}

# directory_mode MODE: read bits, and the right to search where there is one to read.
directory_mode() {
    local bits=0 bit
    for bit in 0400 0040 0004; do
        (((0$1 & bit) == 0)) || bits=$((bits | bit | bit >> 2))
    done
    printf '%o' "$bits"
}

who_can() {
    local who
    for who in "$owner" "$member" "$stranger"; do
        if can "$who" mnt/info.json; then printf y; else printf n; fi
    done
}

while read -r mode readers; do
    chmod "$mode" sample.gguf
    mount_model -o allow_other sample.gguf mnt
    verdict "$mode: files have its read bits" [ "$(modes mnt)" = "$(printf '%o' $((0$mode & 0444)))" ]
    verdict "$mode: directories too" [ "$(stat -c %a mnt/tensors)" = "$(directory_mode "$mode")" ]
    verdict "$mode: owner and group are the model's" \
        [ "$(stat -c %u:%g mnt/info.json)" = "$(stat -c %u:%g sample.gguf)" ]
    verdict "$mode: who reads the model reads the tree, nobody else" same_as_file mnt
    verdict "$mode: owner, group, others: $readers" [ "$(who_can)" = "$readers" ]
    # What root has read is in the kernel's cache now, and is theirs no more than before.
    cat mnt/info.json mnt/tensors/* >/dev/null
    verdict "$mode: the same once it was read by root" same_as_file mnt
    unmount mnt
done <<'END'
644 yyy
640 yyn
600 ynn
604 yny
440 yyn
000 nnn
666 yyy
END

# Without allow_other the kernel lets nobody in but who mounted.
chmod 644 sample.gguf
mount_model sample.gguf mnt
verdict 'without allow_other: nobody else' [ "$(who_can)" = nnn ]
unmount mnt

# ---- many models

for mode in 600 640 644; do
    cp sample.gguf "models/m$mode.gguf"
    chown "$ids" "models/m$mode.gguf"
    chmod "$mode" "models/m$mode.gguf"
done
run -q -o allow_other models many
each_its_own() {
    local mode
    for mode in 600 640 644; do
        [ "$(stat -c %a "many/m$mode/info.json")" = "$(printf '%o' $((0$mode & 0444)))" ] || return 1
    done
}
verdict 'many models: each has its own mode' each_its_own
each_same() {
    local mode who
    for mode in 600 640 644; do
        for who in "$owner" "$member" "$stranger"; do
            tree=0 file=0
            can "$who" "many/m$mode/info.json" || tree=1
            can "$who" "models/m$mode.gguf" || file=1
            [ "$tree" -eq "$file" ] || return 1
        done
    done
}
verdict 'many models: each reads what it may read in the files' each_same
# The table tells what is in every model, of whatever owner and group.
verdict 'many models: models.tsv is for nobody else, as long as one is not for all' \
    [ "$(stat -c %a many/models.tsv)" = 400 ]
unmount many
mkdir public
cp sample.gguf public/model.gguf
run -q -o allow_other public many
verdict 'many models that all may read: so they may models.tsv' \
    [ "$(stat -c %a many/models.tsv)" = 444 ]
unmount many

# ---- root mounts, somebody else serves

chmod 600 sample.gguf
serves_as() {
    [ "$(sed -n 's/^Uid:[[:space:]]*//p' "/proc/$(serving)/status" | tr -s '\t' ' ')" = "$1 $1 $1 $1" ]
}
no_capability() {
    [ "$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$(serving)/status")" = 0000000000000000 ]
}
if [ -n "$made" ]; then
    mount_model -o "allow_other,setuid=$stranger" sample.gguf mnt
    verdict 'setuid=USER: is who serves' serves_as "$(id -u "$stranger")"
    verdict 'setuid=USER: without a capability' no_capability
    verdict 'setuid=USER: gives nobody more than the file does' same_as_file mnt
    verdict 'setuid=USER: the owner reads' can "$owner" mnt/tensors/sample.i64
    unmount mnt
    mount_model -o "allow_other,setuid=$(id -u "$member")" sample.gguf mnt
    verdict 'setuid=NUMBER: is who serves' serves_as "$(id -u "$member")"
    unmount mnt
    chmod 640 models/m600.gguf
    run -q -o "allow_other,setuid=$owner" models many
    verdict 'setuid=USER, many models: opens those the user may read' \
        can "$owner" many/m640/tensors/sample.i64
    verdict 'setuid=USER, many models: gives nobody more than the file does' each_same
    unmount many
fi
mount_model -o allow_other,drop_privileges sample.gguf mnt
verdict 'drop_privileges: without a capability' no_capability
verdict 'drop_privileges: none can come back' \
    [ "$(sed -n 's/^CapBnd:[[:space:]]*//p' "/proc/$(serving)/status")" = 0000000000000000 ]
verdict 'drop_privileges: gives nobody more than the file does' same_as_file mnt
unmount mnt
run -q -o 'setuid=no such user' sample.gguf mnt
verdict 'setuid= somebody who is not there' gave 2 '' '^ggufs: .*no such user$'

# ---- a user mounts

if command -v fusermount3 >/dev/null && [ -u "$(command -v fusermount3)" ] && [ -r "$GGUFS" ]; then
    chmod 644 sample.gguf
    chown "$(as "$stranger" id -u)" mnt
    status=0
    as "$stranger" "$GGUFS" -q sample.gguf mnt >"$out" 2>"$err" </dev/null || status=$?
    if [ "$status" -eq 0 ]; then
        user_reads() {
            as "$stranger" head -c 1 mnt/info.json >/dev/null 2>"$err"
        }
        verdict 'a user mounts, and reads' user_reads
        verdict 'a user mounts: nobody else reads, not even root' \
            sh -c '! head -c 1 mnt/info.json 2>/dev/null'
        verdict 'a user mounts: its files in /proc are root'"'"'s: it cannot be looked into' \
            [ "$(stat -c %u "/proc/$(serving)/mem")" = 0 ]
        as "$stranger" fusermount3 -u mnt 2>"$err" || umount mnt
        wait_until no_servers || true
        as "$stranger" "$GGUFS" -q -o setuid=root sample.gguf mnt >"$out" 2>"$err" </dev/null ||
            status=$?
        verdict 'a user cannot serve as somebody else' gave 2 '' 'only root can serve as somebody else'
    else
        skip 'a user mounts' "$(tail -n 1 "$err")"
    fi
else
    skip 'a user mounts' 'no fusermount3 that is setuid, or the program is out of reach'
fi
finish
