import NetworkTransport

extension DNSMessage {
    /// Returns the name under which a server's HTTPS records are found (RFC 9460 §9.1); `nil` for an address.
    static func serviceName(host: String, port: Int) -> String? {
        guard IPAddress(host) == nil, !host.contains(":") else { return nil }
        return port == 443 ? host : "_\(port)._https.\(host)"
    }

    /// Reads from the response to the query for HTTPS records whether a server offers HTTP/3.
    ///
    /// Of several offers, the one with the lowest priority counts. Records that lead to another host, or need what is not supported, are ignored.
    ///
    /// - Returns: `nil` if no record offers HTTP/3 at the host.
    /// - Throws: ``DNSError`` as for addresses.
    static func offer(
        ofHTTP3In bytes: [UInt8], to name: String, host: String, port: Int
    ) throws(DNSError) -> AlternativeServiceField? {
        guard let name = DNSName(name), let host = DNSName(host) else { throw DNSError("the name has no valid form") }
        var reader = try DNSReader(bytes)
        guard try !reader.readHeader() else { return nil }
        try reader.readQuestion(name, .https)
        let records = try reader.readRecords(.https)
        let (owner, aliasLifetime) = try records.owner(of: name)
        let offers = records.services.filter { record in
            record.owner == owner && record.service.offersHTTP3 && (record.service.target ?? owner) == host
        }
        guard let first = offers.min(by: { $0.service.priority < $1.service.priority }) else { return nil }
        return .port(first.service.port ?? port, lifetime: Int64(min(first.lifetime, aliasLifetime)))
    }
}

/// What an HTTPS record says of a server (RFC 9460 §2.2).
struct DNSService: Equatable {
    /// 0 in an alias; otherwise, the lower the better.
    var priority: UInt16
    /// The host; `nil` for the owner of the record.
    var target: DNSName?
    /// Whether HTTP/3 is one of its protocols, and nothing is required that is not supported.
    var offersHTTP3 = false
    var port: Int?

    /// The keys of parameters (RFC 9460 §14.3.2) that need not be understood, or are.
    private static let known: Set<UInt16> = [0, 1, 2, 3, 4, 6]

    /// Reads the data of a record; `nil` if it is malformed.
    init?(_ message: [UInt8], _ data: Range<Int>) {
        func number(at place: Int) -> Int { Int(message[place]) << 8 | Int(message[place + 1]) }
        guard data.count >= 3 else { return nil }
        priority = UInt16(number(at: data.lowerBound))
        var place = data.lowerBound + 2
        let start = place
        // The name is not compressed.
        guard let name = DNSName(of: message, at: &place), place - start == name.bytes.count, place <= data.upperBound else {
            return nil
        }
        target = name.bytes.count == 1 ? nil : name
        var (last, hasHTTP3, isUsable) = (-1, false, priority > 0)
        while place < data.upperBound {
            guard data.upperBound - place >= 4 else { return nil }
            let (key, length) = (number(at: place), number(at: place + 2))
            place += 4
            guard key > last, length <= data.upperBound - place else { return nil }
            last = key
            let value = message[place..<place + length]
            place += length
            switch key {
            case 0:
                guard length >= 2, length.isMultiple(of: 2) else { return nil }
                let keys = stride(from: value.startIndex, to: value.endIndex, by: 2).map { UInt16(number(at: $0)) }
                if !Self.known.isSuperset(of: keys) { isUsable = false }
            case 1:
                guard let protocols = Self.protocols(value) else { return nil }
                hasHTTP3 = protocols.contains { $0.elementsEqual("h3".utf8) }
            case 3:
                guard length == 2 else { return nil }
                port = number(at: value.startIndex)
                if port == 0 { isUsable = false }
            default: break
            }
        }
        offersHTTP3 = hasHTTP3 && isUsable
    }

    /// Reads names of protocols, each after its length.
    private static func protocols(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var (protocols, rest) = ([] as [ArraySlice<UInt8>], bytes)
        while let length = rest.popFirst() {
            guard length > 0, length <= rest.count else { return nil }
            protocols.append(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
        }
        return protocols.isEmpty ? nil : protocols
    }
}
