import Endpoints
import Foundation

extension StoredResponse {
    /// The default maximum size of an encoded response, in bytes: 64 MiB.
    public static let maximumEncodedBytes = 64 << 20

    /// The first four bytes: `SDTC` in byte order.
    private static let magic: UInt32 = 0x4354_4453
    private static let version: UInt8 = 1
    /// The size of the head: magic, version, three zero bytes and checksum.
    private static let headBytes = 16

    /// Returns a binary encoding for a store: a head with format version and checksum, then all parts with their lengths, the
    /// body last. Numbers are little-endian. Only ``init(encoded:maximumBytes:)`` of the same format version can read it.
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

    /// Creates a response from the complete and unchanged bytes that ``encoded()`` returned.
    ///
    /// The checksum detects accidental damage, but not deliberate changes: anybody who can write to a store can insert responses.
    /// Invalid bytes never cause a trap, and never allocate more memory than their own size.
    ///
    /// - Parameters:
    ///   - encoded: The encoded response.
    ///   - maximumBytes: The maximum size of `encoded`, in bytes. Default: 64 MiB.
    /// - Throws: ``StoredResponseError`` if the bytes are not a valid encoding or exceed the maximum size.
    public init(encoded: Data, maximumBytes: Int = StoredResponse.maximumEncodedBytes) throws(StoredResponseError) {
        guard encoded.count <= maximumBytes else {
            throw StoredResponseError(.tooLarge, "the encoding has \(encoded.count) bytes, and the limit is \(maximumBytes)")
        }
        var reader = ByteReader(encoded)
        guard encoded.count >= Self.headBytes, try reader.number("magic", as: UInt32.self) == Self.magic else {
            throw StoredResponseError(.malformed, "the bytes are not an encoded response")
        }
        let version = try reader.number("version", as: UInt32.self)
        guard version == UInt32(Self.version) else {
            throw StoredResponseError(.otherVersion, "the format version is \(version), not \(Self.version)")
        }
        guard try reader.number("checksum", as: UInt64.self) == ByteWriter.checksum(of: encoded, from: Self.headBytes) else {
            throw StoredResponseError(.damaged, "the checksum does not match")
        }
        key = try reader.key()
        url = try reader.url("url")
        let status = try reader.number("status", as: UInt32.self)
        guard (100...999).contains(status) else { throw StoredResponseError(.malformed, "the status code is \(status)") }
        statusCode = Int(status)
        requestTime = try reader.date("request time")
        responseTime = try reader.date("response time")
        varying = try reader.list("varying") { (reader) throws(StoredResponseError) in try reader.varyingField() }
        headers = HTTPHeaders(try reader.list("headers") { (reader) throws(StoredResponseError) in try reader.field() })
        body = try reader.rest("body")
    }
}

/// An error in the encoding of a stored response.
public struct StoredResponseError: Error, Sendable, Hashable {
    /// The kind of an error. Further codes may be defined.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, which descriptions contain.
        public var rawValue: String

        /// Creates a code with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The encoding exceeds the maximum size.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The encoding has another format version.
        public static let otherVersion = Code(rawValue: "otherVersion")
        /// The encoding was truncated or changed after it was written.
        public static let damaged = Code(rawValue: "damaged")
        /// The bytes cannot have been written by ``StoredResponse/encoded()``.
        public static let malformed = Code(rawValue: "malformed")
    }

    /// The kind of the error.
    public var code: Code
    /// A message for people, which contains no part of the response.
    public var message: String

    /// Creates an error with a code and a message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoredResponseError: CustomStringConvertible {
    /// The code and the message of the error.
    public var description: String { "\(code.rawValue): \(message)" }
}
