import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Writing of frames, and their masks.
@Suite struct WebSocketFrameTests {
    private static func written(_ head: WebSocketFrameHead, _ payload: [UInt8], after start: [UInt8] = []) -> [UInt8] {
        var buffer = start
        payload.withUnsafeBytes { head.append($0, to: &buffer) }
        return buffer
    }

    private static func mask(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } }

    // RFC 6455 §5.7.
    @Test(
        arguments: [
            (WebSocketFrameHead(.text, length: 5), "Hello", [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]),
            (
                WebSocketFrameHead(.text, length: 5, mask: mask([0x37, 0xFA, 0x21, 0x3D])), "Hello",
                [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
            ),
            (WebSocketFrameHead(.text, length: 3, isFinal: false), "Hel", [0x01, 0x03, 0x48, 0x65, 0x6C]),
            (WebSocketFrameHead(.continuation, length: 2), "lo", [0x80, 0x02, 0x6C, 0x6F]),
            (WebSocketFrameHead(.ping, length: 5), "Hello", [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]),
            (
                WebSocketFrameHead(.pong, length: 5, mask: mask([0x37, 0xFA, 0x21, 0x3D])), "Hello",
                [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
            ),
            (WebSocketFrameHead(.close, length: 0), "", [0x88, 0x00]),
            (WebSocketFrameHead(.text, length: 1, isCompressed: true), "x", [0xC1, 0x01, 0x78]),
        ] as [(WebSocketFrameHead, String, [UInt8])])
    func `the examples of the RFC are written`(head: WebSocketFrameHead, payload: String, bytes: [UInt8]) {
        #expect(Self.written(head, Array(payload.utf8)) == bytes)
        #expect(Self.written(head, Array(payload.utf8), after: [1, 2]) == [1, 2] + bytes)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 127, 65_535, 65_536, 100_000])
    func `a frame of any length is read by another parser`(length: Int) {
        let payload = (0..<length).map { UInt8($0 % 253) }
        for mask in [nil, [0, 0, 0, 0], [1, 2, 3, 4], [255, 0, 255, 128]] as [[UInt8]?] {
            let bytes = Self.written(WebSocketFrameHead(.binary, length: length, mask: mask.map(Self.mask)), payload)
            #expect(bytes == TestFrame.binary(payload).bytes(mask: mask))
            var rest = bytes[...]
            #expect(TestFrame.read(from: &rest) == [.binary(payload)])
            #expect(rest.isEmpty)
        }
    }

    @Test func `a mask is removed from parts at any offset`() {
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        let plain = (0..<40).map { UInt8($0) }
        let masked = plain.enumerated().map { $1 ^ key[$0 & 3] }
        for start in 0...plain.count {
            for end in start...plain.count {
                var part = Array(masked[start..<end])
                part.withUnsafeMutableBytes { WebSocketMask.apply(Self.mask(key), to: $0, offset: start) }
                #expect(part == Array(plain[start..<end]), "\(start)..<\(end)")
            }
        }
    }

    @Test func `masking keys differ`() {
        var source = WebSocketMaskSource()
        let keys = (0..<1000).map { _ in source.next() }
        // That two of 1000 are equal has a probability of 1 in 8600; three pairs of them do not happen.
        #expect(Set(keys).count > 997)
        for bit in 0..<32 {
            let ones = keys.count { $0 >> UInt32(bit) & 1 == 1 }
            #expect((350...650).contains(ones), "bit \(bit)")
        }
    }
}
