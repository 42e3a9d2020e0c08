# SPDX-License-Identifier: MIT
"""Prints a GGUF file's tokens, one JSON string a line, as a script of one's own would."""

import json
import struct
import sys

FIXED = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def read(stream, layout):
    return struct.unpack("<" + layout, stream.read(struct.calcsize("<" + layout)))


def read_string(stream):
    (length,) = read(stream, "Q")
    return stream.read(length)


def read_value(stream, kind):
    if kind == 8:
        return read_string(stream)
    if kind != 9:
        return stream.read(FIXED[kind])
    kind, count = read(stream, "IQ")
    if kind in FIXED:
        return stream.read(FIXED[kind] * count)
    return [read_value(stream, kind) for _ in range(count)]


def main():
    with open(sys.argv[1], "rb") as stream:
        stream.read(8)
        _, keys = read(stream, "QQ")
        for _ in range(keys):
            name = read_string(stream)
            value = read_value(stream, *read(stream, "I"))
            if name == b"tokenizer.ggml.tokens":
                for token in value:
                    print(json.dumps(token.decode("utf-8", "replace"), ensure_ascii=False))
                return


main()
