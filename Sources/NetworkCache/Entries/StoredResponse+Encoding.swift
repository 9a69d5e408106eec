import Endpoints
import Foundation

extension StoredResponse {
    /// The largest encoding that is read unless told otherwise, in bytes: 64 MiB.
    public static let maximumEncodedBytes = 64 << 20

    /// `SDTC`, in the order of bytes.
    private static let magic: UInt32 = 0x4354_4453
    private static let version: UInt8 = 1
    /// Magic, version, three bytes of zero, checksum.
    private static let headBytes = 16

    /// The bytes a store keeps: a head with format version and checksum, then all parts, each with its length, the body last. Numbers
    /// are little-endian. What comes out is read by ``init(encoded:maximumBytes:)`` of this format version alone.
    public func encoded() -> Data {
        var writer = ByteWriter(capacity: footprint)
        writer.add(Self.magic)
        writer.add(UInt32(Self.version))
        writer.add(UInt64(0))
        writer.add(key.method.rawValue)
        writer.add(key.url)
        writer.add(key.partition)
        writer.add(url.absoluteString)
        writer.add(UInt32(truncatingIfNeeded: statusCode))
        writer.add(requestTime.timeIntervalSinceReferenceDate.bitPattern)
        writer.add(responseTime.timeIntervalSinceReferenceDate.bitPattern)
        writer.add(UInt32(truncatingIfNeeded: varying.count))
        for field in varying {
            writer.add(field.name)
            writer.add(UInt8(field.value == nil ? 0 : 1))
            if let value = field.value { writer.add(value) }
        }
        writer.add(UInt32(truncatingIfNeeded: headers.count))
        for field in headers {
            writer.add(field.name)
            writer.add(field.value)
        }
        writer.add(UInt64(body.count))
        writer.add(body)
        return writer.finished(checksumAt: 8)
    }

    /// Reads what ``encoded()`` wrote, and nothing else: all of it has to be there, whole and unchanged.
    ///
    /// The checksum finds damage, not intent: who can write to a store can put answers into it. Whatever the bytes are, they neither trap
    /// nor take memory beyond their own size.
    ///
    /// - Parameter maximumBytes: More is not read. 64 MiB unless given.
    /// - Throws: ``StoredResponseError``.
    public init(encoded: Data, maximumBytes: Int = StoredResponse.maximumEncodedBytes) throws(StoredResponseError) {
        guard encoded.count <= maximumBytes else {
            throw StoredResponseError(.tooLarge, "it has \(encoded.count) bytes, and may have \(maximumBytes)")
        }
        var reader = ByteReader(encoded)
        guard encoded.count >= Self.headBytes, try reader.number("magic", as: UInt32.self) == Self.magic else {
            throw StoredResponseError(.malformed, "it does not begin as a stored response")
        }
        let version = try reader.number("version", as: UInt32.self)
        guard version == UInt32(Self.version) else {
            throw StoredResponseError(.otherVersion, "its format is of version \(version), not \(Self.version)")
        }
        guard try reader.number("checksum", as: UInt64.self) == ByteWriter.checksum(of: encoded, from: Self.headBytes) else {
            throw StoredResponseError(.damaged, "the checksum is another")
        }
        key = try reader.key()
        url = try reader.url("url")
        let status = try reader.number("status", as: UInt32.self)
        guard (100...999).contains(status) else { throw StoredResponseError(.malformed, "the status is \(status)") }
        statusCode = Int(status)
        requestTime = try reader.date("request time")
        responseTime = try reader.date("response time")
        varying = try reader.list("varying") { (reader) throws(StoredResponseError) in try reader.varyingField() }
        headers = HTTPHeaders(try reader.list("headers") { (reader) throws(StoredResponseError) in try reader.field() })
        body = try reader.rest("body")
    }
}

/// Why bytes are no stored response.
public struct StoredResponseError: Error, Sendable, Hashable {
    /// What a caller branches on. The vocabulary is open.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as descriptions show it.
        public var rawValue: String

        /// A code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// More bytes than may be read.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Written by an earlier or a later version.
        public static let otherVersion = Code(rawValue: "otherVersion")
        /// Not the bytes that were written: cut off, or changed.
        public static let damaged = Code(rawValue: "damaged")
        /// Never written by ``StoredResponse/encoded()``.
        public static let malformed = Code(rawValue: "malformed")
    }

    /// What a caller branches on.
    public var code: Code
    /// What is wrong, for people. Holds nothing of the response.
    public var message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoredResponseError: CustomStringConvertible {
    /// Code and message.
    public var description: String { "\(code.rawValue): \(message)" }
}
