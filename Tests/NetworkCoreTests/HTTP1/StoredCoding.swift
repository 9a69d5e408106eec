import Foundation

/// Encoders for content codings that do not compress and need no library. Their output is valid for every decoder.
enum StoredCoding: String, CaseIterable, Sendable {
    /// RFC 1952.
    case gzip
    /// RFC 1950, which `deflate` means in HTTP (RFC 9110 §8.4.1.2).
    case deflate

    func encoded(_ data: Data) -> Data {
        switch self {
        case .gzip:
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Self.blocks(data) + Self.little(Self.crc(data))
                + Self.little(UInt32(data.count))
        case .deflate:
            [0x78, 0x01] + Self.blocks(data) + Self.little(Self.adler(data)).reversed()
        }
    }

    /// Stored blocks of at most 65,535 bytes (RFC 1951 §3.2.4).
    private static func blocks(_ data: Data) -> Data {
        var blocks = Data()
        var rest = data[...]
        repeat {
            let piece = rest.prefix(65_535)
            rest = rest.dropFirst(piece.count)
            let count = UInt16(piece.count)
            blocks += [rest.isEmpty ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
            blocks += piece
        } while !rest.isEmpty
        return blocks
    }

    private static func little(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
    }

    private static func crc(_ data: Data) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            data.withUnsafeBytes { bytes in
                var value: UInt32 = 0xFFFF_FFFF
                for byte in bytes { value = (value >> 8) ^ table[Int((value ^ UInt32(byte)) & 0xFF)] }
                return ~value
            }
        }
    }

    private static func adler(_ data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            var (low, high): (UInt32, UInt32) = (1, 0)
            for byte in bytes {
                low = (low + UInt32(byte)) % 65_521
                high = (high + low) % 65_521
            }
            return high << 16 | low
        }
    }
}
