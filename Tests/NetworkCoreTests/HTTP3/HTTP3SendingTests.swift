import Foundation
import Testing

@testable import NetworkEngine

/// What a connection over HTTP/3 sends (RFC 9114), and what it asks of QUIC.
struct HTTP3SendingTests {
    /// Returns the frames of a stream: their types and payloads.
    private static func frames(_ bytes: [UInt8]) -> [(kind: HTTP3FrameKind, payload: [UInt8])] {
        bytes.withUnsafeBytes { input in
            var frames: [(HTTP3FrameKind, [UInt8])] = []
            var offset = 0
            while let header = HTTP3FrameHeader(input, at: &offset) {
                frames.append((header.kind, Array(input[offset..<offset + Int(header.length)])))
                offset += Int(header.length)
            }
            #expect(offset == input.count)
            return frames
        }
    }

    private static func write(_ name: String, _ value: String) -> (inout QPACKEncoder, inout [UInt8]) -> Void {
        { encoder, output in
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { encoder.append(name, $0, .added, to: &output) }
            }
        }
    }

    @Test func `the unidirectional streams begin with their types, and the control stream with the settings (6.2.1, 9204 4.2)`() {
        let received = ReceivedStreams(requests: 0)
        #expect(received.sent[.own(.control)] == [0, 4, 9, 1, 0, 6, 0x80, 4, 0, 0, 7, 0])
        #expect(received.sent[.own(.qpackEncoder)] == [2])
        #expect(received.sent[.own(.qpackDecoder)] == [3])
        #expect(received.ended.isEmpty && received.actions.isEmpty)
    }

    @Test func `a request without a body is one frame, and ends its stream (4.1)`() {
        var received = ReceivedStreams(requests: 0)
        let id = received.connection.open(0, hasBody: false, Self.write(":method", "GET"))
        received.act()
        #expect(received.sent[.request(id)] == [1, 3, 0, 0, 0xC0 | 17])
        #expect(received.ended == [.request(id)])
        #expect(received.connection.room(on: id) == 0)
        #expect(received.connection.streams.count == 1)
        var server = ServerStreams()
        server.head(isEnd: true)
        received.receive(server)
        #expect(received.log == ["0 head 200", "0 end"] && received.connection.streams.count == 0)
    }

    @Test(arguments: [1, 63, 64, 16_383, 16_384]) func `content is written in frames whose length is right (7.2.1)`(count: Int) {
        var received = ReceivedStreams(hasBody: true)
        let id = received.requests[0]
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for isEnd in [false, true] {
            // The buffer is larger than what is written.
            received.connection.writeContent(id, upTo: min(count * 3, received.connection.room(on: id))) { buffer in
                buffer.copyBytes(from: content)
                return (count, isEnd)
            }
            received.act()
        }
        let frames = Self.frames(received.sent[.request(id)] ?? [])
        #expect(frames.map(\.kind) == [.headers, .data, .data])
        #expect(frames.dropFirst().allSatisfy { $0.payload == content })
        #expect(received.ended == [.request(id)])
    }

    @Test func `content that is not there yet writes nothing, and an end without content only ends the stream`() {
        var received = ReceivedStreams(hasBody: true)
        let id = received.requests[0]
        received.connection.writeContent(id, upTo: 100) { _ in (0, false) }
        #expect(received.connection.takeActions().isEmpty)
        received.connection.writeContent(id, upTo: 100) { _ in (0, true) }
        received.act()
        #expect(Self.frames(received.sent[.request(id)] ?? []).map(\.kind) == [.headers])
        #expect(received.ended == [.request(id)])
        // Nothing follows the end.
        received.connection.writeContent(id, upTo: 100) { _ in (100, true) }
        received.connection.writeTrailers(id, Self.write("x-sum", "1"))
        received.connection.finish(id)
        #expect(received.connection.takeActions().isEmpty)
    }

    @Test func `trailers end the request (4.1)`() {
        var received = ReceivedStreams(hasBody: true)
        let id = received.requests[0]
        received.connection.writeTrailers(id, Self.write("x-sum", "1"))
        received.act()
        #expect(Self.frames(received.sent[.request(id)] ?? []).map(\.kind) == [.headers, .headers])
        #expect(received.ended == [.request(id)])
    }

    @Test func `what the transport does not take is offered again, and the end only with the last byte`() {
        var connection = HTTP3StateMachine()
        let id = connection.open(0, hasBody: true) { _, output in output += Array(repeating: 1, count: 1000) }
        connection.finish(id)
        #expect(connection.takeActions().filter { $0 == .send(.request(id)) }.count == 1)
        var sent: [UInt8] = []
        var ends = 0
        for taken in [nil, 0, 1, 500, nil] as [Int?] {
            let isEnd = connection.offer(.request(id)) { bytes, isEnd in
                sent += bytes.prefix(taken ?? 0)
                return (isEnd, taken)
            }
            #expect(isEnd == true)
        }
        while let isEnd = connection.offer(
            .request(id),
            { bytes, isEnd in
                sent += bytes.prefix(100)
                return (isEnd && bytes.count <= 100, min(bytes.count, 100))
            })
        { if isEnd { ends += 1 } }
        #expect(sent.count == 1005 && ends == 1 && connection.takeActions().isEmpty)
    }

    @Test func `a stream has a bounded number of bytes to send`() {
        var connection = HTTP3StateMachine()
        let id = connection.open(0, hasBody: true) { _, _ in }
        var written = 0
        while case let room = connection.room(on: id), room > 0 {
            connection.writeContent(id, upTo: room) { _ in (room, false) }
            written += room
        }
        #expect((HTTP3Limits.outputBytes - 100...HTTP3Limits.outputBytes).contains(written))
    }

    @Test func `a priority is a frame of the control stream (9218 7.2)`() {
        var received = ReceivedStreams(requests: 2)
        received.connection.writePriority(received.requests[1], urgency: 1)
        received.act()
        let frames = Self.frames(Array((received.sent[.own(.control)] ?? []).dropFirst()))
        #expect(frames.map(\.kind) == [.settings, .priorityUpdate])
        #expect(frames.last?.payload == [4] + Array("u=1".utf8))
    }

    @Test func `a request that is cancelled is reset, and its response is not read (4.1.1)`() {
        var received = ReceivedStreams(requests: 1, hasBody: true)
        received.connection.reset(received.requests[0], .requestCancelled)
        received.act()
        #expect(received.actions == ["reset 0 H3_REQUEST_CANCELLED", "stop 0 H3_REQUEST_CANCELLED"])
        var server = ServerStreams()
        server.head(isEnd: true)
        received.receive(server)
        #expect(received.log.isEmpty && received.connection.streams.count == 0)
        received.connection.reset(received.requests[0], .requestCancelled)
        #expect(received.connection.takeActions().isEmpty)
    }

    @Test func `a server that does not read the rest of a request still responds (4.1)`() {
        var received = ReceivedStreams(requests: 1, hasBody: true)
        var server = ServerStreams()
        server.add(.stop(.request(received.requests[0]), .noError))
        server.head()
        received.receive(server)
        #expect(received.actions == ["reset 0 H3_NO_ERROR"])
        #expect(received.connection.room(on: received.requests[0]) == 0)
        server = ServerStreams(settings: nil)
        server.end()
        received.receive(server)
        #expect(received.log == ["0 stopped H3_NO_ERROR", "0 head 200", "0 end"])
        #expect(received.connection.streams.count == 0)
    }

    @Test func `a response that ends first leaves the request open until it is sent or reset (4.1)`() {
        var received = ReceivedStreams(requests: 2, hasBody: true)
        var server = ServerStreams()
        server.head(isEnd: true)
        server.head(stream: 4, isEnd: true)
        received.receive(server)
        #expect(
            received.connection.streams.count == 2 && received.requests.allSatisfy { received.connection.hasReceivedEnd(of: $0) })
        received.connection.finish(received.requests[0])
        received.act()
        #expect(received.connection.streams.count == 1)
        received.connection.reset(received.requests[1], .noError)
        received.act()
        #expect(received.actions == ["reset 4 H3_NO_ERROR"] && received.connection.streams.count == 0)
    }

    @Test func `after GOAWAY no request is begun, and those that were refused are reset (5.2)`() {
        var received = ReceivedStreams(requests: 2)
        #expect(received.connection.canOpen)
        var server = ServerStreams()
        server.goAway(4)
        received.receive(server)
        #expect(!received.connection.canOpen && received.actions == ["stop 4 H3_REQUEST_CANCELLED"])
        received.connection.close()
        received.act()
        #expect(received.actions.last == "close H3_NO_ERROR")
    }

    @Test func `nothing follows the failure of a connection`() {
        var received = ReceivedStreams(requests: 2)
        var server = ServerStreams()
        server.data("x")
        server.head(stream: 4, isEnd: true)
        server.reset(.noError, stream: 4)
        server.open(2)
        server.add(.stop(.request(received.requests[1]), .noError))
        received.receive(server)
        #expect(Set(received.log) == ["failed H3_FRAME_UNEXPECTED"] && !received.connection.canOpen)
        received.connection.close()
        received.act()
        #expect(received.actions == ["close H3_FRAME_UNEXPECTED"])
    }
}
