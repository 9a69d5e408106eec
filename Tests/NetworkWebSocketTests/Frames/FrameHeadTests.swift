import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Heads of frames, one by one (RFC 6455 §5.2). Each is also split at every byte, and long payloads after them at some bytes.
@Suite struct FrameHeadTests {
    /// Checks the events of a stream, however it is split in two.
    private func check(_ stream: FrameStream, _ expected: [FrameEvent], _ place: SourceLocation = #_sourceLocation) {
        #expect(stream.expected() == expected, "the reference", sourceLocation: place)
        #expect(stream.parsed() == expected, sourceLocation: place)
        let splits = stream.bytes.indices.prefix(300).filter { isSlowRun || $0 < 20 || $0 % 32 == 0 }
        let wrong = splits.filter { stream.parsed(splits: [$0]) != expected }
        #expect(wrong.isEmpty, "other events if split there", sourceLocation: place)
        let bytes = stream.bytes.indices.dropFirst().prefix(isSlowRun ? .max : 20)
        #expect(stream.parsed(splits: Array(bytes)) == expected, "byte by byte", sourceLocation: place)
    }

    private static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    @Test(arguments: [0, 1, 124, 125, 126, 127, 128, 255, 256, 65_534, 65_535, 65_536, 65_537])
    func `a payload of any length is found, masked and not`(length: Int) {
        let payload = (0..<length).map { UInt8($0 % 251) }
        let events: [FrameEvent] =
            [.begin(2, isCompressed: false)] + (length == 0 ? [] : [.payload(payload)]) + [.end(isLast: true)]
        for role in [WebSocketFrameParser.Role.client, .server] {
            let bytes = TestFrame.binary(payload).bytes(mask: role == .server ? Self.key : nil)
            let stream = FrameStream(role: role, bytes: bytes)
            #expect(stream.parsed() == events)
            for split in Array(0...min(15, bytes.count)) + [bytes.count - 1] {
                #expect(stream.parsed(splits: [split]) == events, "split at \(split)")
            }
        }
    }

    @Test(arguments: 0...255) func `each first byte has the events of the reference`(first: Int) {
        for allowsCompression in [false, true] {
            for role in [WebSocketFrameParser.Role.client, .server] {
                for start in [[], TestFrame.text("a", isFinal: false).bytes(mask: role == .server ? Self.key : nil)] {
                    var frame = TestFrame(0, Array("hello".utf8))
                    frame.first = UInt8(first)
                    let bytes = start + frame.bytes(mask: role == .server ? Self.key : nil)
                    let stream = FrameStream(role: role, allowsCompression: allowsCompression, bytes: bytes)
                    check(stream, stream.expected())
                }
            }
        }
    }

    @Test(arguments: 0...255) func `each second byte has the events of the reference`(second: Int) {
        for first in [0x81, 0x82, 0x88, 0x89, 0x8A] as [UInt8] {
            for role in [WebSocketFrameParser.Role.client, .server] {
                let stream = FrameStream(role: role, bytes: [first, UInt8(second)] + [UInt8](repeating: 0, count: 140))
                check(stream, stream.expected())
            }
        }
    }

    @Test(
        arguments: [
            ([0x82, 126, 0, 0], WebSocketViolation.invalidLength), ([0x82, 126, 0, 125], .invalidLength),
            ([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0], .invalidLength), ([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 125], .invalidLength),
            ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .invalidLength),
            ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .invalidLength),
            ([0x82, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .invalidLength),
            ([0x88, 126, 0, 126], .oversizedControlFrame), ([0x89, 127], .oversizedControlFrame),
            ([0x09, 0], .fragmentedControlFrame), ([0x08], .fragmentedControlFrame), ([0x8A, 0x80], .maskedFrame),
            ([0x80, 0], .unexpectedContinuation), ([0x00, 0], .unexpectedContinuation),
            ([0xC1], .reservedBits), ([0xA1], .reservedBits), ([0x91], .reservedBits), ([0xF1], .reservedBits),
            ([0x83], .unknownOpcode(3)), ([0x8B], .unknownOpcode(11)), ([0x8F], .unknownOpcode(15)),
        ] as [([UInt8], WebSocketViolation)])
    func `an invalid head is found with its last byte`(bytes: [UInt8], violation: WebSocketViolation) {
        check(FrameStream(bytes: bytes), [.violation(violation)])
        // The violation is not found before: the byte that shows it is the last one, or an earlier one decides.
        let stream = FrameStream(bytes: Array(bytes.dropLast()))
        #expect(stream.parsed() == stream.expected())
    }

    @Test func `a frame that is not masked is refused by a server`() {
        check(FrameStream(role: .server, bytes: TestFrame.text("a").bytes()), [.violation(.unmaskedFrame)])
    }

    @Test func `a frame of any length is received as far as it has arrived`() {
        for head: [UInt8] in [[0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1, 0, 0, 0, 0]] {
            check(FrameStream(bytes: [0x82, 127] + head + [1, 2, 3]), [.begin(2, isCompressed: false), .payload([1, 2, 3])])
        }
    }

    @Test func `a message of several frames lets control frames pass between them`() {
        let frames = [
            TestFrame.text("a", isFinal: false), .ping([1, 2]), .more("", isFinal: false), .pong(), .more("b"), .close(1000),
        ]
        check(
            FrameStream(bytes: frames.flatMap { $0.bytes() }),
            [
                .begin(1, isCompressed: false), .payload([0x61]), .end(isLast: false), .control(9, [1, 2]),
                .begin(0, isCompressed: false), .end(isLast: false), .control(10, []), .begin(0, isCompressed: false),
                .payload([0x62]), .end(isLast: true), .control(8, [3, 232]),
            ])
    }

    @Test func `a message within another one is refused`() {
        let frames = [TestFrame.text("a", isFinal: false), .text("b")]
        check(
            FrameStream(bytes: frames.flatMap { $0.bytes() }),
            [.begin(1, isCompressed: false), .payload([0x61]), .end(isLast: false), .violation(.interruptedMessage)])
    }

    @Test func `only the first frame of a compressed message says so`() {
        let frames = [
            TestFrame(1, [1], isFinal: false, reserved: 4), TestFrame(0, [2], isFinal: false), TestFrame(0, [3], reserved: 4),
        ]
        check(
            FrameStream(allowsCompression: true, bytes: frames.flatMap { $0.bytes() }),
            [
                .begin(1, isCompressed: true), .payload([1]), .end(isLast: false), .begin(0, isCompressed: false), .payload([2]),
                .end(isLast: false), .violation(.reservedBits),
            ])
    }

    @Test func `a parser is between frames only where one has ended`() throws {
        let bytes = TestFrame.text("hello").bytes()
        for count in 0...bytes.count {
            var parser = WebSocketFrameParser(.client, allowsCompression: false)
            try bytes[..<count].withUnsafeBytes { bytes in
                var offset = 0
                while try parser.next(bytes, at: &offset) != .needsMore {}
            }
            #expect(parser.isBetweenFrames == (count == 0 || count == bytes.count))
        }
    }
}
