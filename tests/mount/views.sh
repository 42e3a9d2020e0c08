#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# npy/, model.safetensors and SHA256SUMS: what is in them, held against decoders and readers that
# are not ours, that nothing is read before somebody reads, and readers whose model is cut short.

# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

make_gguf=${1:?is the program make_gguf}
check_reads=${2:?is the program check_reads}
show_values=${3:?is the program show_values}

printf '%s\n' 'file small.gguf' 'key str general.architecture llama' 'key str general.name Small' \
    'key i64 a.number -5' 'tensor q8 Q8_0 1 64 33' 'tensor q4 Q4_0 2 96 7 3' 'tensor bf16 BF16 3 77' \
    'tensor f32 F32 4 13 5 3 2' 'tensor f16 F16 5 11' 'tensor i32 I32 6 9 1 3' 'tensor scalar F32 7' \
    'tensor nothing F32 8 0 3' 'tensor back\slash F32 9 3' | "$make_gguf"
printf '%s\n' 'file big.gguf' 'tensor raw F32 1 2097152' 'tensor quantised Q8_0 2 4096 1024' \
    'tensor plain F16 3 1024 4096' | "$make_gguf"

# header NPY: the text before the data. data NPY: what follows.
header_size() {
    echo $((10 + $(od -An -tu2 -j 8 -N 2 "$1")))
}
header() {
    head -c "$(header_size "$1")" "$1" | tail -c +11 | sed 's/ *$//'
}
data() {
    tail -c "+$(($(header_size "$1") + 1))" "$1"
}

has_header() {
    local file=$1/npy/$2.npy
    header "$file" >"$out" 2>"$err"
    [ "$(head -c 8 "$file" | od -An -tx1)" = ' 93 4e 55 4d 50 59 01 00' ] &&
        (($(header_size "$file") % 64 == 0)) &&
        [ "$(head -c "$(header_size "$file")" "$file" | tail -c 1 | od -An -tx1)" = ' 0a' ] &&
        [ "$(cat "$out")" = "{'descr': '$3', 'fortran_order': False, 'shape': $4, }" ]
}

raw_data() {
    cmp <(data "$1/npy/$2.npy") "$1/tensors/$2" >"$out" 2>&1
}

# decoded MOUNT NAME TYPE FORM: whole and in pieces.
decoded() {
    local file=$1/npy/$2.npy
    {
        head -c "$(header_size "$file")" "$file"
        "$show_values" "$3" "$4" <"$1/tensors/$2"
    } >known
    printf 'known\t0\t%s\t%s\n' "$(stat -c %s "$file")" "$file" >table
    cmp known "$file" >"$err" 2>&1 || return
    status=0
    timeout 300 "$check_reads" table 4 20 >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}

mount_model small.gguf mnt
while read -r name descr shape; do
    verdict "npy: header of $name" has_header mnt "$name" "$descr" "$shape"
done <<'LIST'
q8 <f4 (33, 64)
q4 <f4 (3, 7, 96)
bf16 <f4 (77,)
f32 <f4 (2, 3, 5, 13)
f16 <f2 (11,)
i32 <i4 (3, 1, 9)
scalar <f4 ()
nothing <f4 (3, 0)
back\slash <f4 (3,)
LIST
for name in f32 f16 i32 scalar nothing; do
    verdict "npy: data of $name are the tensor's bytes" raw_data mnt "$name"
done
for pair in q8:Q8_0 q4:Q4_0 bf16:BF16; do
    verdict "npy: values of $pair" decoded mnt "${pair%:*}" "${pair#*:}" f32
done
no_tensor_named_so() {
    [ "$(ls mnt/npy | wc -l)" -eq 9 ] && [ ! -e mnt/npy/none.npy ] && [ ! -e mnt/npy/q8 ]
}
verdict 'npy: a file a tensor' no_tensor_named_so

# ---- what other programs read

# python3 with a module, which may be another than the first one.
python_with() {
    local python
    for python in python3 /usr/bin/python3; do
        if command -v "$python" >/dev/null && "$python" -c "import $1" 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# python SCRIPT ARGUMENT...: has nothing to complain of.
python() {
    status=0
    "$python" -c "$@" >"$out" 2>"$err" || status=$?
    [ "$status" -eq 0 ]
}

numpy_script='
import json, numpy, sys
mount = sys.argv[1]
for tensor in json.load(open(mount + "/info.json"))["tensors"]:
    path = mount + "/npy/" + tensor["path"].split("/", 1)[1] + ".npy"
    whole = numpy.load(path)
    assert list(whole.shape) == tensor["shape"], path
    if whole.size == 0:
        continue
    mapped = numpy.load(path, mmap_mode="r")
    assert mapped.tobytes() == whole.tobytes(), path
    flat = mapped.reshape(-1)
    for start in range(0, whole.size, 1 + whole.size // 7):
        for length in (1, 3, 33, 1000):
            assert flat[start:start + length].tobytes() == whole.reshape(-1)[start:start + length].tobytes(), path
    if whole.ndim > 1:
        assert mapped[..., ::3].tobytes() == whole[..., ::3].tobytes(), path
        assert mapped[-1].tobytes() == whole[-1].tobytes(), path
    if whole.dtype.itemsize * whole.size == tensor["size"]:
        raw = open(mount + "/" + tensor["path"], "rb").read()
        assert whole.tobytes() == raw or tensor["type"] in ("BF16",), path
'
if python=$(python_with numpy); then
    verdict 'numpy.load, mapped, and slices' python "$numpy_script" mnt
else
    skip 'numpy.load, mapped, and slices' 'no python3 with numpy'
fi

# Reads the format as its specification has it; data are held against tensors/ and npy/.
safetensors_script='
import json, math, struct, sys
mount, quantised = sys.argv[1:]
sizes = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1}
blob = open(mount + "/model.safetensors", "rb").read()
n, = struct.unpack("<Q", blob[:8])
header = json.loads(blob[8:8 + n].decode())
data = blob[8 + n:]
assert n % 8 == 0 and n < 100000000
metadata = header.pop("__metadata__")
assert metadata["general.architecture"] == "llama"
assert all(type(value) is str for value in metadata.values())
info = json.load(open(mount + "/info.json"))["tensors"]
assert len(header) == len(info)
end = 0
for entry in sorted(header.values(), key=lambda entry: entry["data_offsets"]):
    first, last = entry["data_offsets"]
    assert first == end, "a hole"
    assert last - first == sizes[entry["dtype"]] * math.prod(entry["shape"])
    end = last
assert end == len(data), "bytes behind the last tensor"
for tensor in info:
    entry = header[tensor["name"]]
    first, last = entry["data_offsets"]
    assert entry["shape"] == tensor["shape"], tensor["name"]
    if tensor["type"] in sizes:
        assert entry["dtype"] == tensor["type"], tensor["name"]
        known = open(mount + "/" + tensor["path"], "rb").read()
    else:
        assert entry["dtype"] == quantised, tensor["name"]
        npy = open(mount + "/npy/" + tensor["path"].split("/", 1)[1] + ".npy", "rb").read()
        known = npy[10 + struct.unpack("<H", npy[8:10])[0]:]
    assert data[first:last] == known, tensor["name"]
'
if python=$(python_with json); then
    verdict 'model.safetensors: an independent reader' python "$safetensors_script" mnt F32
    metadata_right() {
        python 'import json, struct, sys
blob = open(sys.argv[1], "rb").read()
header = json.loads(blob[8:8 + struct.unpack("<Q", blob[:8])[0]])
assert header["__metadata__"] == {"format": "gguf", "general.architecture": "llama",
    "general.name": "Small", "a.number": "-5"}, header' mnt/model.safetensors
    }
    verdict 'model.safetensors: strings and numbers of the metadata' metadata_right
else
    skip 'model.safetensors: an independent reader' 'no python3'
fi
package_script='
import json, safetensors, sys
mount = sys.argv[1]
with safetensors.safe_open(mount + "/model.safetensors", framework="np") as model:
    for tensor in json.load(open(mount + "/info.json"))["tensors"]:
        if tensor["type"] != "BF16":
            assert list(model.get_tensor(tensor["name"]).shape) == tensor["shape"]
'
if python=$(python_with safetensors); then
    verdict 'model.safetensors: the package reads it' python "$package_script" mnt
else
    skip 'model.safetensors: the package reads it' 'no python3 with safetensors'
fi

# ---- SHA256SUMS

sums_pass() {
    (cd mnt && sha256sum --strict -c SHA256SUMS) >"$out" 2>"$err" && [ "$(grep -c ': OK$' "$out")" -eq 9 ]
}
verdict 'sha256sum -c' sums_pass
as_coreutils() {
    (cd mnt && sha256sum tensors/* | LC_ALL=C sort) >expected
    LC_ALL=C sort mnt/SHA256SUMS | diff expected - >"$out"
}
verdict 'the lines are those of sha256sum, a backslash too' as_coreutils
size_known() {
    [ "$(stat -c %s mnt/SHA256SUMS)" -eq "$(wc -c <mnt/SHA256SUMS)" ]
}
verdict 'its size is true' size_known
unmount mnt
printf '%s\n' 'file other.gguf' 'tensor q8 Q8_0 1 64 33' 'tensor q4 Q4_0 22 96 7 3' | "$make_gguf"
mount_model small.gguf a
mount_model other.gguf b
sums_differ() {
    diff <(head -n 2 a/SHA256SUMS) b/SHA256SUMS >"$out" 2>"$err" || true
    [ "$(grep -c '^[<>]' "$out")" -eq 2 ] && [ "$(grep -c ' tensors/q4$' "$out")" -eq 2 ]
}
verdict 'diff of the sums of two models says which tensor' sums_differ
unmount a b

# ---- options

mount_model -o no_views small.gguf mnt
no_views() {
    ls mnt >"$out"
    ! grep -Eq 'npy|safetensors|SHA256SUMS' "$out" && [ -e mnt/model.gguf ] &&
        [ ! -e mnt/npy ] && [ ! -e mnt/SHA256SUMS ] && [ ! -e mnt/model.safetensors ]
}
verdict 'no_views' no_views
unmount mnt
while read -r option form descr dtype; do
    mount_model -o "dequant=$option" small.gguf mnt
    verdict "dequant=$option: header" has_header mnt q8 "$descr" '(33, 64)'
    verdict "dequant=$option: values of Q8_0" decoded mnt q8 Q8_0 "$form"
    verdict "dequant=$option: values of Q4_0" decoded mnt q4 Q4_0 "$form"
    verdict "dequant=$option: what numpy has stays" has_header mnt f32 '<f4' '(2, 3, 5, 13)'
    if python=$(python_with json); then
        verdict "dequant=$option: model.safetensors" python "$safetensors_script" mnt "$dtype"
    else
        skip "dequant=$option: model.safetensors" 'no python3'
    fi
    unmount mnt
done <<'LIST'
f32 f32 <f4 F32
f16 f16 <f2 F16
bf16-as-u16 bf16 <u2 BF16
LIST
run -q -o dequant=q4 small.gguf mnt
verdict 'dequant=q4 is none' gave 2 '' 'dequant=q4'

# ---- nothing is read before somebody reads

# bytes_read: by the servers, as the kernel counts it.
bytes_read() {
    local pid sum=0
    for pid in $(servers); do
        sum=$((sum + $(sed -n 's/^rchar: //p' "/proc/$pid/io")))
    done
    echo "$sum"
}
mount_model big.gguf mnt
if bytes_read >"$out" 2>"$err" && [ ! -s "$err" ]; then
    before=$(bytes_read)
    ls -lR mnt >"$out"
    find mnt -printf '%y %s %b %i %m %T@\n' >"$out"
    du -a mnt >"$out"
    getfattr -R -d mnt >"$out" 2>/dev/null || true
    after=$(bytes_read)
    echo "# $((after - before)) bytes were read by the server"
    # The smallest tensor is of 4 MiB.
    verdict 'ls, find, du and getfattr read no tensor' [ $((after - before)) -lt 1000000 ]
    before=$(bytes_read)
    dd if=mnt/npy/quantised.npy of=piece bs=4096 skip=2000 count=1 2>"$err"
    after=$(bytes_read)
    echo "# $((after - before)) bytes were read by the server"
    verdict 'a piece of a tensor reads not the whole' [ $((after - before)) -lt 2000000 ]
else
    skip 'ls and find read no tensor' 'the counters of the server cannot be read'
fi

# ---- several readers at once

# at_once FILE: six of it all get the same, which is that of a seventh after them.
at_once() {
    local i pids=() pid
    for i in 1 2 3 4 5 6; do
        sha256sum <"mnt/$1" >"sum$i" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || return
    done
    "$GGUFS" --cat -q big.gguf "$1" | sha256sum >sum7
    cat sum[1-7] >"$out"
    [ "$(sort -u "$out" | wc -l)" -eq 1 ]
}
for file in npy/quantised.npy model.safetensors SHA256SUMS npy/raw.npy; do
    verdict "six readers of $file" at_once "$file"
done
unmount mnt

# ---- the model is cut short while somebody reads

# Reads the head of a file, cuts the model and reads on.
cut_short() {
    local ended=0
    cp big.gguf victim.gguf
    mount_model victim.gguf mnt
    exec 3<"mnt/$1"
    head -c 1 <&3 >/dev/null
    truncate -s 4096 victim.gguf
    : >"$out"
    cat <&3 2>"$err" >/dev/null || ended=$?
    exec 3<&-
    [ "$ended" -ne 0 ] && matches "$err" 'Input/output error|Stale file handle' &&
        [ -n "$(serving)" ] && grep -q '"tensors"' mnt/info.json
}
for file in tensors/raw npy/raw.npy npy/quantised.npy model.safetensors; do
    verdict "cut short under a reader of $file" cut_short "$file"
    unmount mnt
done
sums_cut() {
    local ended=0
    cp big.gguf victim.gguf
    mount_model victim.gguf mnt
    truncate -s 4096 victim.gguf
    cat mnt/SHA256SUMS >"$out" 2>"$err" || ended=$?
    [ "$ended" -ne 0 ] && matches "$err" 'Input/output error|Stale file handle' && [ -n "$(serving)" ]
}
verdict 'cut short before SHA256SUMS is read' sums_cut
unmount mnt

# ---- the material

if [ -d "$shared/gen" ] && command -v jq >/dev/null; then
    mount_model "$shared/gen" mnt
    # Names and hashes of the tensors that are decoded, as ggml's own code does it.
    hashes_of() {
        jq -r '.tensors[] | select(.f32_sha256_ggml_c != null and .name_hex == null and
            (.type | test("^[IF](8|16|32|64)$") | not)) |
            [.name, .f32_sha256_ggml_c] | @tsv' "$1"
    }
    values_known() {
        while IFS=$'\t' read -r name hash; do
            [ "$(data "mnt/$1/npy/$name.npy" | sha256sum | cut -c 1-64)" = "$hash" ] || {
                echo "# $1: $name"
                return 1
            }
        done <hashes
    }
    for known in "$shared"/gen/type-*.json "$shared"/gen/be-conv-type-*.json; do
        hashes_of "$known" >hashes
        known=$(basename "$known" .json)
        [ ! -s hashes ] || verdict "npy: values of $known are ggml's" values_known "$known"
    done
    if python=$(python_with numpy); then
        verdict 'numpy.load of all types in one file' python "$numpy_script" mnt/types-all
        verdict 'numpy.load of big-endian tensors' python "$numpy_script" mnt/gw-be
    else
        skip 'numpy.load of all types in one file' 'no python3 with numpy'
    fi
    unmount mnt
else
    skip "npy: values are ggml's" 'the shared material is not here, or no jq'
fi
if [ -r "$shared/cases/98_type_0000000099.gguf" ]; then
    mount_model "$shared/cases/98_type_0000000099.gguf" mnt
    flat() {
        local file
        for file in mnt/tensors/*; do
            has_header mnt "$(basename "$file")" '|u1' "($(stat -c %s "$file"),)" || return
        done
    }
    verdict 'npy: a type that is unknown: bytes in one dimension' flat
    unmount mnt
else
    skip 'npy: a type that is unknown' 'the shared material is not here'
fi
finish
