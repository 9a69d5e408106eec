import NetworkTransport

/// Queries for the addresses of a name, and for the services of a server (RFC 9460), and the responses to them, in the format of DNS over HTTPS (RFC 8484 §6, RFC 1035 §4).
enum DNSMessage {
    /// What is asked for (RFC 1035 §3.2.2, RFC 3596 §2.1).
    enum RecordType: UInt16, Sendable {
        case a = 1
        case aaaa = 28
        /// What a server offers (RFC 9460 §9).
        case https = 65
    }

    /// What a response says of the addresses of a name.
    struct Response: Equatable, Sendable {
        /// The addresses in the order of the response, each once; at most ``DNSMessage/maximumAddresses``.
        var addresses: [IPAddress]
        /// The number of seconds for which the response may be kept; 0 if it must not be.
        ///
        /// The smallest TTL of the addresses and of the aliases that lead to them. If addresses are missing, the SOA record
        /// counts in their place, with the smaller of its TTL and its MINIMUM (RFC 2308 §5); without such a record, the lifetime
        /// is 0. It is at most ``DNSMessage/maximumLifetime``.
        var lifetime: UInt32
        /// Whether the name does not exist (NXDOMAIN), or has no record of the type.
        var isMissing: Bool
    }

    static let headerBytes = 12
    /// The maximum number of bytes of a message (RFC 8484 §6).
    static let maximumBytes = 65_535
    /// The maximum number of addresses in a response. Others are ignored.
    static let maximumAddresses = 16
    /// The maximum number of aliases (CNAME) between a name and its addresses.
    static let maximumAliases = 16
    /// The upper limit of lifetimes: a day.
    static let maximumLifetime: UInt32 = 86_400

    /// Returns the query for a name.
    ///
    /// Its ID is 0, so that the same query always is the same request (RFC 8484 §4.1), and it asks for recursion.
    ///
    /// - Parameter name: ASCII with labels of at most 63 bytes, 253 bytes in all. A final dot is permitted.
    /// - Returns: `nil` if the name has another form.
    static func query(_ name: String, _ type: RecordType) -> [UInt8]? {
        guard let name = DNSName(name) else { return nil }
        return [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name.bytes + [0, UInt8(type.rawValue), 0, 1]
    }

    /// Reads the response to the query for the addresses of a name.
    ///
    /// Aliases are followed within the message, whatever the order of its records. What belongs to other names, classes and
    /// types is ignored.
    ///
    /// - Throws: ``DNSError`` if the message is malformed, truncated, or not a response to this query, if its response code is
    ///   an error other than NXDOMAIN, and if aliases form a loop or are more than ``maximumAliases``.
    static func response(_ bytes: [UInt8], to name: String, _ type: RecordType) throws(DNSError) -> Response {
        guard let name = DNSName(name) else { throw DNSError("the name has no valid form") }
        var reader = try DNSReader(bytes)
        let isUnknown = try reader.readHeader()
        try reader.readQuestion(name, type)
        let records = try reader.readRecords(type)
        let (owner, aliasLifetime) = try records.owner(of: name)
        var response = Response(addresses: [], lifetime: aliasLifetime, isMissing: false)
        // With aliases, NXDOMAIN is about the last name (RFC 6604 §3).
        for record in records.addresses where record.owner == owner && !isUnknown {
            response.lifetime = min(response.lifetime, record.lifetime)
            if response.addresses.count < maximumAddresses, !response.addresses.contains(record.address) {
                response.addresses.append(record.address)
            }
        }
        if response.addresses.isEmpty {
            response.isMissing = true
            response.lifetime = min(aliasLifetime, try reader.readNegativeLifetime(of: owner))
        }
        return response
    }
}

/// The records of a response that say where a name leads.
struct DNSRecords {
    var addresses: [(owner: DNSName, address: IPAddress, lifetime: UInt32)] = []
    var services: [(owner: DNSName, service: DNSService, lifetime: UInt32)] = []
    var aliases: [(owner: DNSName, target: DNSName, lifetime: UInt32)] = []

    /// Follows aliases, up to a name with addresses or without an alias. Of several aliases of one name, the first counts.
    ///
    /// - Returns: The last name, and the smallest lifetime of the aliases.
    func owner(of name: DNSName) throws(DNSError) -> (DNSName, lifetime: UInt32) {
        var (owner, lifetime) = (name, DNSMessage.maximumLifetime)
        for _ in 0...DNSMessage.maximumAliases {
            guard !addresses.contains(where: { $0.owner == owner }), !services.contains(where: { $0.owner == owner }),
                let alias = aliases.first(where: { $0.owner == owner })
            else { return (owner, lifetime) }
            (owner, lifetime) = (alias.target, min(lifetime, alias.lifetime))
        }
        throw DNSError("the aliases (CNAME) of the name form a loop or are more than \(DNSMessage.maximumAliases)")
    }
}
