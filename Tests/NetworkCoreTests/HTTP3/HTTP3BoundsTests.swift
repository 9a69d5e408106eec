import Foundation
import Testing

@testable import NetworkEngine

/// What a server can make a client over HTTP/3 do and keep (RFC 9114 §10.5).
struct HTTP3BoundsTests {
    /// What a server could send without end.
    static let floods: [(name: String, write: @Sendable (inout ServerStreams) -> Void)] = [
        ("DATA without bytes", { $0.data("") }),
        ("unknown frames of a request", { $0.frame(0x21, [1, 2, 3], on: 0) }),
        ("unknown frames of the control stream", { $0.frame(0x21, [1, 2, 3]) }),
        ("GOAWAY", { $0.goAway(4) }),
        ("unknown streams", { $0.open(0x21) }),
        ("streams that end at once", { $0.open(nil, [], isEnd: true) }),
        ("streams that are reset at once", { $0.add(.reset($0.open(nil), .noError)) }),
        ("capacities", { $0.bytes([0x20], on: 7) }),
        ("cancellations", { $0.bytes([0x40], on: 11) }),
    ]

    @Test func `a flood of each kind ends the connection`() {
        for (name, write) in Self.floods {
            var received = ReceivedStreams(requests: 2)
            var server = ServerStreams()
            server.open(2)
            server.open(3)
            server.head()
            for _ in 0..<HTTP3Limits.emptyFrames + 40 { write(&server) }
            received.receive(server)
            #expect(received.log.last == "failed H3_EXCESSIVE_LOAD", "\(name)")
            #expect(received.actions.last == "close H3_EXCESSIVE_LOAD", "\(name)")
            #expect(received.connection.peerStreams.count <= HTTP3Limits.peerStreams, "\(name)")
        }
    }

    @Test func `frames with content permit some without`() {
        var received = ReceivedStreams()
        var server = ServerStreams()
        server.head()
        for _ in 0..<1000 {
            server.data("x")
            for _ in 0..<16 { server.data("") }
        }
        received.receive(server)
        #expect(received.log == ["0 head 200", "0 data " + String(repeating: "x", count: 1000)])
    }

    @Test func `an unknown frame counts by its length`() {
        var received = ReceivedStreams()
        var server = ServerStreams()
        server.bytes(ServerStreams.integers(0x21, QUICInteger.maximum), on: 0)
        received.receive(server)
        #expect(received.log == ["failed H3_EXCESSIVE_LOAD"])
    }

    @Test func `streams whose type does not arrive are bounded`() {
        var received = ReceivedStreams()
        var server = ServerStreams()
        for _ in 0..<HTTP3Limits.peerStreams { server.open(nil, [0x40]) }
        received.receive(server)
        #expect(received.log.first == "failed H3_EXCESSIVE_LOAD")
    }

    @Test func `a head is counted while it is decoded`() {
        var limits = HTTP3Limits()
        (limits.headerBytes, limits.headerFields) = (2000, 1 << 20)
        var received = ReceivedStreams(requests: 3, limits: limits)
        var server = ServerStreams()
        // Each byte refers to a field of about fifty bytes.
        server.frame(1, server.section([(":status", "200")]) + Array(repeating: 0xC0 | 46, count: 200), on: 0)
        server.head(stream: 4)
        server.head([("a", "b")], stream: 4, isEnd: true)
        received.receive(server)
        #expect(received.log == ["0 failed H3_REQUEST_CANCELLED", "4 head 200", "4 trailers", "4 end"])
        limits.headerBytes = 1 << 20
        limits.headerFields = 20
        received = ReceivedStreams(requests: 2, limits: limits)
        received.receive(server)
        #expect(received.log.first == "0 failed H3_REQUEST_CANCELLED")
    }

    @Test func `informational responses are bounded`() {
        var received = ReceivedStreams()
        var server = ServerStreams()
        for _ in 0..<ResponseReception.interimResponses + 1 { server.head([(":status", "103")]) }
        received.receive(server)
        #expect(
            received.log.last == "0 failed H3_REQUEST_CANCELLED" && received.log.count == ResponseReception.interimResponses + 1)
    }

    @Test func `the heads that arrive in part are bounded together, and released with their streams`() {
        var received = ReceivedStreams(requests: 40)
        let part = ServerStreams.integers(1, UInt64(HTTP3Limits().headerBytes)) + Array(repeating: 0, count: 250 << 10)
        var server = ServerStreams()
        for stream in 0..<40 as Range<UInt64> { server.bytes(part, on: stream * 4) }
        received.receive(server, piece: 10_000)
        #expect(received.log.first == "128 failed H3_EXCESSIVE_LOAD" && received.log.count == 40 - 32)
        #expect(received.connection.heldBytes == 32 * 250 << 10)
        for id in received.requests { received.connection.reset(id, .requestCancelled) }
        #expect(received.connection.heldBytes == 0)
    }
}
