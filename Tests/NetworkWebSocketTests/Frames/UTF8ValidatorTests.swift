import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

/// The validator accepts what the standard library accepts, however the bytes are split (RFC 3629).
@Suite(.timeLimit(.ofStorm)) struct UTF8ValidatorTests {
    /// Whether the pieces are a complete text.
    private static func accepts(_ pieces: [ArraySlice<UInt8>]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces where !piece.withUnsafeBytes({ validator.receive($0) }) { return false }
        return validator.isComplete
    }

    /// Whether the standard library, and Foundation, decode the bytes.
    private static func expected(_ bytes: [UInt8]) -> Bool {
        var codec = UTF8()
        var iterator = bytes.makeIterator()
        var isValid = true
        decoding: while true {
            switch codec.decode(&iterator) {
            case .scalarValue: continue
            case .emptyInput: break decoding
            case .error:
                isValid = false
                break decoding
            }
        }
        if isValid != (String(bytes: bytes, encoding: .utf8) != nil) { Issue.record("Foundation differs: \(bytes)") }
        return isValid
    }

    private static func check(_ bytes: [UInt8], _ isValid: Bool) {
        #expect(accepts([bytes[...]]) == isValid, "\(bytes)")
        let wrong = (0...bytes.count).filter { accepts([bytes[..<$0], bytes[$0...]]) != isValid }
        #expect(wrong.isEmpty, "\(bytes) split there")
        #expect(accepts(bytes.indices.map { bytes[$0...$0] }) == isValid, "\(bytes) byte by byte")
    }

    private static let valid: [[UInt8]] = [
        [], [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
        [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBF], [0xEF, 0xB7, 0x90], [0xF0, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0xBF, 0xBF],
        [0xF4, 0x8F, 0xBF, 0xBF], Array("κόσμε".utf8), Array("Hello-µ@ßöäüàá-UTF-8!!".utf8),
    ]

    private static let invalid: [[UInt8]] = [
        // A continuation byte without a start, and bytes that never occur.
        [0x80], [0xBF], [0xFE], [0xFF], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
        // Overlong.
        [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF],
        // Surrogates.
        [0xED, 0xA0, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80], [0xED, 0xBF, 0xBF],
        [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80],
        // Above U+10FFFF.
        [0xF4, 0x90, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF],
        // Incomplete.
        [0xC2], [0xE0, 0xA0], [0xE1], [0xF0, 0x90, 0x80], [0xF4], [0xC2, 0x41], [0xE1, 0x80, 0x41], [0xF1, 0x80, 0x80, 0x41],
        [0xC2, 0xC2, 0x80],
    ]

    @Test(arguments: valid) func `a valid text is accepted between others, split anywhere`(text: [UInt8]) {
        for start in [[], Array("0123456789".utf8), Array("é".utf8)] {
            for end in [[], Array("abcdefghi".utf8), Array("€".utf8)] {
                #expect(Self.expected(start + text + end))
                Self.check(start + text + end, true)
            }
        }
    }

    @Test(arguments: invalid) func `an invalid text is refused between others, split anywhere`(text: [UInt8]) {
        for start in [[], Array("0123456789".utf8), Array("é".utf8)] {
            for end in [[], Array("abcdefghi".utf8)] {
                #expect(!Self.expected(start + text + end))
                Self.check(start + text + end, false)
            }
        }
    }

    @Test func `code points are accepted, and each start with any second byte as the standard library does`() {
        // All of one and two bytes, and a part of those of three and four; with `DATA_TRANSFER_SLOW`, all of three, and a seventh of those of four.
        let long =
            Array(stride(from: UInt32(0x800), through: 0xFFFF, by: runs(13, slow: 1)))
            + Array(stride(from: UInt32(0x10000), through: 0x10FFFF, by: runs(101, slow: 7)))
        for value in Array(UInt32(0)..<0x800) + long + [0xD7FF, 0xE000, 0xFFFF, 0x10FFFF] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            if !Self.accepts([Array(String(scalar).utf8)[...]]) { Issue.record("U+\(String(value, radix: 16))") }
        }
        // Usually, one of 16 bytes that are whole characters, and of those that never start one.
        for first in UInt8.min...UInt8.max where isSlowRun || first >= 0xC0 || first % 16 == 15 {
            for second in UInt8.min...UInt8.max {
                for rest in [[], [0x80], [0x80, 0x80], [0xBF, 0xBF]] as [[UInt8]] {
                    let bytes = [first, second] + rest
                    let isValid = Self.expected(bytes)
                    if Self.accepts([bytes[...]]) != isValid || Self.accepts([bytes[..<1], bytes[1...]]) != isValid {
                        Issue.record("\(bytes)")
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<8) func `random bytes are accepted as by the standard library`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<runs(300, slow: 2000) {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(12) {
                bytes +=
                    random.chance(60) ? random.pick(Self.valid) : random.chance(50) ? random.pick(Self.invalid) : [0x61, 0x62]
            }
            if random.chance(30), !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            let isValid = Self.expected(bytes)
            let splits = (0..<3).map { _ in random.below(bytes.count + 1) }.sorted()
            let pieces = [
                bytes[..<splits[0]], bytes[splits[0]..<splits[1]], bytes[splits[1]..<splits[2]], bytes[splits[2]...],
            ]
            #expect(Self.accepts(pieces) == isValid, "\(bytes) split at \(splits)")
        }
    }
}
