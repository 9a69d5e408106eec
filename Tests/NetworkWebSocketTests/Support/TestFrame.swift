import Foundation
import NetworkWebSocket

/// A frame of a test, valid or not.
struct TestFrame: Sendable, Equatable, CustomStringConvertible {
    var first: UInt8
    var payload: [UInt8]

    init(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0) {
        first = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
        self.payload = payload
    }

    static func text(_ text: String, isFinal: Bool = true) -> TestFrame { TestFrame(1, Array(text.utf8), isFinal: isFinal) }
    static func binary(_ bytes: [UInt8], isFinal: Bool = true) -> TestFrame { TestFrame(2, bytes, isFinal: isFinal) }
    static func more(_ text: String, isFinal: Bool = true) -> TestFrame { TestFrame(0, Array(text.utf8), isFinal: isFinal) }
    static func ping(_ payload: [UInt8] = []) -> TestFrame { TestFrame(9, payload) }
    static func pong(_ payload: [UInt8] = []) -> TestFrame { TestFrame(10, payload) }
    static func close(_ code: UInt16? = nil, _ reason: String = "") -> TestFrame {
        TestFrame(8, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array(reason.utf8) } ?? [])
    }

    var opcode: UInt8 { first & 0x0F }

    /// The code of a close frame.
    var closeCode: UInt16? { opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil }

    /// Returns the bytes, masked with a key for a frame of the client.
    func bytes(mask: [UInt8]? = nil) -> [UInt8] {
        var bytes = [first]
        let bit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: bytes.append(bit | UInt8(payload.count))
        case ..<0x1_0000: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [bit | 127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + Self.masked(payload, with: mask)
    }

    /// Returns the bytes masked, or unmasked, with a key of four bytes. Uses words, as a loop over bytes is slow without optimization.
    private static func masked(_ bytes: [UInt8], with key: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let word = (key + key).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        bytes.withUnsafeMutableBytes { bytes in
            let end = bytes.count & ~7
            for index in stride(from: 0, to: end, by: 8) {
                let masked = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
                bytes.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            }
            for index in end..<bytes.count { bytes[index] ^= key[index & 3] }
        }
        return bytes
    }

    /// Reads frames, masked ones or others, with a parser that is independent of the one under test.
    ///
    /// - Parameter bytes: The bytes, from which complete frames are removed.
    static func read(from bytes: inout ArraySlice<UInt8>) -> [TestFrame] {
        var frames: [TestFrame] = []
        while bytes.count >= 2 {
            let start = bytes.startIndex
            let short = Int(bytes[start + 1] & 0x7F)
            let isMasked = bytes[start + 1] & 0x80 != 0
            let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
            let head = 2 + lengthBytes + (isMasked ? 4 : 0)
            guard bytes.count >= head else { break }
            let length =
                lengthBytes == 0 ? short : bytes[(start + 2)..<(start + 2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count - head >= length else { break }
            var payload = Array(bytes[(start + head)..<(start + head + length)])
            if isMasked {
                payload = masked(payload, with: Array(bytes[(start + head - 4)..<(start + head)]))
            }
            var frame = TestFrame(0, payload)
            frame.first = bytes[start]
            frames.append(frame)
            bytes = bytes[(start + head + length)...]
        }
        return frames
    }

    var description: String {
        let shown = payload.count <= 32 ? "\(payload)" : "\(payload.count) bytes"
        return "frame \(String(first, radix: 16)) \(shown)"
    }
}
