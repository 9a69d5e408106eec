#!/usr/bin/env python3
"""Writes what another implementation of RFC 9204 makes of field sections, without a dynamic table.

    python3 -m pip install pylsqpack==1.0.0
    Scripts/qpack_vectors.py > Tests/NetworkCoreTests/HTTP3/Fixtures/qpack.json

Each line is a section: its bytes as hexadecimal text, and the fields that ls-qpack finds in it, or null if it is invalid. `encoded` are sections that ls-qpack
has encoded, `changed` are such sections with some bytes changed, and `table` has one section for each field of the static table, and one beyond.
The numbers are random, but the same in each run.
"""
import json
import random
import sys

import pylsqpack

random.seed(9204)
NAMES = [
    ":status", ":path", ":method", ":authority", "content-type", "date", "cookie", "etag", "server", "vary", "x-request-id", "set-cookie",
    "accept-encoding", "access-control-allow-headers", "strict-transport-security", "x", "a-name-of-more-than-seven-bytes",
]
VALUES = [
    "200", "404", "GET", "/", "gzip, deflate", "gzip, deflate, br", "text/html; charset=utf-8", "*", "", "accept-encoding", "max-age=31536000", "100",
]


def value():
    kind = random.randrange(6)
    if kind == 0:
        return bytes(random.randrange(256) for _ in range(random.randrange(30)))
    if kind <= 2:
        return random.choice(VALUES).encode()
    if kind == 3 and random.randrange(10) == 0:
        return b"a" * random.randrange(200, 600)
    return bytes(random.randrange(0x20, 0x7F) for _ in range(random.randrange(40)))


def fields():
    return [(random.choice(NAMES).encode() if random.randrange(8) else b"x-%d" % random.randrange(200), value()) for _ in range(random.randrange(1, 8))]


def encoded(found):
    encoder = pylsqpack.Encoder()
    stream, section = encoder.encode(0, found)
    assert stream == b""
    return section


def decoded(section):
    decoder = pylsqpack.Decoder(0, 0)
    try:
        return decoder.feed_header(0, section)[1]
    except (pylsqpack.DecompressionFailed, pylsqpack.StreamBlocked):
        return None


def changed(section):
    section = bytearray(section)
    for _ in range(random.choice([1, 1, 1, 2])):
        place = random.randrange(len(section) + 1)
        kind = random.randrange(5)
        if kind == 0 and place < len(section):
            section[place] ^= 1 << random.randrange(8)
        elif kind == 1 and place < len(section):
            del section[place]
        elif kind == 2:
            section.insert(place, random.randrange(256))
        elif kind == 3:
            del section[place:]
        else:
            section[place:place] = random.choice([b"\xff\x24", b"\xff\x23", b"\x7f\x80\x80\x01", b"\x27\x00", b"\x80", b"\x10", b"\x00\x00", b"\x50\x81\xff"])
    return bytes(section)


def integer(number, bits, first):
    mask = (1 << bits) - 1
    if number < mask:
        return bytes([first | number])
    number -= mask
    rest = b""
    while number >= 0x80:
        rest += bytes([number & 0x7F | 0x80])
        number >>= 7
    return bytes([first | mask]) + rest + bytes([number])


def line(section):
    found = decoded(section)
    return [section.hex(), None if found is None else [[name.hex(), text.hex()] for name, text in found]]


def main():
    tables = {
        "table": [line(b"\0\0" + integer(index, 6, 0xC0)) for index in range(100)],
        "encoded": [line(encoded(fields())) for _ in range(120)],
        "changed": [line(changed(encoded(fields()[:2]))) for _ in range(400)],
    }
    lines = [f'"{name}": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]" for name, rows in tables.items()]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


main()
