import NetworkSupport

/// An IP address in binary form, which is the same for all spellings of the address.
package struct IPAddress: Sendable, Hashable {
    /// The bytes in network order: 4 for IPv4, 16 for IPv6.
    package let bytes: [UInt8]

    package var isIPv6: Bool { bytes.count == 16 }

    /// Parses an address; `nil` for any other text, such as `127.1`.
    ///
    /// - Parameter text: Four decimal numbers, or IPv6 with or without brackets (RFC 4291 §2.2); a zone is ignored.
    package init?(_ text: Substring) {
        var text = text
        guard let bytes = text.withUTF8(Self.bytes) else { return nil }
        self.bytes = bytes
    }

    package init?(_ text: String) {
        self.init(text[...])
    }

    private static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var digits = text[...]
        if digits.first == UInt8(ascii: "["), digits.last == UInt8(ascii: "]") { digits = digits.dropFirst().dropLast() }
        let isIPv6 = digits.contains(UInt8(ascii: ":"))
        if isIPv6, let zone = digits.firstIndex(of: UInt8(ascii: "%")) { digits = digits[..<zone] }
        // A C string ends at its first NUL.
        guard digits.count <= 45, !digits.contains(0) else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { string in
            string.initialize(repeating: 0)
            for (offset, digit) in digits.enumerated() { string[offset] = CChar(bitPattern: digit) }
            var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
            return inet_pton(isIPv6 ? AF_INET6 : AF_INET, string.baseAddress, &bytes) == 1 ? bytes : nil
        }
    }

    /// Creates an address from its bytes; `nil` unless there are 4 or 16.
    ///
    /// - Parameter bytes: The bytes in network order.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// The address in its canonical form, without brackets (RFC 5952 §4).
    package var text: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) }
                ?? ""
        }
    }

    /// Returns whether the family and the first bits of two addresses are the same.
    ///
    /// - Parameter bits: The number of bits: 0...32 for IPv4, 0...128 for IPv6. With more bits, the result is `false`.
    package func shares(_ bits: Int, with other: IPAddress) -> Bool {
        guard bytes.count == other.bytes.count, (0...bytes.count * 8).contains(bits) else { return false }
        let (whole, rest) = (bits / 8, bits % 8)
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - rest) == 0
    }
}
