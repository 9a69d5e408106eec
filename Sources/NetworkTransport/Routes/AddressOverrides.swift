/// The addresses that replace the lookup of names (``RouteOptions/addresses``), checked, and without those of another family.
package struct AddressOverrides: Sendable, Hashable {
    private struct Place: Sendable, Hashable {
        var host: String
        /// `nil` for all ports.
        var port: Int?
    }

    private static let maximumKeys = 1000
    private static let maximumAddresses = 16
    private var byPlace: [Place: [String]] = [:]

    /// Creates empty overrides.
    package init() {}

    /// Creates overrides.
    ///
    /// - Throws: ``TransportError/Code/invalidConfiguration``, with the invalid key.
    package init(_ options: RouteOptions) throws(TransportError) {
        if options.addresses.isEmpty { return }
        guard options.addresses.count <= Self.maximumKeys else {
            throw RouteOptions.invalid("addresses has \(options.addresses.count) keys; it must have at most \(Self.maximumKeys)")
        }
        let family = Self.family(of: options)
        for (key, addresses) in options.addresses.sorted(by: { $0.key < $1.key }) {
            func invalid(_ reason: String) -> TransportError {
                RouteOptions.invalid("addresses[\"\(String(key.prefix(100)).printable)\"]: \(reason)")
            }
            guard let place = Self.place(key) else {
                throw invalid("the key is not a host name, or host name and port; international names are written in ASCII")
            }
            guard (1...Self.maximumAddresses).contains(addresses.count) else {
                throw invalid("there are \(addresses.count) addresses; there must be 1...\(Self.maximumAddresses)")
            }
            var usable: [String] = []
            for text in addresses {
                guard let address = IPAddress(strictly: text) else {
                    throw invalid("\"\(String(text.prefix(100)).printable)\" is not an IP address without port and zone")
                }
                if family.contains(address) { usable.append(text) }
            }
            guard !usable.isEmpty else { throw invalid("no address belongs to the family \(family.name)") }
            guard byPlace.updateValue(usable, forKey: place) == nil else {
                throw invalid("there is another key for the same host")
            }
        }
    }

    /// The family that connections can have: that of the options, or else that of the local address.
    package static func family(of options: RouteOptions) -> RouteOptions.Family {
        guard options.family == .any, case .address(let text) = options.localAddress?.choice, let local = IPAddress(text) else {
            return options.family
        }
        return local.isIPv6 ? .ipv6 : .ipv4
    }

    private static func place(_ key: String) -> Place? {
        var host = key[...]
        var port: Int?
        if let colon = key.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let digits = key[key.utf8.index(after: colon)...]
            guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
                (1...65535).contains(number)
            else { return nil }
            host = key[..<colon]
            port = number
        }
        guard let name = HostName.canonical(host), !HostName.isAddress(name) else { return nil }
        return Place(host: name, port: port)
    }

    package var isEmpty: Bool { byPlace.isEmpty }

    /// Returns the addresses of a host; `nil` if its name is looked up.
    package func addresses(of host: String, port: Int) -> [String]? {
        guard !byPlace.isEmpty, let name = HostName.canonical(host[...]) else { return nil }
        return byPlace[Place(host: name, port: port)] ?? byPlace[Place(host: name)]
    }
}
