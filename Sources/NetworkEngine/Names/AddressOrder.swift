import NetworkTransport

/// The order in which the addresses of a name are tried.
///
/// ``sorted(_:)`` puts addresses first that are likely to work (RFC 6724 §6, with the default policy), and ``interleaved(_:)``
/// lets the families alternate, so that one that does not work costs one attempt (RFC 8305 §4).
///
/// Rules that need more than addresses are left out: deprecated and home addresses (3 and 4), and native transport (7). So is the
/// longest prefix (9): the bits of addresses say little of their distance, and servers rotate them to distribute connections.
enum AddressOrder {
    /// Sorts addresses by RFC 6724 §6. Those without a preference keep their order.
    ///
    /// - Parameter candidates: Addresses, each with the one from which packets to it would be sent; `nil` if there is no route.
    static func sorted(_ candidates: [(address: IPAddress, source: IPAddress?)]) -> [IPAddress] {
        // Equal elements: rule 10, as `sort` does not document their order.
        let ranks = candidates.enumerated().map { rank($0.element.address, $0.element.source) + [$0.offset] }
        return candidates.indices.sorted { ranks[$0].lexicographicallyPrecedes(ranks[$1]) }.map { candidates[$0].address }
    }

    /// The properties of an address that decide, in the order of the rules 1, 2, 5, 6 and 8; smaller is better.
    private static func rank(_ address: IPAddress, _ source: IPAddress?) -> [Int] {
        let policy = AddressPolicy(address)
        guard let other = source.map({ AddressPolicy($0) }) else { return [1] }
        return [0, policy.scope == other.scope ? 0 : 1, policy.label == other.label ? 0 : 1, -policy.precedence, policy.scope]
    }

    /// Returns addresses so that families alternate, beginning with that of the first one, as long as there are addresses of both
    /// (RFC 8305 §4).
    ///
    /// - Parameter sorted: Addresses in the order of preference, which is kept within each family.
    static func interleaved(_ sorted: [IPAddress]) -> [IPAddress] {
        guard let first = sorted.first else { return [] }
        let preferred = sorted.filter { $0.isIPv6 == first.isIPv6 }
        let others = sorted.filter { $0.isIPv6 != first.isIPv6 }
        return (0..<max(preferred.count, others.count)).flatMap {
            preferred.dropFirst($0).prefix(1) + others.dropFirst($0).prefix(1)
        }
    }
}

/// The scope of an address (RFC 6724 §3), and its entry in the default policy table (§2.1).
struct AddressPolicy: Equatable {
    let scope: Int
    let precedence: Int
    let label: Int

    init(_ address: IPAddress) {
        let mapped = Self.mapped(address)
        scope = Self.scope(mapped)
        let entry = Self.table.first { $0.prefix.shares($0.bits, with: mapped) }
        (precedence, label) = entry.map { ($0.precedence, $0.label) } ?? (40, 1)
    }

    /// The policy table, longest prefixes first. Without an entry, `::/0` applies.
    private static let table: [(prefix: IPAddress, bits: Int, precedence: Int, label: Int)] = [
        ("::1", 128, 50, 0), ("::ffff:0:0", 96, 35, 4), ("::", 96, 1, 3), ("2001::", 32, 5, 5), ("2002::", 16, 30, 2),
        ("3ffe::", 16, 1, 12), ("fec0::", 10, 1, 11), ("fc00::", 7, 3, 13),
    ].compactMap { text, bits, precedence, label in IPAddress(text).map { ($0, bits, precedence, label) } }

    /// The IPv6 form of an address: that of IPv4 addresses begins with `::ffff:0:0/96` (RFC 6724 §2.1).
    private static func mapped(_ address: IPAddress) -> IPAddress {
        guard !address.isIPv6 else { return address }
        return IPAddress(bytes: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.bytes) ?? address
    }

    /// The scope by the numbers of RFC 4291 §2.7: 2 for the link, 5 for the site, 14 for global addresses.
    private static func scope(_ address: IPAddress) -> Int {
        let bytes = address.bytes
        // RFC 6724 §3.2: private addresses of IPv4 are global. For loopback addresses see also §3.4.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes[12] == 127 || bytes[12] == 169 && bytes[13] == 254 ? 2 : 14
        }
        if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes.last == 1 { return 2 }
        switch (bytes[0], bytes[1] & 0xC0) {
        // Multicast.
        case (0xFF, _): return Int(bytes[1] & 0x0F)
        case (0xFE, 0x80): return 2
        case (0xFE, 0xC0): return 5
        default: return 14
        }
    }
}
