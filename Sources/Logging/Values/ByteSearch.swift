import Foundation
import NetworkSupport

extension [UInt8] {
    /// Returns whether a sequence of bytes occurs in this array. Both must be lower case.
    func contains(sequence: [UInt8]) -> Bool {
        guard let first = sequence.first, count >= sequence.count else { return sequence.isEmpty }
        var index = 0
        while index <= count - sequence.count {
            if self[index] == first, matches(sequence, at: index) { return true }
            index += 1
        }
        return false
    }

    /// Returns whether lower-case bytes occur at an index of this array, compared without regard to ASCII case.
    func matches(_ lowercase: [UInt8], at index: Int) -> Bool {
        guard index >= 0, index + lowercase.count <= count else { return false }
        var offset = 0
        while offset < lowercase.count {
            guard self[index + offset].lowered == lowercase[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// Returns the bytes percent-decoded (RFC 3986 §2.1), up to three times, because proxies and clients can encode repeatedly.
    ///
    /// A `%` that is not followed by two hexadecimal digits is kept.
    ///
    /// - Parameter isForm: Whether `+` is decoded to a space.
    func percentDecoded(isForm: Bool = false) -> [UInt8] {
        var current = self
        for round in 0..<3 {
            let plusIsSpace = isForm && round == 0
            guard current.contains(.percent) || (plusIsSpace && current.contains(.plus)) else { break }
            let result = current.percentDecodedOnce(plusIsSpace: plusIsSpace)
            if result == current { break }
            current = result
        }
        return current
    }

    /// Returns the bytes percent-decoded (RFC 3986 §2.1). A `%` that is not followed by two hexadecimal digits is kept.
    package func percentDecodedOnce(plusIsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var index = 0
        while index < count {
            let byte = self[index]
            if byte == .percent, index + 2 < count, let high = self[index + 1].hexValue, let low = self[index + 2].hexValue {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(byte == .plus && plusIsSpace ? .space : byte)
                index += 1
            }
        }
        return result
    }

    /// Returns the first `end` bytes with the placeholder in place of some ranges, which may be in any order. Ranges that overlap or adjoin become
    /// one placeholder.
    func hiding(_ ranges: [Range<Int>], upTo end: Int? = nil) -> [UInt8] {
        let end = end ?? count
        guard !ranges.isEmpty else { return end == count ? self : Array(self[..<end]) }
        var result: [UInt8] = []
        result.reserveCapacity(end)
        // The end of what was copied or hidden.
        var done = 0
        var hasHidden = false
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound < end {
            if !hasHidden || range.lowerBound > done {
                result += self[done..<range.lowerBound]
                result += SecretValues.placeholder.utf8
                hasHidden = true
            }
            done = Swift.max(done, Swift.min(range.upperBound, end))
        }
        return result + self[done..<end]
    }

    /// The bytes decoded as UTF-8, with invalid sequences replaced by U+FFFD.
    var text: String { String(decoding: self, as: UTF8.self) }
}
