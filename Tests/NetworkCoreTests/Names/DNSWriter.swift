@testable import NetworkEngine

/// Writes messages of a name server for tests, with names compressed or not.
struct DNSWriter {
    private(set) var bytes: [UInt8]
    /// Where names begin that later ones can end with.
    private var places: [String: Int] = [:]

    /// Begins a message with one question.
    ///
    /// - Parameters:
    ///   - flags: The second 16 bits of the header, such as 0x8180 for a response without an error.
    ///   - counts: The numbers of records in the three sections that follow the question.
    init(_ name: String, _ type: UInt16 = 1, flags: UInt16 = 0x8180, counts: (UInt16, UInt16, UInt16) = (0, 0, 0)) {
        bytes = [0, 0]
        for number in [flags, 1, counts.0, counts.1, counts.2] { append(number) }
        append(name)
        append(type)
        append(1)
    }

    mutating func append(raw data: [UInt8]) { bytes += data }

    mutating func append(_ number: UInt16) { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }

    mutating func append(long number: UInt32) {
        append(UInt16(number >> 16))
        append(UInt16(number & 0xFFFF))
    }

    /// Appends a name, whose end is a pointer to an earlier name where there is one and `isCompressed`.
    mutating func append(_ name: String, isCompressed: Bool = true) {
        var labels = name.split(separator: ".")
        while !labels.isEmpty {
            let rest = labels.joined(separator: ".")
            if isCompressed, let place = places[rest] { return append(0xC000 | UInt16(place)) }
            if bytes.count < 0x4000 { places[rest] = bytes.count }
            let label = labels.removeFirst()
            bytes += [UInt8(label.utf8.count)] + label.utf8
        }
        bytes.append(0)
    }

    /// Appends a record whose data is written by a closure, and counted.
    mutating func record(
        _ owner: String, _ type: UInt16, class number: UInt16 = 1, ttl: UInt32 = 60, isCompressed: Bool = true,
        data: (inout DNSWriter) -> Void
    ) {
        append(owner, isCompressed: isCompressed)
        append(type)
        append(number)
        append(long: ttl)
        append(UInt16(0))
        let start = bytes.count
        data(&self)
        let length = bytes.count - start
        (bytes[start - 2], bytes[start - 1]) = (UInt8(length >> 8), UInt8(length & 0xFF))
    }

    mutating func address(_ owner: String, _ data: [UInt8], ttl: UInt32 = 60, isCompressed: Bool = true) {
        record(owner, data.count == 16 ? 28 : 1, ttl: ttl, isCompressed: isCompressed) { $0.bytes += data }
    }

    mutating func alias(_ owner: String, _ target: String, ttl: UInt32 = 60, isCompressed: Bool = true) {
        record(owner, 5, ttl: ttl, isCompressed: isCompressed) { $0.append(target, isCompressed: isCompressed) }
    }

    mutating func authority(_ zone: String, ttl: UInt32, minimum: UInt32) {
        record(zone, 6, ttl: ttl) {
            $0.append("ns." + zone)
            $0.append("admin." + zone)
            for number in [1, 3600, 600, 86_400, minimum] { $0.append(long: number) }
        }
    }

    /// Sets the number of records in a section: 0 for those after the question, 1 for authorities.
    mutating func setCount(_ section: Int, _ count: Int) {
        (bytes[6 + 2 * section], bytes[7 + 2 * section]) = (UInt8(count >> 8), UInt8(count & 0xFF))
    }
}
