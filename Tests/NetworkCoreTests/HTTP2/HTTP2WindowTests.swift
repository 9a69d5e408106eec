import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine

/// How much is sent and received at most (RFC 9113 §5.2, §6.9), and which bytes that are.
struct HTTP2WindowTests {
    /// What a server receives: it checks the windows that it has given.
    private struct Peer {
        var bytes: [UInt8] = []
        /// The window of the connection, and of each stream.
        var connection = 65_535
        var initial = 65_535
        var streams: [UInt32: Int] = [:]
        var bodies: [UInt32: [UInt8]] = [:]
        var updates: [(stream: UInt32, increment: Int)] = []
        var exceeded: String?

        mutating func receive(_ new: [UInt8]) {
            bytes += new
            if bytes.first == UInt8(ascii: "P") {
                guard bytes.count >= 24 else { return }
                bytes.removeFirst(24)
            }
            while bytes.count >= HTTP2FrameHeader.byteCount {
                let header = bytes.withUnsafeBytes { HTTP2FrameHeader($0) }
                let end = HTTP2FrameHeader.byteCount + header.length
                guard bytes.count >= end else { return }
                let payload = Array(bytes[HTTP2FrameHeader.byteCount..<end])
                bytes.removeFirst(end)
                switch header.kind {
                case .headers: streams[header.stream] = initial
                case .data:
                    connection -= payload.count
                    streams[header.stream, default: 0] -= payload.count
                    bodies[header.stream, default: []] += payload
                    if connection < 0 || streams[header.stream, default: 0] < 0 && !payload.isEmpty {
                        exceeded = "stream \(header.stream): \(connection), \(streams[header.stream] ?? 0)"
                    }
                case .windowUpdate:
                    updates.append((header.stream, payload.withUnsafeBytes { Int($0.bigEndian(at: 0)) }))
                default: break
                }
            }
        }
    }

    /// Sends a part of what waits, as a socket does.
    private static func flush(_ connection: inout HTTP2StateMachine, to peer: inout Peer, _ random: inout SeededGenerator) {
        let count = Int.random(in: 0...20_000, using: &random)
        let sent = connection.output.offer { bytes in
            let taken = min(count, bytes.count)
            return (Array(bytes[..<taken]), taken)
        }
        peer.receive(sent)
    }

    @Test func `in any order of settings and window updates, no window is exceeded and no byte is lost`() {
        let first = UInt64.random(in: 0...(1 << 40))
        for seed in first..<first + UInt64(runs(10, slow: 200)) {
            var random = SeededGenerator(seed: seed)
            var (received, peer) = (ReceivedEvents(requests: 0), Peer())
            received.receive(ServerFrames())
            var sent: [HTTP2StreamID: [UInt8]] = [:]
            let ids = (0..<3).map { _ in received.connection.open(hasBody: true) { _, _ in } }
            // The heads arrive before any window changes.
            while !received.connection.output.isEmpty { Self.flush(&received.connection, to: &peer, &random) }
            func write(_ id: HTTP2StreamID, _ random: inout SeededGenerator) {
                let room = received.connection.room(on: id)
                guard room > 0 else { return }
                let bytes = [UInt8](
                    repeating: .random(in: 0...255, using: &random), count: min(room, .random(in: 1...9_000, using: &random)))
                received.connection.writeContent(id, upTo: room) { buffer in
                    buffer.copyBytes(from: bytes)
                    return (bytes.count, false)
                }
                sent[id, default: []] += bytes
            }
            for _ in 0..<200 {
                var frames = ServerFrames(settings: nil)
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    // Settings take effect for the peer when they are confirmed: all that was written before is received first.
                    while !received.connection.output.isEmpty { Self.flush(&received.connection, to: &peer, &random) }
                    let size = Int.random(in: 0...100_000, using: &random)
                    for id in ids { peer.streams[id.number, default: 0] += size - peer.initial }
                    peer.initial = size
                    frames.settings([(.initialWindowSize, UInt32(size))])
                case 1:
                    let increment = Int.random(in: 1...50_000, using: &random)
                    let id = ids.randomElement(using: &random).flatMap { Bool.random(using: &random) ? $0.number : nil } ?? 0
                    if id == 0 { peer.connection += increment } else { peer.streams[id, default: peer.initial] += increment }
                    frames.windowUpdate(UInt32(increment), stream: id)
                case 2, 3: Self.flush(&received.connection, to: &peer, &random)
                default: if let id = ids.randomElement(using: &random) { write(id, &random) }
                }
                received.receive(frames)
            }
            while !received.connection.output.isEmpty { Self.flush(&received.connection, to: &peer, &random) }
            let arrived = ids.allSatisfy { peer.bodies[$0.number] ?? [] == sent[$0] ?? [] }
            let used = ids.allSatisfy {
                received.connection.room(on: $0)
                    == max(min(peer.streams[$0.number] ?? 0, peer.connection, HTTP2Limits.frameBytes), 0)
            }
            guard peer.exceeded == nil, arrived, used, received.log.allSatisfy({ $0.hasSuffix("writable") }) else {
                Issue.record(
                    "\(peer.exceeded ?? ""), same bytes: \(arrived), same windows: \(used), \(received.log), seed \(seed)")
                return
            }
        }
    }

    private static func body(_ frames: inout ServerFrames, _ count: Int) {
        for start in stride(from: 0, to: count, by: HTTP2Limits.frameBytes) {
            frames.data(String(repeating: "a", count: min(HTTP2Limits.frameBytes, count - start)))
        }
    }

    @Test func `a server that sends more than the window of a stream is stopped`() {
        for excess in [0, 1] {
            var frames = ServerFrames()
            frames.head([(":status", "200")])
            Self.body(&frames, HTTP2Limits().streamWindow + excess)
            var received = ReceivedEvents(requests: 2)
            received.isReading = false
            received.receive(frames)
            #expect(received.log.contains("1 failed FLOW_CONTROL_ERROR") == (excess == 1))
        }
    }

    @Test(arguments: [true, false])
    func `the window of a stream doubles while its reader keeps up, and stays after a pause`(keepsUp: Bool) {
        var (received, peer, random) = (ReceivedEvents(), Peer(), SeededGenerator(seed: 1))
        let window = HTTP2Limits().streamWindow
        var frames = ServerFrames()
        frames.head([(":status", "200")])
        Self.body(&frames, 16_384)
        received.receive(frames)
        if !keepsUp { received.connection.pause(HTTP2StreamID(number: 1, slot: 0)) }
        var rest = ServerFrames(settings: nil)
        Self.body(&rest, window / 2 - 16_384)
        received.receive(rest)
        while !received.connection.output.isEmpty { Self.flush(&received.connection, to: &peer, &random) }
        #expect(peer.updates.filter { $0.stream == 1 }.map(\.increment) == [keepsUp ? window / 2 + window : window / 2])
    }

    @Test func `an entry that fits the table exactly stays, and one byte more removes the oldest`() {
        func count(_ value: String) -> Int {
            var table = HPACKDynamicTable(maximumSize: 2 * (HPACKDynamicTable.overhead + 4))
            for text in ["abc", value] {
                Array("n".utf8).withUnsafeBytes { name in Array(text.utf8).withUnsafeBytes { table.insert(name, $0) } }
            }
            return table.count
        }
        #expect(count("abc") == 2 && count("abcd") == 1)
    }
}
