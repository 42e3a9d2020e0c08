#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Models by their names in the stores of Ollama, Hugging Face and LM Studio, laid out here as the
# real programs lay them out: one model, a whole store, what is damaged, what is not there.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

make_gguf=${1:?is the program make_gguf}

# Nothing of who runs the test.
unset OLLAMA_MODELS HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HOME XDG_CACHE_HOME
export HOME=$work/home
mkdir home files

# model NAME: files/NAME, which says so.
model() {
    printf '%s\n' "file files/$1" 'key str general.architecture llama' \
        "key str general.name $1" "tensor weight F32 ${#1} 8 4" | "$make_gguf"
}

is() {
    [ "$(cat "$1/metadata/general.name" 2>"$err")" = "$2" ]
}

# one TYPED NAME: a name that is typed mounts that model.
one() {
    run -q "$1" mnt
    verdict "$1: mounts $2" is mnt "$2"
    [ "$status" -ne 0 ] || unmount mnt
    run --cat -q "$1" metadata/general.name
    verdict "$1: --cat" gave 0 "^$2\$" ''
}

refused() {
    [ "$status" -eq "$1" ] && [ "$(wc -l <"$err")" -eq 1 ] && matches "$err" "$2" &&
        [ -z "$(mounts)" ] && wait_until no_servers
}

# none STATUS TYPED PATTERN: a name that mounts nothing.
none() {
    run -q "$2" mnt
    verdict "$2: $3" refused "$1" "$3"
}
mkdir mnt

# ---- Ollama

ollama=$HOME/.ollama/models

# blob FILE: puts it into the store; its digest.
blob() {
    local hash
    hash=$(sha256sum <"$1" | cut -c 1-64)
    mkdir -p "$ollama/blobs"
    cp "$1" "$ollama/blobs/sha256-$hash"
    echo "sha256:$hash"
}

# layer TYPE FILE
layer() {
    printf '{"mediaType":"application/vnd.ollama.image.%s","digest":"%s","size":%s}' "$1" \
        "$(blob "$2")" "$(stat -c %s "$2")"
}

# manifest PATH LAYER...
manifest() {
    local IFS=,
    mkdir -p "$(dirname "$ollama/manifests/$1")"
    printf '{"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json",%s,"layers":[%s]}' \
        '"config":{"mediaType":"application/vnd.docker.container.image.v1+json","digest":"sha256:0","size":561}' \
        "${*:2}" >"$ollama/manifests/$1"
}

library=registry.ollama.ai/library
for name in small large vision eyes tuned change foreign; do
    model "$name"
done
echo '{"stop":["x"]}' >params
echo '{{ .Prompt }}' >template
manifest "$library/llama3.2/3b" "$(layer model files/large)" "$(layer template template)" \
    "$(layer params params)"
manifest "$library/llama3.2/latest" "$(layer model files/small)" "$(layer template template)"
manifest "$library/llava/7b" "$(layer projector files/eyes)" "$(layer model files/vision)"
manifest registry.ollama.ai/somebody/tuned/v1 "$(layer model files/tuned)" "$(layer adapter files/change)"
manifest hf.co/org/Repo-GGUF/Q4_K_M "$(layer model files/foreign)"
echo x >"$ollama/manifests/$library/llama3.2/.DS_Store"

one ollama:llama3.2 small
one ollama:llama3.2:3b large
one ollama:LLAMA3.2:3B large
one ollama:library/llama3.2:latest small
one ollama:registry.ollama.ai/library/llama3.2:3b large
one ollama:llava:7b vision
one ollama:somebody/tuned:v1 tuned
one ollama:hf.co/org/Repo-GGUF:Q4_K_M foreign
none 1 ollama:llama3.2:70b 'llama3\.2:3b'
none 1 ollama:lama3.2:3b 'llama3\.2:3b'
none 1 ollama:somebody/tuned 'somebody/tuned:v1'
none 1 ollama:nothing/like:it '^ggufs: ollama:nothing/like:it: '

mount_model ollama: mnt
verdict 'ollama: as a whole' shows mnt 'hf.co-org-Repo-GGUF:Q4_K_M llama3.2:3b llama3.2:latest llava:7b llava:7b-projector models.tsv somebody-tuned:v1 somebody-tuned:v1-adapter '
verdict 'ollama: a model of it' is mnt/llama3.2:3b large
verdict 'ollama: a projector beside its model' is mnt/llava:7b-projector eyes
verdict 'ollama: an adapter beside its model' is mnt/somebody-tuned:v1-adapter change
verdict 'ollama: models.tsv' [ "$(grep -c 'ok$' mnt/models.tsv)" -eq 7 ]
verdict 'ollama: the file is the blob' cmp mnt/llava:7b/model.gguf files/vision
model pulled
manifest "$library/pulled/latest" "$(layer model files/pulled)"
pulled() {
    ls mnt >/dev/null && is mnt/pulled:latest pulled
}
wait_until pulled || true
verdict 'ollama: a model that is pulled meanwhile' pulled
unmount mnt

# What is damaged does not take the rest along.
mkdir -p "$ollama/manifests/$library/broken" "$ollama/manifests/$library/cut"
echo 'no JSON' >"$ollama/manifests/$library/broken/latest"
head -c 100 "$ollama/manifests/$library/llava/7b" >"$ollama/manifests/$library/cut/latest"
manifest "$library/lost/latest" '{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:1111111111111111111111111111111111111111111111111111111111111111","size":1}'
manifest "$library/escapes/latest" '{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:../../../../files/small","size":1}'
manifest "$library/nothing/latest" "$(layer template template)"
echo 'no model' >junk
manifest "$library/junk/latest" "$(layer model junk)"
mkfifo "$ollama/manifests/$library/fifo"
none 1 ollama:broken 'the manifest is no JSON'
none 1 ollama:cut 'the manifest is no JSON'
none 1 ollama:lost 'blobs/sha256-1111'
none 1 ollama:escapes 'without a sha256 digest'
none 1 ollama:nothing 'without a GGUF model'
none 3 ollama:junk 'not a GGUF file'
mount_model ollama: mnt
verdict 'ollama: the rest is there' shows mnt 'hf.co-org-Repo-GGUF:Q4_K_M llama3.2:3b llama3.2:latest llava:7b llava:7b-projector models.tsv pulled:latest somebody-tuned:v1 somebody-tuned:v1-adapter '
skipped() {
    cp mnt/models.tsv "$out"
    grep -P "^$1[^\t]*\t[^\t]*\t\t\t\t\tskipped: .*$2" mnt/models.tsv >"$err"
}
while read -r name pattern; do
    verdict "ollama: models.tsv: $name is skipped: $pattern" skipped "$name" "$pattern"
done <<'LIST'
broken JSON
cut JSON
lost blobs/sha256-1111
escapes without a sha256 digest
nothing without a GGUF model
junk not a GGUF file
LIST
unmount mnt

mv "$ollama" elsewhere
none 1 ollama:llama3.2 "$HOME/\.ollama/models"
export OLLAMA_MODELS=$work/elsewhere
one ollama:llama3.2:3b large
unset OLLAMA_MODELS

# ---- Hugging Face

hub=$HOME/.cache/huggingface/hub
first=5ab33fa94d1d04e903623ae72c95d1696f09f9e8
second=067b946cf014b7c697f3654f621d577a3e3afd1c

# download REPOSITORY COMMIT FILE [NAME]: a blob and the link to it that has the file's name.
download() {
    local folder=$hub/models--${1//\//--} hash up=../..
    [ -e "files/${4-$3}" ] || model "${4-$3}"
    hash=$(sha256sum <"files/${4-$3}" | cut -c 1-64)
    mkdir -p "$folder/blobs" "$folder/refs" "$(dirname "$folder/snapshots/$2/$3")"
    cp "files/${4-$3}" "$folder/blobs/$hash"
    case $3 in */*) up=../../.. ;; esac
    ln -s "$up/blobs/$hash" "$folder/snapshots/$2/$3"
    [ -e "$folder/refs/main" ] || printf %s "$2" >"$folder/refs/main"
}

for no in 1 2; do
    printf '%s\n' "file files/shard-$no" "key str general.name a set" "key u16 split.no $((no - 1))" \
        'key u16 split.count 2' 'key i32 split.tensors.count 2' "tensor t$no F32 $no 8"
done | "$make_gguf"
download Qwen/Qwen2.5-0.5B-GGUF $first qwen-q4_k_m.gguf
download Qwen/Qwen2.5-0.5B-GGUF $first qwen-q8_0.gguf
download Qwen/Qwen2.5-0.5B-GGUF $first fp16/qwen-fp16-00001-of-00002.gguf shard-1
download Qwen/Qwen2.5-0.5B-GGUF $first fp16/qwen-fp16-00002-of-00002.gguf shard-2
download Qwen/Qwen2.5-0.5B-GGUF $second qwen-q2_k.gguf
download org/one-GGUF $second only-Q5_K_M.gguf
download org/one-GGUF $second mmproj-only-f16.gguf
download plain $first plain.gguf
mkdir -p "$hub/models--org--safetensors/snapshots/$first" "$hub/.locks" "$hub/datasets--org--data"
echo x >"$hub/models--org--safetensors/snapshots/$first/model.safetensors"

one hf:Qwen/Qwen2.5-0.5B-GGUF:Q4_K_M qwen-q4_k_m.gguf
one hf:Qwen/Qwen2.5-0.5B-GGUF:qwen-q8_0.gguf qwen-q8_0.gguf
one hf:qwen/qwen2.5-0.5b-gguf:q8_0 qwen-q8_0.gguf
one hf:Qwen/Qwen2.5-0.5B-GGUF:fp16 'a set'
one hf:org/one-GGUF only-Q5_K_M.gguf
one hf:org/one-GGUF:mmproj-only-f16.gguf mmproj-only-f16.gguf
one hf:plain plain.gguf
mount_model hf:Qwen/Qwen2.5-0.5B-GGUF mnt
verdict 'hf: a repository with several files: those of refs/main' \
    shows mnt 'models.tsv qwen-fp16 qwen-q4_k_m qwen-q8_0 '
verdict 'hf: a set out of the cache' [ "$(ls mnt/qwen-fp16/tensors | tr '\n' ' ')" = 't1 t2 ' ]
unmount mnt
none 1 hf:Qwen/Qwen2.5-0.5B-GGUF:Q6_K 'qwen-q4_k_m\.gguf|qwen-q4_k_m'
none 1 hf:Qwen/Qwen2.5-0.6B-GGUF 'Qwen/Qwen2\.5-0\.5B-GGUF'
none 1 hf:org/safetensors 'GGUF|gguf'
mount_model hf: mnt
verdict 'hf: as a whole' \
    shows mnt 'mmproj-only-f16 models.tsv only-Q5_K_M plain qwen-fp16 qwen-q4_k_m qwen-q8_0 '
verdict 'hf: a model of it' is mnt/only-Q5_K_M only-Q5_K_M.gguf
unmount mnt
# A blob that is gone.
rm -r "$hub/models--plain/blobs"
none 1 hf:plain 'plain.*: a link to nothing'
mount_model hf: mnt
verdict 'hf: a blob is gone, the rest is there' \
    shows mnt 'mmproj-only-f16 models.tsv only-Q5_K_M qwen-fp16 qwen-q4_k_m qwen-q8_0 '
verdict 'hf: models.tsv: plain is skipped' skipped plain 'nothing'
unmount mnt

mv "$hub" hub
none 1 hf:org/one-GGUF "$HOME/\.cache/huggingface/hub"
HF_HUB_CACHE=$work/hub
export HF_HUB_CACHE
one hf:org/one-GGUF only-Q5_K_M.gguf
unset HF_HUB_CACHE
HF_HOME=$work
export HF_HOME
one hf:org/one-GGUF:Q5_K_M only-Q5_K_M.gguf
unset HF_HOME

# ---- LM Studio

studio=$HOME/.lmstudio/models

# keep PUBLISHER/REPOSITORY FILE
keep() {
    mkdir -p "$studio/$1"
    [ -e "files/$2" ] || model "$2"
    cp "files/$2" "$studio/$1/$2"
}

keep lmstudio-community/gemma-GGUF gemma-Q4_K_M.gguf
keep lmstudio-community/gemma-GGUF mmproj-model-f16.gguf
keep Qwen/Qwen-GGUF qwen-q4_k_m.gguf
keep Qwen/Qwen-GGUF qwen-q8_0.gguf
cp files/shard-1 "$studio/Qwen/Qwen-GGUF/big-00001-of-00002.gguf"
cp files/shard-2 "$studio/Qwen/Qwen-GGUF/big-00002-of-00002.gguf"
one lmstudio:lmstudio-community/gemma-GGUF/gemma-Q4_K_M.gguf gemma-Q4_K_M.gguf
one lmstudio:lmstudio-community/gemma-GGUF gemma-Q4_K_M.gguf
one lmstudio:lmstudio-community/gemma-GGUF/mmproj-model-f16.gguf mmproj-model-f16.gguf
one lmstudio:qwen/qwen-gguf/Q8_0 qwen-q8_0.gguf
one lmstudio:Qwen/Qwen-GGUF/big-00002-of-00002.gguf 'a set'
none 1 lmstudio:Qwen/Qwen-GGUF/Q6_K 'qwen-q4_k_m'
none 1 lmstudio:Qwen/Qwen2-GGUF "like it: .Qwen-GGUF"
none 2 lmstudio:../files '\.\.'
mount_model lmstudio:Qwen/Qwen-GGUF mnt
verdict 'lmstudio: a repository' shows mnt 'big models.tsv qwen-q4_k_m qwen-q8_0 '
unmount mnt
mount_model lmstudio: mnt
verdict 'lmstudio: as a whole' \
    shows mnt 'big gemma-Q4_K_M mmproj-model-f16 models.tsv qwen-q4_k_m qwen-q8_0 '
verdict 'lmstudio: a model of it' is mnt/gemma-Q4_K_M gemma-Q4_K_M.gguf
unmount mnt
mv "$studio" moved
none 1 lmstudio:Qwen/Qwen-GGUF "$HOME/\.lmstudio/models"
printf '{"downloadsFolder":"%s"}' "$work/moved" >"$HOME/.lmstudio/settings.json"
one lmstudio:Qwen/Qwen-GGUF/Q8_0 qwen-q8_0.gguf

# All of them in one mount.
mount_model "lmstudio:Qwen/Qwen-GGUF" files/small mnt
verdict 'a repository and a file' shows mnt 'big models.tsv qwen-q4_k_m qwen-q8_0 small '
unmount mnt
# No store's name: a file may be called anything.
cp files/small 'other:name'
one 'other:name' small
cp files/large 'ollama:file'
one './ollama:file' large
finish
