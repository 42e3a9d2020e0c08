#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a mount of a model against what others say of it: every key and value, every
tensor's name, type, shape and bytes.

    check_model.py MOUNT EXPECTED.json [MODEL TOOLS]

EXPECTED.json is an inventory as it lies beside the test material. With MODEL and TOOLS,
the model file is read once more by the independent reader rawgguf.py in the directory
TOOLS. Says what differs, a line a difference, and ends with status 1 if anything does."""

import base64
import hashlib
import json
import os
import struct
import sys

FLOATS = {"f32": ("<f", "<I"), "f64": ("<d", "<Q")}
differences = []


def differs(what, shown, known):
    differences.append(f"{what}: {str(shown)[:120]}, and should be {str(known)[:120]}")


def is_nan(bits, kind):
    number = struct.unpack(FLOATS[kind][0], struct.pack(FLOATS[kind][1], bits))[0]
    return number != number


def from_bits(bits, kind):
    """Bits of a float to what is compared: all NaN are one."""
    return (kind, "nan" if is_nan(bits, kind) else bits)


def from_text(text, kind):
    number = float(text)
    if number != number:
        return (kind, "nan")  # of which there are many
    pack, unpack = FLOATS[kind]
    return (kind, struct.unpack(unpack, struct.pack(pack, number))[0])


# ---- what the mount shows


class Number(str):
    """A number in JSON, as it is written there: -0 is not 0, and no digit gets lost."""


def shown_element(value, kind):
    """An element of an array. Of what is in nested arrays the kind is not known: there is
    no fraction among those of the material."""
    if isinstance(value, list):
        return [shown_element(item, kind) for item in value]
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    if kind in FLOATS:
        return from_text(value, kind)
    if isinstance(value, str) and not isinstance(value, Number):
        return value.encode()
    return int(value)


def inmost(kind):
    while kind.startswith("arr["):
        kind = kind[4:-1]
    return kind


def shown_value(path, kind):
    with open(path, "rb") as file:
        data = file.read()
    if kind.startswith("arr["):
        lines = data.decode().split("\n")
        assert lines.pop() == "", path
        load = json.JSONDecoder(parse_float=Number, parse_int=Number).decode
        return [shown_element(load(line), inmost(kind)) for line in lines]
    assert data.endswith(b"\n"), path
    if kind == "str":
        return data[:-1]
    text = data[:-1].decode()
    if kind == "bool":
        return {"false": 0, "true": 1}[text]
    return from_text(text, kind) if kind in FLOATS else int(text)


def shown_name(path):
    return os.getxattr(path, "user.gguf.name")


def key_kind(entry, path):
    kind = entry["type"]
    assert os.getxattr(path, "user.gguf.type").decode() == kind, path
    return kind


def shown_keys(mount, info):
    for name, entry in info["metadata"].items():
        path = f"{mount}/metadata/{name}"
        kind = key_kind(entry, path)
        yield shown_name(path), kind, shown_value(path, kind)


# ---- what is known of it


def known_value(value, kind):
    if isinstance(value, list):
        return [known_value(item, kind) for item in value]
    if isinstance(value, dict):
        if "hex" in value:
            return bytes.fromhex(value["hex"])
        if "bits" in value:
            return from_bits(int(value["bits"], 16), kind)
        return known_value(value.get("value", value.get("items")), kind)
    if isinstance(value, bool):
        return int(value)
    return value.encode() if isinstance(value, str) else value


def known_name(entry, name):
    there = entry.get(name + "_hex")
    return bytes.fromhex(there) if there is not None else entry[name].encode()


def inventory_keys(inventory):
    for entry in inventory["metadata"]:
        kind = entry["type"]
        yield known_name(entry, "key"), kind, known_value(entry["value"], inmost(kind))


def raw_value(value, kind):
    if isinstance(value, list):
        return [raw_value(item, kind) for item in value]
    return from_bits(value, kind) if kind in FLOATS else value


def raw_keys(model, tools):
    sys.path.insert(0, tools)
    import rawgguf
    with open(model, "rb") as file:
        raw = rawgguf.parse(file.read())
    for name, number, arrays, value, _ in raw["kv"]:
        kind = rawgguf.VNAME[number]
        if arrays:
            kind = f"arr[{rawgguf.VNAME[arrays[0][0]]}]"
        yield name, kind, raw_value(value, inmost(kind))


# ---- comparison


def same_kind(shown, known):
    """Of arrays in arrays only what they hold in the end is compared."""
    return shown == known or (shown.startswith("arr[arr") and known.startswith("arr"))


def compare_keys(shown, known, whose):
    shown, known = list(shown), list(known)
    if len(shown) != len(known):
        differs(f"{whose}: keys", len(shown), len(known))
    for (name, kind, value), (other, other_kind, other_value) in zip(shown, known):
        if name != other:
            differs(f"{whose}: key", name, other)
        elif not same_kind(kind, other_kind):
            differs(f"{whose}: {name}: type", kind, other_kind)
        elif value != other_value:
            differs(f"{whose}: {name}", value, other_value)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def compare_bytes(path, known):
    if known.get("raw_sha256") is None:
        return
    got = sha256(path)
    if got != known["raw_sha256"]:
        differs(f"{path}: SHA-256", got, known["raw_sha256"])


def compare_tensor(mount, shown, known):
    path = f"{mount}/{shown['path']}"
    pairs = (
        ("name", shown_name(path), known_name(known, "name")),
        ("type", str(shown["type"]), known["type"]),
        ("dimensions", shown["dimensions"], known["dims"]),
        ("shape", shown["shape"], known["dims"][::-1]),
        ("n_elements", shown["n_elements"], known["n_elements"]),
        ("offset", shown["offset"], known["abs_offset"]),
        ("size", shown["size"], known["n_bytes"]),
        ("st_size", os.stat(path).st_size, known["n_bytes"]),
    )
    for what, got, wanted in pairs:
        if got != wanted:
            differs(f"{path}: {what}", got, wanted)
    compare_bytes(path, known)


def main(mount, expected, model=None, tools=None):
    with open(mount + "/info.json", "rb") as file:
        info = json.load(file)
    with open(expected, "rb") as file:
        known = json.load(file)
    compare_keys(shown_keys(mount, info), inventory_keys(known), "inventory")
    if model:
        compare_keys(shown_keys(mount, info), raw_keys(model, tools), "reader")
    if len(info["tensors"]) != len(known["tensors"]):
        differs("tensors", len(info["tensors"]), len(known["tensors"]))
    for pair in zip(info["tensors"], known["tensors"]):
        compare_tensor(mount, *pair)
    pairs = (("version", "version"), ("alignment", "alignment"), ("size", "size"),
             ("data_offset", "data_start"), ("byte_order", "endian"))
    for ours, theirs in pairs:
        if info["file"][ours] != known[theirs]:
            differs(ours, info["file"][ours], known[theirs])
    for line in differences[:20]:
        print(line)
    sys.exit(1 if differences else 0)


main(*sys.argv[1:])
