import Endpoints
import Foundation
import NetworkSupport

/// A reader of the format that ``ByteWriter`` writes. Every length is checked against the remaining bytes before it is used.
struct ByteReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) {
        self.data = data
    }

    private var remaining: Int { data.count - offset }

    mutating func number<Number: FixedWidthInteger>(_ part: String, as type: Number.Type) throws(StoredResponseError) -> Number {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { throw Self.missing(part) }
        let number = data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
        offset += size
        return Number(littleEndian: number)
    }

    mutating func text(_ part: String) throws(StoredResponseError) -> String {
        guard let text = try bytes(part, { String(stored: $0) }) else {
            throw StoredResponseError(.malformed, "the \(part) is not UTF-8")
        }
        return text
    }

    private mutating func bytes<Result>(
        _ part: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(StoredResponseError) -> Result {
        let count = Int(try number(part, as: UInt32.self))
        guard count <= remaining else { throw Self.missing(part) }
        let result = data.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
        offset += count
        return result
    }

    mutating func list<Element>(
        _ part: String, _ element: (inout ByteReader) throws(StoredResponseError) -> Element
    ) throws(StoredResponseError) -> [Element] {
        let count = Int(try number(part, as: UInt32.self))
        // Each element takes at least five bytes.
        guard count <= remaining / 5 else { throw Self.missing(part) }
        var list: [Element] = []
        for _ in 0..<count { list.append(try element(&self)) }
        return list
    }

    /// Returns all remaining bytes, whose number must equal the length before them.
    mutating func rest(_ part: String) throws(StoredResponseError) -> Data {
        guard try number(part, as: UInt64.self) == UInt64(remaining) else {
            throw StoredResponseError(.malformed, "the length of the \(part) does not match the data")
        }
        return data.subdata(in: (data.startIndex + offset)..<data.endIndex)
    }

    /// Skips a number of bytes if they are the next ones.
    ///
    /// - Returns: Whether they were skipped.
    mutating func skip(_ expected: [UInt8]) -> Bool {
        guard remaining >= expected.count else { return false }
        let isNext = data.withUnsafeBytes { bytes in
            expected.withUnsafeBytes { expected in
                UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + expected.count)]).elementsEqual(expected)
            }
        }
        if isNext { offset += expected.count }
        return isNext
    }

    private static func missing(_ part: String) -> StoredResponseError {
        StoredResponseError(.malformed, "the \(part) extends beyond the end of the data")
    }
}

// MARK: Parts of a response

extension ByteReader {
    mutating func key() throws(StoredResponseError) -> CacheKey {
        let method = try text("method")
        let url = try text("key's URL")
        let partition = try text("partition")
        let content = RequestMethod(method) == .query ? try text("content") : ""
        guard method.isToken, let key = CacheKey(method: RequestMethod(method), url: url, partition: partition, content: content)
        else {
            throw StoredResponseError(.malformed, "the key is invalid")
        }
        return key
    }

    mutating func url(_ part: String) throws(StoredResponseError) -> URL {
        guard let url = URL(string: try text(part)), url.host != nil else {
            throw StoredResponseError(.malformed, "the \(part) is not a valid URL")
        }
        return url
    }

    /// Reads a date. It must be within 10¹² seconds (about 31,700 years) of the reference date.
    mutating func date(_ part: String) throws(StoredResponseError) -> Date {
        let seconds = Double(bitPattern: try number(part, as: UInt64.self))
        guard abs(seconds) <= 1e12 else { throw StoredResponseError(.malformed, "the \(part) is not a valid date") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    mutating func varyingField() throws(StoredResponseError) -> StoredResponse.VaryingField {
        let name = try text("varying field")
        switch try number("varying field", as: UInt8.self) {
        case 0: return StoredResponse.VaryingField(name: name, value: nil)
        case 1: return StoredResponse.VaryingField(name: name, value: try text("varying field"))
        default: throw StoredResponseError(.malformed, "a varying field has an invalid presence flag")
        }
    }

    mutating func field() throws(StoredResponseError) -> HeaderFields.Field {
        let name = try text("header")
        let field = try bytes("header") { bytes in
            bytes.isASCII
                ? HeaderFields.Field(name: name, value: String(decoding: bytes, as: UTF8.self))
                : HeaderFields.Field(name: name, received: bytes)
        }
        guard field.name.isToken, !field.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
            throw StoredResponseError(.malformed, "a header field has an invalid name or value")
        }
        return field
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are ASCII, so that they are UTF-8 as they are.
    var isASCII: Bool {
        var all: UInt64 = 0
        var offset = 0
        while count &- offset >= 8 {
            all |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            all |= UInt64(self[offset])
            offset &+= 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}

extension String {
    /// Creates a text from its UTF-8 code units; `nil` if they are invalid. In nearly all cases they are ASCII, which is not validated.
    init?(stored bytes: UnsafeRawBufferPointer) {
        if bytes.isASCII {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            self.init(valid: bytes)
        }
    }
}

/// A writer that concatenates little-endian numbers, texts and data.
struct ByteWriter {
    private var bytes = Data()

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the length of a text and its UTF-8 bytes.
    mutating func add(_ text: String) {
        add(UInt32(truncatingIfNeeded: text.utf8.count))
        var text = text
        text.withUTF8 { bytes.append(contentsOf: UnsafeRawBufferPointer($0)) }
    }

    /// Appends the parts of a key, which ``ByteReader/key()`` reads.
    mutating func add(_ key: CacheKey) {
        add(key.method.rawValue)
        add(key.url)
        add(key.partition)
        if key.method == .query { add(key.content) }
    }

    /// Appends the length of a field value and its bytes as they were received.
    mutating func addValue(of field: HeaderFields.Field) {
        guard let value = field.latin1Bytes else { return add(field.value) }
        add(UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends data without its length.
    mutating func add(_ data: Data) {
        bytes.append(data)
    }

    /// The bytes written so far.
    var data: Data { bytes }

    /// Returns all bytes, after writing the checksum of the bytes behind it into the eight bytes at an offset.
    consuming func finished(checksumAt offset: Int) -> Data {
        let sum = Self.checksum(of: bytes, from: offset + 8)
        for index in 0..<8 { bytes[bytes.startIndex + offset + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(index))) }
        return bytes
    }

    static func checksum(of data: Data, from offset: Int) -> UInt64 {
        data.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[min(offset, $0.count)...])) }
    }
}
