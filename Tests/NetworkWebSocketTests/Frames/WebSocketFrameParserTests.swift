import Foundation
import Testing

@testable import NetworkWebSocket

@Suite struct FrameParserTests {
    @Test func `a frame that is split at any byte has the same steps`() throws {
        var bytes: [UInt8] = []
        let payload = Array("hello".utf8)
        payload.withUnsafeBytes { WebSocketFrameHead(.text, length: 5).append($0, to: &bytes) }
        for split in 0...bytes.count {
            var parser = WebSocketFrameParser(.client, maximumFrameBytes: 1 << 20, allowsCompression: false)
            var received: [UInt8] = []
            for part in [bytes[..<split], bytes[split...]] {
                try Array(part).withUnsafeBytes { part in
                    var offset = 0
                    while true {
                        let step = try parser.next(part, at: &offset)
                        if step == .needsMore { break }
                        if case .payload(let range) = step { received += part[range] }
                    }
                }
            }
            #expect(received == payload)
            #expect(parser.isBetweenFrames)
        }
    }
}
