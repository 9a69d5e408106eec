import Endpoints

/// A cookie as it is stored (RFC 6265 §5.3).
struct Cookie: Sendable {
    /// What is sent: name, `=` and value, or the value alone.
    let pair: [UInt8]
    /// The number of bytes of the name in ``pair``; 0 without a name.
    let nameLength: Int
    /// The host that set it, or its `Domain`.
    let domain: String
    /// Whether it is sent to ``domain`` alone, not to its subdomains.
    let isHostOnly: Bool
    let path: [UInt8]
    let isSecure: Bool
    /// In milliseconds since 1970; `nil` for a cookie that lives as long as the store.
    let expiry: Int64?
    /// Counts up from one cookie to the next. One that takes the place of another keeps its number (§5.3 step 11.3).
    var creation: UInt64 = 0
    /// The larger, the more recently used.
    var lastUse: UInt64 = 0

    /// The cookie that a field sets.
    ///
    /// - Parameters:
    ///   - location: Where the response came from.
    ///   - now: In milliseconds since 1970.
    /// - Returns: `nil` where it is refused: `Domain` is not that of the host (§5.3 step 6) or is a single label (step 5; see
    ///   ``CookieStore``), `Secure` does not come over TLS, a prefix of its name promises what does not hold (6265bis §4.1.3), or its
    ///   path is longer than 1024 bytes.
    init?(_ field: SetCookie, from location: CookieLocation, now: Int64) {
        guard location.isSecure || !field.isSecure else { return nil }
        if let domain = field.domain, !Self.isHost(domain, location) {
            let isParent = domain.utf8.contains(UInt8(ascii: ".")) && CookieLocation.name(location.host, isInside: domain)
            guard !location.isAddress, isParent else { return nil }
            (self.domain, isHostOnly) = (domain, false)
        } else {
            // A single label may be a public suffix (step 5), and an address has no subdomains.
            domain = location.host
            isHostOnly = field.domain == nil || location.isAddress || !location.host.utf8.contains(UInt8(ascii: "."))
        }
        path = field.path ?? location.defaultPath
        isSecure = field.isSecure
        guard path.count <= SetCookie.maximumAttributeBytes, Self.keepsPromise(field, isHostOnly: isHostOnly) else { return nil }
        pair = field.name.isEmpty ? Array(field.value) : field.name + [UInt8(ascii: "=")] + field.value
        nameLength = field.name.count
        if let age = field.maximumAge {
            // Both are far from the ends of their type.
            expiry = age <= 0 ? .min : now + age * 1000
        } else {
            expiry = field.expires.map { $0 * 1000 }
        }
    }

    private static func isHost(_ domain: String, _ location: CookieLocation) -> Bool {
        domain.utf8.elementsEqual(location.host.utf8)
            || (location.isAddress && HostName.canonical(domain[...]) == location.host)
    }

    /// A name that begins with `__Secure-` or `__Host-`, in any case, says what holds for its cookie (6265bis §4.1.3). A
    /// value without a name may not look like such a name.
    private static func keepsPromise(_ field: SetCookie, isHostOnly: Bool) -> Bool {
        func begins(_ text: ArraySlice<UInt8>, _ prefix: StaticString) -> Bool {
            prefix.withUTF8Buffer { prefix in
                text.count >= prefix.count
                    && zip(text, prefix).allSatisfy { byte, other in
                        byte == other || ((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == other)
                    }
            }
        }
        if field.name.isEmpty { return !begins(field.value, "__secure-") && !begins(field.value, "__host-") }
        if begins(field.name, "__secure-") { return field.isSecure }
        if begins(field.name, "__host-") { return field.isSecure && isHostOnly && field.path == [UInt8(ascii: "/")] }
        return true
    }

    var name: ArraySlice<UInt8> { pair[..<nameLength] }

    func isExpired(at now: Int64) -> Bool {
        expiry.map { $0 <= now } ?? false
    }

    /// Whether one takes the place of the other (6265bis; RFC 6265 leaves ``isHostOnly`` out).
    func isSame(as other: Cookie) -> Bool {
        name == other.name && isHostOnly == other.isHostOnly && path == other.path && domain == other.domain
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path; never the value.
    var description: String {
        let path = String(decoding: path, as: UTF8.self)
        return "cookie \(String(decoding: name, as: UTF8.self).printable) for \(domain)\(path.printable)"
    }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
