import Foundation
import Testing

@testable import NetworkEngine

/// What a connection makes of the streams of a server (RFC 9114), with the section of each rule.
struct HTTP3StateMachineTests {
    typealias Case = (name: String, server: ServerStreams, events: [String])

    private static func make(
        _ name: String, _ events: [String], settings: [(UInt64, UInt64)]? = [], _ write: (inout ServerStreams) -> Void
    ) -> Case {
        var server = ServerStreams(settings: settings)
        write(&server)
        return (name, server, events)
    }

    private static let ok = [(":status", "200")]
    private static let grease: UInt64 = 0x1F * 7 + 0x21

    static let responses: [Case] = [
        make("4.1 a head alone", ["0 head 204", "0 end"]) { $0.head([(":status", "204")], isEnd: true) },
        make("4.1 an end that arrives later", ["0 head 204", "0 end"]) {
            $0.head([(":status", "204")])
            $0.end()
        },
        make("4.1 a body", ["0 head 200", "0 data hello", "0 end"]) {
            $0.head()
            $0.data("hel")
            $0.data("lo", isEnd: true)
        },
        make("4.1 frames of content without bytes", ["0 head 200", "0 data x", "0 end"]) {
            $0.head()
            $0.data("")
            $0.data("x")
            $0.data("", isEnd: true)
        },
        make("4.1 trailers", ["0 head 200", "0 data x", "0 trailers", "0 end"]) {
            $0.head()
            $0.data("x")
            $0.head([("x-sum", "1")], isEnd: true)
        },
        make("4.1 trailers without content", ["0 head 200", "0 trailers", "0 end"]) {
            $0.head()
            $0.head([("x-sum", "1")])
            $0.end()
        },
        make("4.1 informational responses", ["0 interim 103", "0 interim 100", "0 head 200", "0 end"]) {
            $0.head([(":status", "103"), ("link", "</a>")])
            $0.head([(":status", "100")])
            $0.head(isEnd: true)
        },
        make("4.1 unknown frames between all others", ["0 head 200", "0 data x", "0 trailers", "0 end"]) {
            $0.frame(grease, [1, 2, 3])
            $0.frame(grease, [1, 2, 3], on: 0)
            $0.head()
            $0.frame(grease, on: 0)
            $0.data("x")
            $0.frame(QUICInteger.maximum, [0], on: 0)
            $0.head([("x-sum", "1")])
            $0.frame(grease, [9], on: 0, isEnd: true)
        },
        make("4.1.2 a length that is right", ["0 head 200", "0 data abc", "0 end"]) {
            $0.head(ok + [("content-length", "3")])
            $0.data("abc", isEnd: true)
        },
        make("4.1.2 a length of a response without a body", ["0 head 304", "0 end"]) {
            $0.head([(":status", "304"), ("content-length", "3")], isEnd: true)
        },
        make("4.1.1 a reset", ["0 head 200", "0 reset H3_INTERNAL_ERROR"]) {
            $0.head()
            $0.reset(.internalError)
        },
        make("4.1.1 a request that is rejected", ["0 reset H3_REQUEST_REJECTED unprocessed"]) { $0.reset(.requestRejected) },
        make("4.1.1 a rejection after a part of the response", ["0 interim 103", "0 reset H3_REQUEST_REJECTED"]) {
            $0.head([(":status", "103")])
            $0.reset(.requestRejected)
        },
        make("4.1.1 a reset after the end", ["0 head 200", "0 end"]) {
            $0.head(isEnd: true)
            $0.reset(.internalError)
        },
        make("a reset within a frame", ["0 head 200", "0 data a", "0 reset H3_INTERNAL_ERROR"]) {
            $0.head()
            $0.bytes([0, 5, 0x61], on: 0)
            $0.reset(.internalError)
        },
        make("what follows a reset is dropped", ["0 reset H3_REQUEST_CANCELLED", "4 head 200", "4 end"]) {
            $0.reset(.requestCancelled)
            $0.head(isEnd: true)
            $0.head(stream: 4, isEnd: true)
        },
        make("5.2 GOAWAY", ["goaway", "4 unprocessed", "0 head 200", "0 end"]) {
            $0.goAway(4)
            $0.head(isEnd: true)
        },
        make("5.2 GOAWAY that refuses what is not yet sent", ["goaway", "0 head 200", "0 end"]) {
            $0.goAway(8)
            $0.head(isEnd: true)
        },
        make("5.2 a shutdown in two steps", ["goaway", "goaway", "0 unprocessed", "4 unprocessed"]) {
            $0.goAway(QUICInteger.maximum - 3)
            $0.goAway(0)
        },
        make("5.2 a response that has begun is processed", ["4 interim 103", "goaway", "0 unprocessed", "4 head 200", "4 end"]) {
            $0.head([(":status", "103")], stream: 4)
            $0.goAway(0)
            $0.head(stream: 4, isEnd: true)
        },
        make("6.2 a unidirectional stream that ends before its type", ["0 head 200", "0 end"]) {
            $0.open(nil, [], isEnd: true)
            $0.open(nil, [0x40], isEnd: true)
            $0.add(.reset($0.open(nil, [0x80, 0]), .noError))
            $0.head(isEnd: true)
        },
        make("6.2 a unidirectional stream of an unknown type", ["0 head 200", "0 end"]) {
            $0.open(grease, [1, 2, 3])
            $0.open(grease, [], isEnd: true)
            $0.head(isEnd: true)
        },
        make("7.2.4.1 unknown settings", ["0 head 200", "0 end"], settings: [(grease, 5), (QUICInteger.maximum, 0)]) {
            $0.head(isEnd: true)
        },
        make("9204 4.2 the streams of QPACK", ["0 head 200", "0 end"]) {
            $0.open(2, [0x20, 0x20])
            $0.open(3, [0x44, 0x7F, 0x80, 0x01])
            $0.head(isEnd: true)
        },
        make("settings after the response", ["0 head 200", "0 end"], settings: nil) {
            $0.head(isEnd: true)
            $0.open(0)
            $0.settings([(1, 4096)])
        },
    ]

    /// Violations that end one stream: another stream goes on.
    static let malformed: [Case] = [
        make("4.1 no response", ["0 failed H3_MESSAGE_ERROR"]) { $0.end() },
        make("4.1 only an informational response", ["0 interim 103", "0 failed H3_MESSAGE_ERROR"]) {
            $0.head([(":status", "103")], isEnd: true)
        },
        make("4.1.2 a body that is too short", ["0 head 200", "0 data ab", "0 failed H3_MESSAGE_ERROR"]) {
            $0.head(ok + [("content-length", "3")])
            $0.data("ab", isEnd: true)
        },
        make("4.1.2 a body that is too long", ["0 head 200", "0 failed H3_MESSAGE_ERROR"]) {
            $0.head(ok + [("content-length", "1")])
            $0.data("ab", isEnd: true)
        },
        make("4.1.2 a body whose length has no end", ["0 head 200", "0 failed H3_MESSAGE_ERROR"]) {
            $0.head(ok + [("content-length", "1")])
            $0.bytes(ServerStreams.integers(0, QUICInteger.maximum), on: 0)
        },
        make("4.1.2 two lengths", ["0 failed H3_MESSAGE_ERROR"]) {
            $0.head(ok + [("content-length", "1"), ("content-length", "2")])
        },
        make("4.3.2 no status", ["0 failed H3_MESSAGE_ERROR"]) { $0.head([("a", "b")]) },
        make("4.3.2 two statuses", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + ok) },
        make("4.3.2 a status of two digits", ["0 failed H3_MESSAGE_ERROR"]) { $0.head([(":status", "20")]) },
        make("4.5 101", ["0 failed H3_MESSAGE_ERROR"]) { $0.head([(":status", "101")]) },
        make("4.3 a status after a field", ["0 failed H3_MESSAGE_ERROR"]) { $0.head([("a", "b")] + ok) },
        make("4.3 a pseudo-field of a request", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [(":path", "/")]) },
        make("4.3 an unknown pseudo-field", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [(":test", "/")]) },
        make("4.3 a pseudo-field in trailers", ["0 head 200", "0 failed H3_MESSAGE_ERROR"]) {
            $0.head()
            $0.head(isEnd: true)
        },
        make("4.2 an uppercase name", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [("X-Test", "1")]) },
        make("4.2 an empty name", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [("", "1")]) },
        make("10.3 a line feed in a value", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [("a", "b\nc")]) },
        make("10.3 white space around a value", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [("a", "b ")]) },
        make("4.2 a field of the connection", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [("connection", "close")]) },
        make("4.2 a transfer coding", ["0 failed H3_MESSAGE_ERROR"]) { $0.head(ok + [("transfer-encoding", "chunked")]) },
        make("4.2.2 a section that is longer than its fields may be", ["0 failed H3_REQUEST_CANCELLED"]) {
            $0.bytes(ServerStreams.integers(1, UInt64(HTTP3Limits().headerBytes + HTTP3Limits.encodingBytes + 1)), on: 0)
        },
        make("4.2.2 a section without an end", ["0 failed H3_REQUEST_CANCELLED"]) {
            $0.bytes(ServerStreams.integers(1, QUICInteger.maximum), on: 0)
        },
    ]

    /// Violations that end the connection.
    static let fatal: [Case] =
        [
            make("4.1 content before the head", ["failed H3_FRAME_UNEXPECTED"]) { $0.data("x") },
            make("4.1 content after an informational response", ["0 interim 103", "failed H3_FRAME_UNEXPECTED"]) {
                $0.head([(":status", "103")])
                $0.data("x")
            },
            make("4.1 content after the trailers", ["0 head 200", "0 trailers", "failed H3_FRAME_UNEXPECTED"]) {
                $0.head()
                $0.head([("a", "b")])
                $0.data("x")
            },
            make("4.1 fields after the trailers", ["0 head 200", "0 trailers", "failed H3_FRAME_UNEXPECTED"]) {
                $0.head()
                $0.head([("a", "b")])
                $0.head([("a", "b")])
            },
            make("4.6 a push stream", ["failed H3_ID_ERROR"]) { $0.open(1) },
            make("5.2 GOAWAY that accepts more", ["goaway", "0 unprocessed", "4 unprocessed", "failed H3_ID_ERROR"]) {
                $0.goAway(0)
                $0.goAway(4)
            },
            make("6.1 a bidirectional stream", ["failed H3_STREAM_CREATION_ERROR"]) { $0.add(.opened(1)) },
            make("6.2.1 a control stream without settings", ["failed H3_MISSING_SETTINGS"], settings: nil) {
                $0.open(0)
                $0.goAway(0)
            },
            make("6.2.1 a control stream that begins with a reserved frame", ["failed H3_MISSING_SETTINGS"], settings: nil) {
                $0.open(0)
                $0.frame(grease)
            },
            make("6.2.1 a second control stream", ["failed H3_STREAM_CREATION_ERROR"]) { $0.open(0) },
            make("6.2.1 a control stream that ends", ["failed H3_CLOSED_CRITICAL_STREAM"]) { $0.end(ServerStreams.control) },
            make("6.2.1 a control stream that is reset", ["failed H3_CLOSED_CRITICAL_STREAM"]) {
                $0.reset(.noError, stream: ServerStreams.control)
            },
            make("6.2.1 a control stream that is not read", ["failed H3_CLOSED_CRITICAL_STREAM"]) {
                $0.add(.stop(.own(.control), .noError))
            },
            make("7.1 a stream that ends within the header of a frame", ["failed H3_FRAME_ERROR"]) {
                $0.bytes([1], on: 0, isEnd: true)
            },
            make("7.1 a stream that ends within a head", ["failed H3_FRAME_ERROR"]) {
                $0.bytes([1, 5, 0, 0], on: 0, isEnd: true)
            },
            make("7.1 a stream that ends within content", ["0 head 200", "0 data a", "failed H3_FRAME_ERROR"]) {
                $0.head()
                $0.bytes([0, 5, 0x61], on: 0, isEnd: true)
            },
            make("7.1 a stream that ends within an unknown frame", ["0 head 200", "failed H3_FRAME_ERROR"]) {
                $0.head()
                $0.bytes([0x21, 5, 0x61], on: 0, isEnd: true)
            },
            make("7.1 a GOAWAY without a number", ["failed H3_FRAME_ERROR"]) { $0.frame(7) },
            make("7.1 a GOAWAY that is longer than its number", ["failed H3_FRAME_ERROR"]) { $0.frame(7, [0, 0]) },
            make("7.1 a GOAWAY that is shorter than its number", ["failed H3_FRAME_ERROR"]) { $0.frame(7, [0x40]) },
            make("7.1 a GOAWAY of many bytes", ["failed H3_FRAME_ERROR"]) { $0.bytes(ServerStreams.integers(7, 1 << 40), on: 3) },
            make("7.1 settings that end within one", ["failed H3_FRAME_ERROR"], settings: nil) {
                $0.open(0)
                $0.frame(4, [6])
            },
            make("7.2.1 content on the control stream", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(0, [1]) },
            make("7.2.2 fields on the control stream", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(1, [0, 0]) },
            make("7.2.3 CANCEL_PUSH", ["failed H3_ID_ERROR"]) { $0.frame(3, [0]) },
            make("7.2.3 CANCEL_PUSH on the stream of a request", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(3, [0], on: 0) },
            make("7.2.4 settings on the stream of a request", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(4, on: 0) },
            make("7.2.4 settings twice", ["failed H3_FRAME_UNEXPECTED"]) { $0.settings([]) },
            make("7.2.4 a setting twice", ["failed H3_SETTINGS_ERROR"], settings: [(6, 1), (6, 1)]) { _ in },
            make("7.2.4.1 a setting of HTTP/2", ["failed H3_SETTINGS_ERROR"], settings: [(2, 0)]) { _ in },
            make("7.2.4.1 the last setting of HTTP/2", ["failed H3_SETTINGS_ERROR"], settings: [(5, 0)]) { _ in },
            make("9220 3 a value that means nothing", ["failed H3_SETTINGS_ERROR"], settings: [(8, 2)]) { _ in },
            make("9297 2.1.1 a value that means nothing", ["failed H3_SETTINGS_ERROR"], settings: [(0x33, 2)]) { _ in },
            make("7.2.5 a promise on the control stream", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(5, [0, 0, 0]) },
            make("7.2.5 a promise", ["failed H3_ID_ERROR"]) { $0.frame(5, [0, 0, 0], on: 0) },
            make("7.2.6 GOAWAY on the stream of a request", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(7, [0], on: 0) },
            make("7.2.6 GOAWAY with the number of another kind of stream", ["failed H3_ID_ERROR"]) { $0.goAway(1) },
            make("7.2.7 MAX_PUSH_ID", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(13, [0]) },
            make("7.2.7 MAX_PUSH_ID on the stream of a request", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(13, [0], on: 0) },
            make("9218 7.2 PRIORITY_UPDATE", ["failed H3_FRAME_UNEXPECTED"]) { $0.frame(0xF0700, [0]) },
            make("4.2.2 settings without an end", ["failed H3_EXCESSIVE_LOAD"], settings: nil) {
                $0.open(0)
                $0.bytes(ServerStreams.integers(4, 1 << 40), on: 3)
            },
            make("9204 2.2 a section without its prefix", ["failed QPACK_DECOMPRESSION_FAILED"]) { $0.frame(1, [], on: 0) },
            make("9204 2.2.1 a reference to the dynamic table", ["failed QPACK_DECOMPRESSION_FAILED"]) {
                $0.frame(1, [0, 0, 0x80], on: 0)
            },
            make("9204 4.2 a second encoder stream", ["failed H3_STREAM_CREATION_ERROR"]) {
                $0.open(2)
                $0.open(2)
            },
            make("9204 4.2 a second decoder stream", ["failed H3_STREAM_CREATION_ERROR"]) {
                $0.open(3)
                $0.open(3)
            },
            make("9204 4.2 an encoder stream that ends", ["failed H3_CLOSED_CRITICAL_STREAM"]) { $0.open(2, [], isEnd: true) },
            make("9204 4.2 a decoder stream that is reset", ["failed H3_CLOSED_CRITICAL_STREAM"]) {
                $0.add(.reset($0.open(3), .noError))
            },
            make("9204 4.2 an encoder stream that is not read", ["failed H3_CLOSED_CRITICAL_STREAM"]) {
                $0.add(.stop(.own(.qpackEncoder), .noError))
            },
            make("9204 4.3.1 a capacity that was not permitted", ["failed QPACK_ENCODER_STREAM_ERROR"]) { $0.open(2, [0x21]) },
            make("9204 4.3.1 a capacity without an end", ["failed QPACK_ENCODER_STREAM_ERROR"]) {
                $0.open(2, [0x3F] + Array(repeating: 0x80, count: 12))
            },
            make("9204 4.3.2 an insertion with a known name", ["failed QPACK_ENCODER_STREAM_ERROR"]) { $0.open(2, [0xC0, 0]) },
            make("9204 4.3.3 an insertion", ["failed QPACK_ENCODER_STREAM_ERROR"]) { $0.open(2, [0x41, 0x61, 0]) },
            make("9204 4.3.4 a duplicate", ["failed QPACK_ENCODER_STREAM_ERROR"]) { $0.open(2, [0]) },
            make("9204 4.4.1 an acknowledgement of a section", ["failed QPACK_DECODER_STREAM_ERROR"]) { $0.open(3, [0x80]) },
            make("9204 4.4.3 an increment", ["failed QPACK_DECODER_STREAM_ERROR"]) { $0.open(3, [1]) },
        ]
        + [2, 6, 8, 9].flatMap { (kind: UInt64) in
            [UInt64(0), ServerStreams.control].map { stream in
                make("7.2.8 frame \(kind) of HTTP/2 on stream \(stream)", ["failed H3_FRAME_UNEXPECTED"]) {
                    $0.frame(kind, on: stream)
                }
            }
        }

    private static func check(_ test: Case, then more: (inout ServerStreams) -> Void = { _ in }, _ events: [String] = []) {
        var server = test.server
        more(&server)
        for piece in [Int.max, 1, 2, 7] {
            var received = ReceivedStreams(requests: 2)
            received.receive(server, piece: piece)
            let expected = test.events + events
            #expect(Array(received.log.prefix(expected.count)) == expected, "\(test.name), \(piece) bytes at a time")
            #expect(received.log.dropFirst(expected.count).allSatisfy { $0.hasPrefix("failed") }, "\(test.name)")
            let closes = received.actions.filter { $0.hasPrefix("close") }
            let reason = expected.last.flatMap { $0.hasPrefix("failed ") ? "close " + $0.dropFirst(7) : nil }
            #expect(closes == [reason].compactMap(\.self), "\(test.name)")
        }
    }

    @Test func `responses are the same events, however their bytes are split`() {
        for test in Self.responses { Self.check(test) }
    }

    @Test func `a violation on one stream ends it in both directions, and others go on`() {
        for test in Self.malformed {
            Self.check(test, then: { $0.head(Self.ok, stream: 4, isEnd: true) }, ["4 head 200", "4 end"])
        }
    }

    @Test func `a violation of the protocol closes the connection with its code`() {
        for test in Self.fatal { Self.check(test) }
    }

    @Test func `a stream that fails is reset where it is not sent, and not read where it has not ended`() {
        let server = Self.make("", []) { $0.head([("X-Upper", "1")]) }.server
        var received = ReceivedStreams(hasBody: true)
        received.receive(server)
        #expect(received.actions == ["reset 0 H3_MESSAGE_ERROR", "stop 0 H3_MESSAGE_ERROR"])
        received = ReceivedStreams()
        received.receive(server)
        #expect(received.actions == ["stop 0 H3_MESSAGE_ERROR"])
        received = ReceivedStreams()
        received.receive(Self.make("", []) { $0.end() }.server)
        #expect(received.actions == [])
    }

    @Test func `a response to HEAD has no content, whatever its length`() {
        var received = ReceivedStreams(requests: 2, .head)
        received.receive(
            Self.make("", []) {
                $0.head(Self.ok + [("content-length", "5")], isEnd: true)
                $0.head(stream: 4)
                $0.data("x", stream: 4)
            }.server)
        #expect(received.log == ["0 head 200", "0 end", "4 head 200", "4 failed H3_MESSAGE_ERROR"])
    }

    @Test func `a tunnel carries content only (RFC 9114 §4.4, RFC 9220)`() {
        var received = ReceivedStreams(requests: 3, .connect, hasBody: true)
        received.receive(
            Self.make("", [], settings: [(8, 1), (0x33, 1), (6, 900)]) {
                $0.head(Self.ok + [("content-length", "5")])
                $0.data("a longer text", isEnd: true)
                $0.head([(":status", "403"), ("content-length", "1")], stream: 4)
                $0.data("x", stream: 4)
                $0.head([("a", "b")], stream: 4, isEnd: true)
                $0.head(stream: 8)
                $0.frame(0x21, [1], on: 8)
                $0.head([("a", "b")], stream: 8)
            }.server)
        #expect(
            received.log == [
                "0 head 200", "0 data a longer text", "0 end", "4 head 403", "4 data x", "4 trailers", "4 end", "8 head 200",
                "failed H3_FRAME_UNEXPECTED",
            ])
        #expect(received.connection.permitsConnectProtocol && received.connection.permitsDatagrams)
        #expect(received.connection.peerHeaderBytes == 900)
    }

    @Test func `an unknown code reports no error (RFC 9114 §8)`() {
        #expect(HTTP3ErrorCode(rawValue: 0x1F * 3 + 0x21).isNoError && HTTP3ErrorCode.noError.isNoError)
        #expect(!HTTP3ErrorCode.requestRejected.isNoError && !HTTP3ErrorCode.qpackDecoderStreamError.isNoError)
        #expect(
            HTTP3ErrorCode.versionFallback.name == "H3_VERSION_FALLBACK" && HTTP3ErrorCode(rawValue: 5).name == "error code 5")
    }

    @Test func `the streams of another implementation (aioquic 1)`() {
        func bytes(_ hexadecimal: String) -> [UInt8] {
            let digits = Array(hexadecimal)
            return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        }
        let head = "010f0000d9f45f4d85198fdad313540135"
        for piece in [Int.max, 1, 5] {
            var received = ReceivedStreams()
            var server = ServerStreams(settings: nil)
            server.open(nil, bytes("000409015000071008012101"))
            server.open(nil, bytes("02"))
            server.open(nil, bytes("03"))
            server.bytes(bytes("01090000d85b043c2f613e" + head + "000568656c6c6f" + "010900002cf2b22da70131"), on: 0, isEnd: true)
            received.receive(server, piece: piece)
            #expect(received.log == ["0 interim 103", "0 head 200", "0 data hello", "0 trailers", "0 end"])
            #expect(received.connection.hasSettings && received.connection.permitsConnectProtocol)
            #expect(String(decoding: received.connection.block.lines, as: UTF8.self) == "x-sum: 1\r\n\r\n")
        }
    }
}
