#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What people do with a mount, with the tools that they have.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# quiet COMMAND...: succeeds and has nothing to say.
quiet() {
    status=0
    "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
}

# says EXPECTED COMMAND...: succeeds and says just that.
says() {
    local expected=$1
    shift
    status=0
    "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ] && [ "$(cat "$out")" = "$expected" ]
}

# with TOOL NAME CONDITION...: the case, where there is that tool.
with() {
    if command -v "$1" >/dev/null; then
        verdict "${@:2}"
    else
        skip "$2" "no $1"
    fi
}

sample sample.gguf
mount_model sample.gguf a
mount_model sample.gguf b

verdict 'diff -r of two mounts' quiet diff -r a b
with rsync 'rsync -a -c of two mounts' quiet rsync -a -i --dry-run -c --delete a/ b/
with rsync 'rsync with extended attributes' quiet rsync -aX -i --dry-run -c --delete a/ b/

# total FORMAT: of all that find prints so.
total() {
    find a -printf "$1\n" | awk '{ sum += $1 } END { print sum }'
}
verdict 'du counts what stat says' says "$(total %b)	a" du -s -B 512 a
du_bytes() {
    says "$(find a -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" \
        du_files
}
du_files() {
    find a -type f -print0 | du -b --files0-from=- -c | tail -n 1 | cut -f 1
}
verdict 'du -b counts bytes' du_bytes
verdict 'find finds what ls -R lists' says "$(find a -type f | wc -l)" \
    sh -c "ls -pR a | grep -v -e '/\$' -e ':\$' -e '^\$' | wc -l"
verdict 'ls -l' says "$(stat -c %s a/info.json)" \
    sh -c "ls -l a/info.json | awk '{ print \$5 }'"

size=$(stat -c %s sample.gguf)
df_shows() {
    read -r block blocks free avail names < <(stat -f -c '%S %b %f %a %l' a)
    echo "# blocks of $block: $blocks, free $free, available $avail, names $names"
    [ "$free $avail $names" = '0 0 255' ] && ((blocks * block >= size)) &&
        (((blocks - 1) * block < size)) &&
        says '100%' sh -c "df --output=pcent a | tail -n 1 | tr -d ' '" &&
        says fuse.ggufs sh -c "df --output=fstype a | tail -n 1" &&
        says sample.gguf sh -c "df --output=source a | tail -n 1" && df -h a >"$out"
}
verdict 'df: as large as the model, and full' df_shows

tar -cf a.tar a
mkdir unpacked
tar -xf a.tar -C unpacked
verdict 'tar' quiet diff -r a unpacked/a
cp -a a copied
verdict 'cp -a' quiet diff -r a copied
verdict 'cp -a keeps times and modes' \
    says "$(find a -printf '%P %m %T@\n' | sort)" \
    sh -c "find copied -printf '%P %m %T@\n' | sort"
cp -r a plain
verdict 'cp -r' quiet diff -r a plain
verdict 'grep -r finds a text' says 'a/metadata/general.license.name:MIT License' \
    grep -r 'MIT License' a/metadata
verdict 'tail reads the end alone' says '"ing"' tail -n 1 a/metadata/tokenizer.ggml.tokens
verdict 'dd takes a piece out of the middle' \
    says "$(tail -c +1001 a/info.json | head -c 100)" \
    dd if=a/info.json bs=1 skip=1000 count=100 status=none

# What getfattr shows of a path below the mount.
attributes_of() {
    (cd a && getfattr -d "$1")
}
with getfattr 'attributes of a tensor' says "# file: tensors/blk.0.attn_k.weight
user.gguf.dimensions=\"256x64\"
user.gguf.name=\"blk.0.attn_k.weight\"
user.gguf.offset=\"$(jq '.tensors[3].offset' a/info.json)\"
user.gguf.shape=\"64x256\"
user.gguf.size=\"9216\"
user.gguf.type=\"Q4_0\"" attributes_of tensors/blk.0.attn_k.weight
with getfattr 'attributes of a value' says '# file: metadata/a%2Fkey%2Fwith%2Fslashes
user.gguf.name="a/key/with/slashes"
user.gguf.type="str"' attributes_of 'metadata/a%2Fkey%2Fwith%2Fslashes'
with getfattr 'attributes of an array' says '# file: metadata/tokenizer.ggml.tokens
user.gguf.count="16"
user.gguf.name="tokenizer.ggml.tokens"
user.gguf.type="arr[str]"' attributes_of metadata/tokenizer.ggml.tokens
with getfattr 'attributes of the root' says '# file: .
user.gguf.alignment="32"
user.gguf.architecture="llama"
user.gguf.byte_order="little"
user.gguf.version="3"' attributes_of .
with getfattr 'there are no attributes but user.gguf ones' sh -c \
    'getfattr -n system.posix_acl_access a 2>&1 | grep -q "not supported"'
with getfattr 'attributes of all there is' sh -c 'getfattr -R -d -m - a >/dev/null'

# holds FILTER: true of info.json.
holds() {
    says true jq "$1" a/info.json
}
with jq 'jq: tensors are counted' \
    holds '(.tensors | length) == 21 and .totals.tensors == 21'
with jq 'jq: keys are counted' holds '(.metadata | length) == .file.n_keys'
with jq 'jq: nothing to warn of' holds '.warnings == []'
with jq 'jq: the file' holds '.file.name == "sample.gguf" and .file.version == 3'
with jq 'jq: a value' \
    holds '.metadata["llama.context_length"] == {"type": "u32", "value": 2048}'
with jq 'jq: a tensor' holds '.tensors[3] | [.name, .type, .dimensions, .shape, .size] ==
    ["blk.0.attn_k.weight", "Q4_0", [256, 64], [64, 256], 9216]'
paths_and_sizes() {
    jq -r '.tensors[] | "\(.size) \(.path)"' a/info.json | sort >expected
    (cd a && find tensors -type f -printf '%s %p\n') | sort >"$out"
    cmp expected "$out"
}
with jq 'jq: paths and sizes are those of the files' paths_and_sizes

verdict 'a token by its number' says '"\n"' sed -n 4p a/metadata/tokenizer.ggml.tokens
verdict 'a template' says "$(sed '$d' a/metadata/tokenizer.chat_template; tail -n 1 \
    a/metadata/tokenizer.chat_template)" cat a/chat_template.jinja
verdict 'SHA256SUMS is what sha256sum says' \
    says "$(cd a && sha256sum tensors/* | sort -k 2)" sort -k 2 a/SHA256SUMS
verdict 'sha256sum -c' quiet sh -c 'cd a && sha256sum --quiet -c SHA256SUMS'
# shellcheck disable=SC2016 # awk's own
verdict 'awk adds up a column of the table' says "$(jq .totals.bytes a/info.json)" \
    awk -F '\t' 'NR > 1 { sum += $5 } END { print sum }' a/tensors.tsv

if python3 -c 'import numpy' 2>/dev/null; then
    verdict 'numpy.memmap' python3 - sample.gguf a <<'PYTHON'
import json, numpy, sys
model, mount = sys.argv[1:]
for tensor in json.load(open(mount + "/info.json"))["tensors"]:
    if tensor["type"] == "F32" and tensor["size"]:
        shown = numpy.memmap(mount + "/" + tensor["path"], "<f4", "r")
        known = numpy.fromfile(model, "<f4", tensor["n_elements"], offset=tensor["offset"])
        assert shown.tobytes() == known.tobytes(), tensor["name"]
PYTHON
else
    skip 'numpy.memmap' 'no python3 with numpy'
fi

spm=$shared/models/ggml-vocab-llama-spm.gguf
gpt=$shared/models/ggml-vocab-gpt-2.gguf
if [ -r "$spm" ] && [ -r "$gpt" ]; then
    mount_model "$spm" spm
    mount_model "$gpt" gpt
    verdict 'token 1000 of a real vocabulary' \
        says "$(jq -c '.metadata[] | select(.key == "tokenizer.ggml.tokens").value[1000]' \
            "$shared/models/expected/ggml-vocab-llama-spm.json")" \
        sed -n 1001p spm/metadata/tokenizer.ggml.tokens
    verdict 'its architecture' says llama cat spm/metadata/general.architecture
    differ() {
        status=0
        diff -rq spm/metadata gpt/metadata >"$out" 2>"$err" || status=$?
        [ "$status" -eq 1 ] && [ ! -s "$err" ] &&
            grep -q '^Files spm/metadata/general.architecture and .* differ$' "$out" &&
            grep -qx 'Only in gpt/metadata: tokenizer.ggml.merges' "$out"
    }
    verdict 'diff -r of two models' differ
else
    skip 'real vocabularies' 'the shared material is not here'
fi
finish
