#!/usr/bin/env python3
"""Writes what another implementation of RFC 6455 and RFC 7692 finds in the frames of the Autobahn TestSuite.

    python3 -m pip install wsproto==1.3.2
    Scripts/autobahn_outcomes.py > Tests/NetworkWebSocketTests/Fixtures/autobahn.json

The cases have the public numbers of the suite; those of 9 and 10 are smaller. Each has the bytes that the server sends, as pairs of a hexadecimal text and
a count, and what wsproto as a client finds: messages with the number of their repetitions, payloads of pings, and the code that closes the connection.
"""
import json
import struct
import sys
import zlib

from wsproto import frame_protocol
from wsproto.extensions import PerMessageDeflate

CASES = {}


def frame(opcode, payload=b"", final=True, reserved=0):
    head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
    if len(payload) < 126:
        head += bytes([len(payload)])
    elif len(payload) < 65536:
        head += bytes([126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([127]) + struct.pack(">Q", len(payload))
    return head + payload


def text(payload, final=True):
    return frame(1, payload, final)


def more(payload, final=True):
    return frame(0, payload, final)


def close(code=None, reason=b""):
    return frame(8, b"" if code is None else struct.pack(">H", code) + reason)


def add(number, *frames, pieces=None, compression=None):
    CASES[number] = (list(frames), pieces, compression)


def number_all(prefix, payloads, make):
    for index, payload in enumerate(payloads, 1):
        add(f"{prefix}.{index}", *make(payload), close(1000))


# 1: framing
SIZES = [0, 125, 126, 127, 128, 65535, 65536]
for group, opcode, byte in ((1, 1, b"*"), (2, 2, b"\xfe")):
    number_all(f"1.{group}", SIZES, lambda size: [frame(opcode, byte * size)])
    add(f"1.{group}.8", frame(opcode, byte * 65536), close(1000), pieces=997)

# 2: pings and pongs
add("2.1", frame(9), close(1000))
add("2.2", frame(9, b"Hello, world!"), close(1000))
add("2.3", frame(9, bytes.fromhex("00fffefdfcfb00ff")), close(1000))
add("2.4", frame(9, b"\xfe" * 125), close(1000))
add("2.5", frame(9, b"\xfe" * 126), close(1000))
add("2.6", frame(9, b"\xfe" * 125), close(1000), pieces=1)
add("2.7", frame(10), close(1000))
add("2.8", frame(10, b"unsolicited pong payload"), close(1000))
add("2.9", frame(10, b"unsolicited pong payload"), frame(9, b"ping payload"), close(1000))
PINGS = [frame(9, b"payload-%d" % index) for index in range(10)]
add("2.10", *PINGS, close(1000))
add("2.11", *PINGS, close(1000), pieces=1)

# 3: reserved bits
HELLO = text(b"Hello, world!")
add("3.1", frame(1, b"Hello, world!", reserved=1))
for number, reserved, pieces in (("3.2", 2, None), ("3.3", 3, 16), ("3.4", 4, 1)):
    add(number, HELLO, frame(1, b"Hello, world!", reserved=reserved), frame(9), pieces=pieces)
add("3.5", frame(2, bytes.fromhex("00fffefdfcfb00ff"), reserved=5))
add("3.6", frame(9, b"Hello, world!", reserved=6))
add("3.7", frame(8, reserved=7))

# 4: opcodes
for group, first in ((1, 3), (2, 11)):
    add(f"4.{group}.1", frame(first))
    add(f"4.{group}.2", frame(first + 1, b"reserved opcode payload"))
    add(f"4.{group}.3", HELLO, frame(first + 2), frame(9))
    add(f"4.{group}.4", HELLO, frame(first + 3, b"Hello, world!"), frame(9))
    add(f"4.{group}.5", HELLO, frame(first + 4, b"Hello, world!"), frame(9), pieces=1)

# 5: fragmentation
add("5.1", frame(9, b"fragment1", False), more(b"fragment2"))
add("5.2", frame(10, b"fragment1", False), more(b"fragment2"))
PARTS = [text(b"fragment1", False), more(b"fragment2")]
for number, pieces in (("5.3", None), ("5.4", 11), ("5.5", 1)):
    add(number, *PARTS, close(1000), pieces=pieces)
for number, pieces in (("5.6", None), ("5.7", 11), ("5.8", 1)):
    add(number, PARTS[0], frame(9, b"ping payload"), PARTS[1], close(1000), pieces=pieces)
for first, final in ((9, True), (12, False)):
    for index, pieces in enumerate((None, 30, 1)):
        add(f"5.{first + index}", more(b"non-continuation payload", final), HELLO, pieces=pieces)
add("5.15", *PARTS, more(b"fragment3", False), text(b"fragment4"))
for number, final in (("5.16", False), ("5.17", True)):
    add(number, *[more(b"fragment1", final), text(b"fragment2", False), more(b"fragment3")] * 2)
add("5.18", text(b"fragment1", False), text(b"fragment2"))
FIVE = [text(b"fragment1", False), more(b"fragment2", False), frame(9, b"pongme 1!"), more(b"fragment3", False),
        more(b"fragment4", False), frame(9, b"pongme 2!"), more(b"fragment5")]
add("5.19", *FIVE, close(1000))
add("5.20", *FIVE, close(1000), pieces=9)

# 6: UTF-8
VALID = "Hello-µ@ßöäüàá-UTF-8!!".encode()
KOSME = bytes.fromhex("cebae1bdb9cf83cebcceb5")
INVALID = KOSME + bytes.fromhex("eda080") + b"edited"
add("6.1.1", text(b""), close(1000))
add("6.1.2", text(b"", False), more(b"", False), more(b""), close(1000))
add("6.1.3", text(b"", False), more(b"middle frame payload", False), more(b""), close(1000))
add("6.2.1", text(VALID), close(1000))
add("6.2.2", text(VALID[:12], False), more(VALID[12:]), close(1000))


def bytewise(payload):
    return [frame(0 if index else 1, payload[index:index + 1], index == len(payload) - 1) for index in range(len(payload))]


add("6.2.3", *bytewise(VALID), close(1000))
add("6.2.4", *bytewise(KOSME), close(1000))
add("6.3.1", text(INVALID))
add("6.3.2", *bytewise(INVALID))
SPLIT = [KOSME, bytes.fromhex("f4908080"), b"edited"]
add("6.4.1", text(SPLIT[0], False), more(SPLIT[1], False), more(SPLIT[2]))
add("6.4.2", text(KOSME + b"\xf4", False), more(b"\x90", False), more(b"\x80\x80edited"))
add("6.4.3", text(b"".join(SPLIT)), pieces=len(KOSME) + 2)
add("6.4.4", text(b"".join(SPLIT)), pieces=1)


def hexadecimal(texts):
    return [bytes.fromhex(text) for text in texts.split()]


def starts(first, last):
    return b"".join(bytes([byte]) + b" " for byte in range(first, last + 1))


INCOMPLETE = hexadecimal("c0 e080 f08080 f8808080 fc80808080 df efbf f7bfbf fbbfbfbf fdbfbfbfbf")
SURROGATES = hexadecimal("eda080 edadbf edae80 edafbf edb080 edbe80 edbfbf")
GROUPS = {
    5: [f"hello{character}world".encode() for character in "\u0024\u00A2\u20AC\U00024B62"] + [KOSME],
    6: [KOSME[:count] for count in range(1, len(KOSME) + 1)],
    7: hexadecimal("00 c280 e0a080 f0908080"),
    8: hexadecimal("f888808080 fc8480808080"),
    9: hexadecimal("7f dfbf efbfbf f48fbfbf"),
    10: hexadecimal("f7bfbfbf fbbfbfbfbf fdbfbfbfbfbf"),
    11: hexadecimal("ed9fbf ee8080 efbfbd f48fbfbf f4908080"),
    12: hexadecimal("80 bf 80bf 80bf80 80bf80bf 80bf80bf80 80bf80bf80bf") + [bytes(range(0x80, 0xBF))],
    13: [starts(0xC0, 0xDF), starts(0xE0, 0xEF), starts(0xF0, 0xF7), starts(0xF8, 0xFB), starts(0xFC, 0xFD)],
    14: INCOMPLETE,
    15: [b"".join(INCOMPLETE)],
    16: hexadecimal("fe ff fefeffff"),
    17: hexadecimal("c0af e080af f08080af f8808080af fc80808080af"),
    18: hexadecimal("c1bf e09fbf f08fbfbf f887bfbfbf fc83bfbfbfbf"),
    19: hexadecimal("c080 e08080 f0808080 f880808080 fc8080808080"),
    20: SURROGATES,
    21: [high + low for high in hexadecimal("eda080 edadbf edae80 edafbf") for low in hexadecimal("edb080 edbfbf")],
    22: [chr(plane << 16 | low).encode() for plane in range(17) for low in (0xFFFE, 0xFFFF)],
    23: [chr(0xFFF9 + index).encode() for index in range(7)],
}


def is_valid(payload):
    try:
        return payload.decode() is not None
    except UnicodeDecodeError:
        return False


for group, payloads in GROUPS.items():
    for index, payload in enumerate(payloads, 1):
        # After a violation, the server waits for the close frame of the client.
        add(f"6.{group}.{index}", text(payload), *([close(1000)] if is_valid(payload) else []))

# 7: closing
add("7.1.1", HELLO, close(1000))
add("7.1.2", close(1000), close(1000))
add("7.1.3", close(1000), frame(9))
add("7.1.4", close(1000), HELLO)
add("7.1.5", text(b"fragment1", False), close(1000), more(b"fragment2"))
add("7.1.6", text(b"B" * 262144), HELLO, close(1000), frame(9))
add("7.3.1", close())
add("7.3.2", frame(8, b"a"))
add("7.3.3", close(1000))
add("7.3.4", close(1000, b"Hello World!"))
add("7.3.5", close(1000, b"*" * 123))
add("7.3.6", close(1000, b"*" * 124))
add("7.5.1", close(1000, INVALID))
for group, codes in ((7, [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]),
                     (9, [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999]), (13, [5000, 65535])):
    for index, code in enumerate(codes, 1):
        add(f"7.{group}.{index}", close(code))

# 9 and 10: sizes
add("9.1.1", text(b"*" * 65536), close(1000))
add("9.1.2", text(b"*" * 262144), close(1000))
add("9.2.1", frame(2, b"\xfe" * 65536), close(1000))
for index, size in enumerate((1024, 4096, 16384), 3):
    count = 65536 // size
    for group, opcode in ((3, 1), (4, 2)):
        frames = [frame(0 if part else opcode, b"*" * size, part == count - 1) for part in range(count)]
        add(f"9.{group}.{index}", *frames, close(1000))
for index, pieces in enumerate((64, 128, 256, 512, 1024, 2048), 1):
    add(f"9.5.{index}", text(b"*" * 65536), close(1000), pieces=pieces)
    add(f"9.6.{index}", frame(2, b"\xfe" * 65536), close(1000), pieces=pieces)
for index, size in enumerate((0, 16, 64, 256, 1024, 4096), 1):
    add(f"9.7.{index}", *[text(b"*" * size)] * 50, close(1000))
    add(f"9.8.{index}", *[frame(2, b"\xfe" * size)] * 50, close(1000))
add("10.1.1", *[frame(0 if part else 1, b"*" * 1300, part == 49) for part in range(50)], close(1000))

# 12 and 13: compression
DATA = (b'{"id":17,"name":"Autobahn","list":[1,2,3],"text":"The same again, and again."},' * 60)


def compressed(messages, window=15, forgets=False, parts=1, opcode=1):
    encoder = zlib.compressobj(6, zlib.DEFLATED, -window)
    for message in messages:
        payload = (encoder.compress(message) + encoder.flush(zlib.Z_SYNC_FLUSH))[:-4]
        size = -(-len(payload) // parts)
        for part in range(parts):
            yield frame(0 if part else opcode, payload[part * size:(part + 1) * size], part == parts - 1, 0 if part else 4)
        if forgets:
            encoder = zlib.compressobj(6, zlib.DEFLATED, -window)


for index, size in enumerate((16, 64, 256, 1024, 4096), 1):
    for group, opcode, forgets in ((1, 1, False), (2, 2, False)):
        add(f"12.{group}.{index}", *compressed([DATA[:size]] * 5, opcode=opcode), close(1000), compression={"forgets": False})
    if index % 2 == 0:
        continue
    for group, forgets, window in ((1, False, 15), (2, True, 15), (3, False, 9), (5, True, 9)):
        add(f"13.{group}.{index}", *compressed([DATA[:size]] * 3, window, forgets, parts=min(group, 3)), close(1000),
            compression={"forgets": forgets})


def outcome(data, compression):
    """What wsproto finds: messages, pings, the code of the connection's end."""
    extensions = []
    if compression:
        extension = PerMessageDeflate(server_no_context_takeover=compression["forgets"])
        extension._enabled = True
        extensions = [extension]
    protocol = frame_protocol.FrameProtocol(client=True, extensions=extensions)
    protocol.receive_bytes(data)
    messages, pings, parts = [], [], []
    try:
        for found in protocol.received_frames():
            if found.opcode is frame_protocol.Opcode.CLOSE:
                return messages, pings, int(found.payload[0]), False
            if found.opcode is frame_protocol.Opcode.PING:
                pings.append(bytes(found.payload).hex())
            elif found.opcode is not frame_protocol.Opcode.PONG:
                payload = found.payload
                parts.append(payload.encode() if isinstance(payload, str) else bytes(payload))
                kind = "text" if isinstance(payload, str) else "binary"
                if found.message_finished:
                    message = [kind, packed(b"".join(parts))]
                    if messages and messages[-1][:2] == message:
                        messages[-1][2] += 1
                    else:
                        messages.append([*message, 1])
                    parts = []
    except frame_protocol.ParseFailed as failure:
        return messages, pings, int(failure.code), True
    return messages, pings, None, False


def packed(data):
    """Pairs of a hexadecimal text and a count: equal bytes are one pair if there are more than 32 of them."""
    pairs, start, index = [], 0, 0
    while index < len(data):
        end = index
        while end < len(data) and data[end] == data[index]:
            end += 1
        if end - index > 32:
            if start < index:
                pairs.append([data[start:index].hex(), 1])
            pairs.append([data[index:index + 1].hex(), end - index])
            start = end
        index = end
    if start < len(data):
        pairs.append([data[start:].hex(), 1])
    return pairs


def main():
    lines = []
    for number, (frames, pieces, compression) in CASES.items():
        messages, pings, code, failed = outcome(b"".join(frames), compression)
        case = {"bytes": packed(b"".join(frames)), "messages": messages, "pings": pings, "failed": failed}
        if code is not None:
            case["code"] = code
        if pieces:
            case["pieces"] = pieces
        if compression:
            case["forgets"] = compression["forgets"]
        lines.append(f"{json.dumps(number)}: {json.dumps(case, separators=(',', ':'))}")
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


main()
