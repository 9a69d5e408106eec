import Foundation
import NetworkSupport
import Testing
import TestSupport

struct PaddedBufferTests {
    @Test func `pieces of any size become bytes that zeros follow`() {
        var random = SeededGenerator(seed: 41)
        var buffer = PaddedBuffer()
        for _ in 0..<runs(80, slow: 300) {
            var all: [UInt8] = []
            if Bool.random(using: &random) { buffer.reserveCapacity(Int.random(in: 0..<100_000, using: &random)) }
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                let size = [0, 1, 63, 64, 1000, 70_000].randomElement(using: &random) ?? 0
                let piece = (0..<size).map { _ in UInt8.random(in: 1...255, using: &random) }
                piece.withUnsafeBytes { buffer.append($0) }
                all += piece
                #expect(buffer.count == all.count)
            }
            let bytes = buffer.take()
            #expect(bytes.count == all.count && bytes.data == Data(all) && buffer.count == 0)
            #expect(bytes.hasPadding != all.isEmpty)
            bytes.withUnsafeBytes { slice in
                #expect(slice.bytes.elementsEqual(all) && slice.isPadded != all.isEmpty)
                guard slice.isPadded, let start = slice.bytes.baseAddress else { return }
                let padding = UnsafeRawBufferPointer(start: start + all.count, count: PaddedBytes.padding)
                #expect(padding.allSatisfy { $0 == 0 })
            }
        }
    }
}
