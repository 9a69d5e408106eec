#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The bytes of an IP address literal, in which all its spellings are equal.
struct IPAddress: Sendable, Hashable {
    /// In network order: 4 of IPv4, or 16 of IPv6.
    let bytes: [UInt8]

    var isIPv6: Bool { bytes.count == 16 }

    /// - Parameter text: Four decimal numbers, or IPv6 with or without brackets (RFC 4291 §2.2); a zone is ignored. `nil` for
    ///   anything else, such as `127.1`.
    init?(_ text: some StringProtocol) {
        var digits = text[...]
        if digits.hasPrefix("["), digits.hasSuffix("]") { digits = digits.dropFirst().dropLast() }
        let isIPv6 = digits.utf8.contains(UInt8(ascii: ":"))
        if isIPv6, let zone = digits.utf8.firstIndex(of: UInt8(ascii: "%")) { digits = digits[..<zone] }
        // A C string ends at its first NUL.
        guard digits.utf8.count <= 45, !digits.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(digits), &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// Whether the first bits are the same, and the family is.
    ///
    /// - Parameter bits: 0...32 or 0...128; nothing shares more.
    func shares(_ bits: Int, with other: IPAddress) -> Bool {
        guard bytes.count == other.bytes.count, (0...bytes.count * 8).contains(bits) else { return false }
        let (whole, rest) = (bits / 8, bits % 8)
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - rest) == 0
    }
}
