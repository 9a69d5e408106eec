import NetworkTransport

/// Reads a response of a name server, section by section (RFC 1035 §4.1).
///
/// The work is bounded by the size of the message: it has less than 6,000 records, and each name is read once.
struct DNSReader {
    private let message: [UInt8]
    private var offset = 0
    private var counts = (questions: 0, records: 0, authorities: 0)

    /// - Throws: ``DNSError`` if the message is longer than DNS permits.
    init(_ message: [UInt8]) throws(DNSError) {
        guard message.count <= DNSMessage.maximumBytes else {
            throw DNSError("the response has more than \(DNSMessage.maximumBytes) bytes")
        }
        self.message = message
    }

    /// Reads the header. The ID is ignored, as an exchange over HTTP pairs query and response.
    ///
    /// - Returns: Whether the response code is NXDOMAIN.
    mutating func readHeader() throws(DNSError) -> Bool {
        guard message.count >= DNSMessage.headerBytes else { throw malformed("header") }
        let (high, code) = (message[2], message[3] & 0x0F)
        guard high & 0x80 != 0 else { throw DNSError("the message is a query, not a response") }
        guard high & 0x78 == 0 else { throw DNSError("the response is to another kind of query (OPCODE \(high >> 3 & 0x0F))") }
        guard code == 0 || code == 3 else { throw DNSError("the name server reports \(Self.codeName(code))") }
        guard high & 0x02 == 0 else { throw DNSError("the response is truncated (TC)") }
        counts = (Int(number(at: 4)), Int(number(at: 6)), Int(number(at: 8)))
        offset = DNSMessage.headerBytes
        return code == 3
    }

    private static func codeName(_ code: UInt8) -> String {
        let names = [
            "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH",
            "NOTZONE",
        ]
        return code < names.count ? names[Int(code)] : "response code \(code)"
    }

    /// Reads the question, which must be the one that was asked.
    mutating func readQuestion(_ name: DNSName, _ type: DNSMessage.RecordType) throws(DNSError) {
        guard counts.questions == 1 else { throw DNSError("the response repeats \(counts.questions) questions, not one") }
        guard let found = DNSName(of: message, at: &offset), message.count - offset >= 4 else { throw malformed("question") }
        guard found == name, number(at: offset) == type.rawValue, number(at: offset + 2) == Self.internet else {
            throw DNSError("the response is to another question")
        }
        offset += 4
    }

    /// Reads the records that come after the question: those of the type, and aliases.
    mutating func readRecords(_ type: DNSMessage.RecordType) throws(DNSError) -> DNSRecords {
        var records = DNSRecords()
        for _ in 0..<counts.records {
            guard let record = readRecord() else { throw malformed("section of records") }
            guard record.isInternet else { continue }
            if record.type == type.rawValue, type == .https {
                guard let service = DNSService(message, record.data) else {
                    throw malformed("section of records: an HTTPS record")
                }
                records.services.append((record.owner, service, record.lifetime))
            } else if record.type == type.rawValue {
                guard record.data.count == (type == .a ? 4 : 16), let address = IPAddress(bytes: Array(message[record.data]))
                else { throw malformed("section of records: an address has \(record.data.count) bytes") }
                records.addresses.append((record.owner, address, record.lifetime))
            } else if record.type == Self.alias {
                var end = record.data.lowerBound
                guard let target = DNSName(of: message, at: &end), end == record.data.upperBound else {
                    throw malformed("section of records: an alias (CNAME) is not a name")
                }
                records.aliases.append((record.owner, target, record.lifetime))
            }
        }
        return records
    }

    /// Reads the authority section, and returns for how many seconds the name has no addresses; 0 without an SOA record of a
    /// zone that contains the name (RFC 2308 §5).
    mutating func readNegativeLifetime(of name: DNSName) throws(DNSError) -> UInt32 {
        var lifetime: UInt32?
        for _ in 0..<counts.authorities {
            guard let record = readRecord() else { throw malformed("authority section") }
            guard record.isInternet, record.type == Self.startOfAuthority, name.isIn(record.owner) else { continue }
            // Two names and five numbers, of which MINIMUM is the last (RFC 1035 §3.3.13).
            var end = record.data.lowerBound
            guard DNSName(of: message, at: &end) != nil, DNSName(of: message, at: &end) != nil, end + 20 == record.data.upperBound
            else { throw malformed("authority section: its SOA record") }
            let minimum = Self.lifetime(number(at: end + 16), number(at: end + 18))
            lifetime = min(lifetime ?? .max, record.lifetime, minimum)
        }
        return lifetime ?? 0
    }

    // MARK: Records

    private static let internet: UInt16 = 1
    private static let alias: UInt16 = 5
    private static let startOfAuthority: UInt16 = 6

    private struct Record {
        let owner: DNSName
        let type: UInt16
        let isInternet: Bool
        let lifetime: UInt32
        /// Where its data is in the message.
        let data: Range<Int>
    }

    /// Reads the next record; `nil` if it is malformed.
    private mutating func readRecord() -> Record? {
        guard let owner = DNSName(of: message, at: &offset), message.count - offset >= 10 else { return nil }
        let fields = offset
        let start = fields + 10
        let length = Int(number(at: fields + 8))
        guard length <= message.count - start else { return nil }
        offset = start + length
        return Record(
            owner: owner, type: number(at: fields), isInternet: number(at: fields + 2) == Self.internet,
            lifetime: Self.lifetime(number(at: fields + 4), number(at: fields + 6)), data: start..<offset)
    }

    /// A time to live in seconds: 0 if it is negative (RFC 2181 §8), and a day at most.
    private static func lifetime(_ high: UInt16, _ low: UInt16) -> UInt32 {
        high & 0x8000 != 0 ? 0 : min(UInt32(high) << 16 | UInt32(low), DNSMessage.maximumLifetime)
    }

    private func number(at offset: Int) -> UInt16 {
        UInt16(message[offset]) << 8 | UInt16(message[offset + 1])
    }

    private func malformed(_ section: String) -> DNSError {
        DNSError("the response is malformed in its \(section)")
    }
}
