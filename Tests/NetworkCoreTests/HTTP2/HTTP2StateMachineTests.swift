import Foundation
import Testing

@testable import NetworkEngine

/// What a connection makes of the frames of a server (RFC 9113), with the numbers of h2spec where there is one.
struct HTTP2StateMachineTests {
    typealias Case = (name: String, frames: ServerFrames, events: [String])

    private static func make(
        _ name: String, _ events: [String], settings: [(HTTP2Setting, UInt32)]? = [], _ write: (inout ServerFrames) -> Void
    ) -> Case {
        var frames = ServerFrames(settings: settings)
        write(&frames)
        return (name, frames, events)
    }

    private static let ok = [(":status", "200")]

    static let responses: [Case] = [
        make("a head alone", ["1 head 204", "1 end"]) { $0.head([(":status", "204")], isEnd: true) },
        make("a body", ["1 head 200", "1 data hello", "1 end"]) {
            $0.head(ok)
            $0.data("hel")
            $0.data("lo", isEnd: true)
        },
        make("an empty last frame", ["1 head 200", "1 data x", "1 end"]) {
            $0.head(ok)
            $0.data("x")
            $0.data("", isEnd: true)
        },
        make("trailers", ["1 head 200", "1 data x", "1 trailers", "1 end"]) {
            $0.head(ok)
            $0.data("x")
            $0.head([("x-sum", "1")], isEnd: true)
        },
        make("informational responses", ["1 interim 103", "1 interim 100", "1 head 200", "1 end"]) {
            $0.head([(":status", "103"), ("link", "</a>")])
            $0.head([(":status", "100")])
            $0.head(ok, isEnd: true)
        },
        make("a block in several frames", ["1 head 200", "1 end"]) {
            let block = $0.block(ok + [("a", "b"), ("c", "d")])
            $0.frame(.headers, .endStream, stream: 1, Array(block[..<2]))
            $0.frame(.continuation, [], stream: 1, [])
            $0.frame(.continuation, .endHeaders, stream: 1, Array(block[2...]))
        },
        make("padding and a priority", ["1 head 200", "1 data x", "1 end"]) {
            let block = $0.block(ok)
            $0.frame(.headers, [.endHeaders, .padded, .priority], stream: 1, [3, 0, 0, 0, 0, 9] + block + [0, 0, 0])
            $0.frame(.data, [.endStream, .padded], stream: 1, [2] + Array("x".utf8) + [0, 0])
        },
        make("a frame of only padding", ["1 head 200", "1 end"]) {
            $0.head(ok)
            $0.frame(.data, [.endStream, .padded], stream: 1, [2, 0, 0])
        },
        make("unknown frames and settings", ["1 head 200", "1 end"]) {
            $0.frame(HTTP2FrameKind(rawValue: 0x7F), HTTP2Flags(rawValue: 0xFF), stream: 99, [1, 2, 3])
            $0.settings([(HTTP2Setting(rawValue: 0x99), 1)])
            $0.head(ok, isEnd: true)
        },
        make("a length that is right", ["1 head 200", "1 data abc", "1 end"]) {
            $0.head(ok + [("content-length", "3")])
            $0.data("abc", isEnd: true)
        },
        make("a length of a response without a body", ["1 head 304", "1 end"]) {
            $0.head([(":status", "304"), ("content-length", "3")], isEnd: true)
        },
        make("a reset", ["1 head 200", "1 reset INTERNAL_ERROR"]) {
            $0.head(ok)
            $0.reset(.internalError)
        },
        make("what follows a reset is dropped, and its fields are still read", ["1 reset CANCEL", "3 head 200", "3 end"]) {
            $0.reset(.cancel)
            $0.head(ok + [("x-late", "1")])
            $0.data("late", isEnd: true)
            $0.windowUpdate(5, stream: 1)
            $0.reset(.cancel)
            $0.head(ok + [("x-late", "1")], stream: 3, isEnd: true)
        },
        make("GOAWAY", ["goaway NO_ERROR", "3 unprocessed", "1 head 200", "1 end"]) {
            $0.goAway(1)
            $0.head(ok, isEnd: true)
        },
        make("a shutdown in two steps", ["goaway NO_ERROR", "goaway NO_ERROR", "1 unprocessed", "3 unprocessed"]) {
            $0.goAway(0x7FFF_FFFF)
            $0.goAway(0)
        },
        make("a smaller window of streams", ["writable", "1 writable"], settings: [(.initialWindowSize, 0)]) {
            $0.windowUpdate(100)
            $0.windowUpdate(100, stream: 1)
        },
    ]

    /// Violations that end one stream: another stream goes on.
    static let malformed: [Case] = [
        make("8.1.1 a body that is too short", ["1 head 200", "1 data ab", "1 failed PROTOCOL_ERROR"]) {
            $0.head(ok + [("content-length", "3")])
            $0.data("ab", isEnd: true)
        },
        make("8.1.1 a body that is too long", ["1 head 200", "1 failed PROTOCOL_ERROR"]) {
            $0.head(ok + [("content-length", "1")])
            $0.data("ab", isEnd: true)
        },
        make("8.1.1 two lengths", ["1 failed PROTOCOL_ERROR"]) {
            $0.head(ok + [("content-length", "1"), ("content-length", "2")])
        },
        make("8.3.2 no status", ["1 failed PROTOCOL_ERROR"]) { $0.head([("a", "b")]) },
        make("8.3.2 two statuses", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + ok) },
        make("8.3.2 a status of two digits", ["1 failed PROTOCOL_ERROR"]) { $0.head([(":status", "20")]) },
        make("8.6 101", ["1 failed PROTOCOL_ERROR"]) { $0.head([(":status", "101")]) },
        make("8.3 a status after a field", ["1 failed PROTOCOL_ERROR"]) { $0.head([("a", "b")] + ok) },
        make("8.3 a pseudo-field of a request", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [(":path", "/")]) },
        make("8.3 an unknown pseudo-field", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [(":test", "/")]) },
        make("8.1 a pseudo-field in trailers", ["1 head 200", "1 failed PROTOCOL_ERROR"]) {
            $0.head(ok)
            $0.head(ok, isEnd: true)
        },
        make("8.1 trailers that end nothing", ["1 head 200", "1 failed PROTOCOL_ERROR"]) {
            $0.head(ok)
            $0.head([("a", "b")])
        },
        make("8.1 an informational response at the end", ["1 failed PROTOCOL_ERROR"]) {
            $0.head([(":status", "100")], isEnd: true)
        },
        make("8.1 content before the head", ["1 failed PROTOCOL_ERROR"]) { $0.data("x") },
        make("8.2.1 an uppercase name", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [("X-Test", "1")]) },
        make("8.2.1 an empty name", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [("", "1")]) },
        make("8.2.1 a line feed in a value", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [("a", "b\nc")]) },
        make("8.2.1 white space around a value", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [("a", "b ")]) },
        make("8.2.2 a field of the connection", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [("connection", "close")]) },
        make("8.2.2 a transfer coding", ["1 failed PROTOCOL_ERROR"]) { $0.head(ok + [("transfer-encoding", "chunked")]) },
        make("6.9.2 a window that does not move", ["1 failed PROTOCOL_ERROR"]) { $0.windowUpdate(0, stream: 1) },
        make("6.9.1 a window that is too large", ["1 failed FLOW_CONTROL_ERROR"]) { $0.windowUpdate(0x7FFF_FFFF, stream: 1) },
    ]

    /// Violations that end the connection.
    static let fatal: [Case] = [
        make("3.4 no settings", ["failed PROTOCOL_ERROR"], settings: nil) { $0.frame(.ping, [0, 0, 0, 0, 0, 0, 0, 0]) },
        make("4.2 a frame that is too large", ["failed FRAME_SIZE_ERROR"]) {
            $0.frame(.data, [], stream: 1, Array(repeating: 0, count: HTTP2Limits.frameBytes + 1))
        },
        make("4.3 an invalid block", ["failed COMPRESSION_ERROR"]) {
            $0.frame(.headers, .endHeaders, stream: 1, [0xFF, 0xFF, 0xFF])
        },
        make("5.1 content on an idle stream", ["failed PROTOCOL_ERROR"]) { $0.data("x", stream: 5) },
        make("5.1 a reset of an idle stream", ["failed PROTOCOL_ERROR"]) { $0.reset(.cancel, stream: 5) },
        make("5.1 a window of an idle stream", ["failed PROTOCOL_ERROR"]) { $0.windowUpdate(1, stream: 5) },
        make("5.1.1 a stream of the server", ["failed PROTOCOL_ERROR"]) { $0.head(ok, stream: 2) },
        make("6.1 content on no stream", ["failed PROTOCOL_ERROR"]) { $0.data("x", stream: 0) },
        make("6.1 padding as long as the frame", ["failed PROTOCOL_ERROR"]) { $0.frame(.data, .padded, stream: 1, [1]) },
        make("6.2 fields on no stream", ["failed PROTOCOL_ERROR"]) { $0.head(ok, stream: 0) },
        make("6.2 padding longer than the frame", ["failed PROTOCOL_ERROR"]) {
            $0.frame(.headers, [.padded, .endHeaders], stream: 1, [9, 0x88])
        },
        make("6.3 a priority of another length", ["failed FRAME_SIZE_ERROR"]) { $0.frame(.priority, [], stream: 1, [0]) },
        make("6.4 a reset of another length", ["failed FRAME_SIZE_ERROR"]) { $0.frame(.resetStream, [], stream: 1, [0]) },
        make("6.5 settings of a stream", ["failed PROTOCOL_ERROR"]) { $0.frame(.settings, [], stream: 1) },
        make("6.5 settings of another length", ["failed FRAME_SIZE_ERROR"]) { $0.frame(.settings, [0]) },
        make("6.5 a reply with content", ["failed FRAME_SIZE_ERROR"]) {
            $0.frame(.settings, .acknowledgement, stream: 0, [0, 0, 0, 0, 0, 0])
        },
        make("6.5.2 push", ["failed PROTOCOL_ERROR"]) { $0.settings([(.enablePush, 1)]) },
        make("6.5.2 a window that is too large", ["failed FLOW_CONTROL_ERROR"]) {
            $0.settings([(.initialWindowSize, 0x8000_0000)])
        },
        make("6.5.2 frames that are too small", ["failed PROTOCOL_ERROR"]) { $0.settings([(.maximumFrameSize, 16_383)]) },
        make("6.6 a push", ["failed PROTOCOL_ERROR"]) { $0.frame(.pushPromise, .endHeaders, stream: 1, [0, 0, 0, 2]) },
        make("6.7 a ping of a stream", ["failed PROTOCOL_ERROR"]) { $0.frame(.ping, [], stream: 1, [0, 0, 0, 0, 0, 0, 0, 0]) },
        make("6.7 a ping of another length", ["failed FRAME_SIZE_ERROR"]) { $0.frame(.ping, [0]) },
        make("6.8 GOAWAY of a stream", ["failed PROTOCOL_ERROR"]) { $0.frame(.goAway, [], stream: 1, [0, 0, 0, 0, 0, 0, 0, 0]) },
        make("6.8 GOAWAY that accepts more", ["goaway NO_ERROR", "1 unprocessed", "3 unprocessed", "failed PROTOCOL_ERROR"]) {
            $0.goAway(0)
            $0.goAway(3)
        },
        make("6.9 a window of another length", ["failed FRAME_SIZE_ERROR"]) { $0.frame(.windowUpdate, [0]) },
        make("6.9 a window of the connection that does not move", ["failed PROTOCOL_ERROR"]) { $0.windowUpdate(0) },
        make("6.9.1 a window of the connection that is too large", ["failed FLOW_CONTROL_ERROR"]) {
            $0.windowUpdate(0x7FFF_FFFF)
        },
        make("6.10 a continuation of nothing", ["failed PROTOCOL_ERROR"]) { $0.frame(.continuation, .endHeaders, stream: 1, []) },
        make("6.10 a frame within a block", ["failed PROTOCOL_ERROR"]) {
            $0.frame(.headers, [], stream: 1, [0x88])
            $0.data("x")
        },
        make("6.10 a continuation of another stream", ["failed PROTOCOL_ERROR"]) {
            $0.frame(.headers, [], stream: 1, [0x88])
            $0.frame(.continuation, .endHeaders, stream: 3, [])
        },
    ]

    private static func check(_ test: Case, then more: (inout ServerFrames) -> Void = { _ in }, _ events: [String] = []) {
        var frames = test.frames
        more(&frames)
        for piece in [Int.max, 1, 7, 10] {
            var received = ReceivedEvents(requests: 2)
            received.receive(frames, piece: piece)
            let expected = test.events + events
            #expect(Array(received.log.prefix(expected.count)) == expected, "\(test.name), \(piece) bytes at a time")
            #expect(received.log.dropFirst(expected.count).allSatisfy { $0.hasPrefix("failed") })
        }
    }

    @Test func `responses are the same events, however their bytes are split`() {
        for test in Self.responses { Self.check(test) }
    }

    @Test func `a violation on one stream resets it, and others go on`() {
        for test in Self.malformed {
            Self.check(test, then: { $0.head(Self.ok, stream: 3, isEnd: true) }, ["3 head 200", "3 end"])
        }
    }

    @Test func `a violation of the protocol ends the connection with GOAWAY`() {
        for test in Self.fatal { Self.check(test) }
    }

    // MARK: Bounds

    /// Frames that a server could send without end.
    static let floods: [(name: String, write: @Sendable (inout ServerFrames) -> Void)] = [
        ("DATA without bytes", { $0.data("") }),
        ("PRIORITY", { $0.frame(.priority, [], stream: 1, [0, 0, 0, 0, 0]) }),
        ("WINDOW_UPDATE", { $0.windowUpdate(1) }),
        ("WINDOW_UPDATE of a stream", { $0.windowUpdate(1, stream: 1) }),
        ("SETTINGS", { $0.settings([]) }),
        ("replies to SETTINGS", { $0.frame(.settings, .acknowledgement, stream: 0) }),
        ("PING", { $0.frame(.ping, [0, 0, 0, 0, 0, 0, 0, 0]) }),
        ("replies to PING", { $0.frame(.ping, .acknowledgement, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0]) }),
        ("unknown frames", { $0.frame(HTTP2FrameKind(rawValue: 0x42), [1, 2, 3]) }),
        ("GOAWAY", { $0.goAway(1) }),
        ("a reset of a closed stream", { $0.reset(.cancel, stream: 3) }),
        ("content of a closed stream", { $0.data("x", stream: 3) }),
        ("fields of a closed stream", { $0.head([(":status", "200")], stream: 3) }),
        ("CONTINUATION", { $0.frame(.continuation, [], stream: 1, []) }),
    ]

    @Test func `a flood of each kind ends the connection, and the output stays small`() {
        for (name, write) in Self.floods {
            var received = ReceivedEvents(requests: 2)
            var frames = ServerFrames()
            frames.reset(.cancel, stream: 3)
            if name == "DATA without bytes" { frames.head([(":status", "200")]) }
            if name == "CONTINUATION" { frames.frame(.headers, [], stream: 1, [0x88]) }
            for _ in 0..<HTTP2Limits.emptyFrames + 20 { write(&frames) }
            received.receive(frames)
            #expect(received.log.last == "failed ENHANCE_YOUR_CALM", "\(name)")
            #expect(received.connection.output.count < 32 << 10, "\(name)")
        }
    }

    @Test func `a head is counted while it is decoded`() {
        var frames = ServerFrames()
        // One entry of the table of 4,000 bytes, to which each further byte refers.
        let name = "x-large"
        let large = frames.block([(":status", "200"), (name, String(repeating: "a", count: 4_000))])
        frames.frame(.headers, [], stream: 1, large)
        frames.frame(.continuation, .endHeaders, stream: 1, Array(repeating: 0xBE, count: 16_000))
        frames.head(Self.ok, stream: 3, isEnd: true)
        // The number of fields is not what is exceeded.
        var limits = HTTP2Limits()
        limits.headerFields = 1 << 20
        var received = ReceivedEvents(requests: 2, limits: limits)
        received.receive(frames)
        #expect(received.log == ["1 failed CANCEL", "3 head 200", "3 end"])
    }
}
