#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    /// The host of a URL or of a proxy, as a connector uses it: an address, or a name to be looked up.
    enum HostPlace: Hashable {
        /// An address; `scope` is the number of the interface of a link-local one, or 0.
        case address(IPAddress, scope: UInt32)
        /// A name without a final dot, except for names with a single label, which are looked up as they are written.
        case name(String)

        /// Parses a host in any spelling: a name, an IPv4 address with one to four numbers (inet_aton(3)), an IPv6 address with or without
        /// brackets and zone (RFC 6874).
        ///
        /// - Returns: `nil` for an IPv6 address that is malformed or whose zone does not exist.
        init?(_ text: String) {
            var host = text[...]
            if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
            guard host.utf8.contains(UInt8(ascii: ":")) else {
                self = Self.address(inUsualOrOldForm: String(host)) ?? .name(String(host))
                return
            }
            let end = host.utf8.firstIndex(of: UInt8(ascii: "%")) ?? host.endIndex
            guard let address = IPAddress(host[..<end]) else { return nil }
            var zone = host[end...].dropFirst()
            if zone.hasPrefix("25"), zone.utf8.count > 2 { zone = zone.dropFirst(2) }
            if zone.isEmpty {
                self = .address(address, scope: 0)
                return
            }
            let scope = UInt32(zone) ?? if_nametoindex(String(zone))
            guard scope != 0 else { return nil }
            self = .address(address, scope: scope)
        }

        private static func address(inUsualOrOldForm text: String) -> HostPlace? {
            if let address = IPAddress(text) { return .address(address, scope: 0) }
            // Names of this form exist nowhere, and the system would not look them up.
            guard let first = text.utf8.first, first &- UInt8(ascii: "0") < 10 else { return nil }
            var address = in_addr()
            guard inet_aton(text, &address) != 0 else { return nil }
            return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) }).map { .address($0, scope: 0) }
        }

        /// What a certificate has to contain.
        var tlsName: TLSServerName {
            switch self {
            case .address(let address, _): .address(address)
            case .name(let name): .name(name.hasSuffix(".") ? String(name.dropLast()) : name)
            }
        }
    }
#endif
