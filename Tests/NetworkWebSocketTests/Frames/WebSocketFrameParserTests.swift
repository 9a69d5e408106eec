import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Random streams of frames: the parser finds what the reference finds, however they are split.
@Suite(.timeLimit(.ofStorm)) struct WebSocketFrameParserTests {
    /// Returns a stream of frames, most of them valid, of which some bytes may be changed.
    static func stream(_ random: inout SeededGenerator) -> FrameStream {
        let role = random.pick([WebSocketFrameParser.Role.client, .server])
        var bytes: [UInt8] = []
        var isInMessage = false
        for _ in 0..<random.below(8) {
            let mask = role == .server ? (0..<4).map { _ in UInt8(random.below(256)) } : nil
            let count = random.chance(80) ? random.below(12) : random.pick([125, 126, 127, 300, 70_000])
            let payload = Array(Self.payload.prefix(count))
            var frame = TestFrame.ping(Array(payload.prefix(125)))
            if random.chance(70) {
                let isFinal = random.chance(60)
                frame = TestFrame(
                    isInMessage ? 0 : UInt8(1 + random.below(2)), payload, isFinal: isFinal,
                    reserved: !isInMessage && random.chance(20) ? 4 : 0)
                isInMessage = !isFinal
            }
            bytes += frame.bytes(mask: mask)
        }
        if random.chance(40), !bytes.isEmpty {
            for _ in 0...random.below(3) { bytes[random.below(min(bytes.count, 40))] = UInt8(random.below(256)) }
        }
        if random.chance(30) { bytes.removeLast(random.below(bytes.count + 1)) }
        return FrameStream(
            role: role, allowsCompression: random.chance(50), bytes: bytes)
    }

    private static let payload = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test(arguments: 0..<20) func `a random stream has the events of the reference, whatever the splits`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<runs(25, slow: 150) {
            let stream = Self.stream(&random)
            let expected = stream.expected()
            #expect(stream.parsed() == expected)
            for _ in 0..<runs(3, slow: 5) {
                let splits = (0..<random.below(9)).map { _ in random.below(stream.bytes.count + 1) }.sorted()
                #expect(stream.parsed(splits: splits) == expected, "split at \(splits)")
            }
        }
    }

    @Test func `bytes that are no frames have the events of the reference`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<runs(500, slow: 3000) {
            let bytes = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
            for role in [WebSocketFrameParser.Role.client, .server] {
                let stream = FrameStream(role: role, allowsCompression: random.chance(50), bytes: bytes)
                let split = random.below(bytes.count + 1)
                let expected = stream.expected()
                #expect(stream.parsed() == expected)
                #expect(stream.parsed(splits: [split]) == expected, "split at \(split)")
            }
        }
    }

    @Test func `a short stream has the same events split at two bytes`() {
        let frames = [
            TestFrame.text("né", isFinal: false), .ping([9, 8, 7]), TestFrame(0, [UInt8](repeating: 1, count: 130)),
            .close(1001, "bye"),
        ]
        let stream = FrameStream(role: .server, bytes: frames.flatMap { $0.bytes(mask: [1, 2, 3, 255]) })
        let expected = stream.expected()
        #expect(expected.count == 8)
        // The third payload is long: usually, it is split at each 16th byte.
        let places = (0...stream.bytes.count).filter { isSlowRun || !(30..<150).contains($0) || $0 % 16 == 0 }
        var wrong: [[Int]] = []
        for first in places {
            for second in places where second >= first && stream.parsed(splits: [first, second]) != expected {
                wrong.append([first, second])
            }
        }
        #expect(wrong.isEmpty)
    }
}
