import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A complete response in the form in which a cache stores it (RFC 9111 §3), with the data needed to decide when it may be used.
///
/// Trailers are not stored. Descriptions contain no body, no query and no header field that could be secret.
package struct StoredResponse: Sendable, Equatable {
    /// A request field that `Vary` names, with its value in the request (RFC 9111 §4.1).
    package struct VaryingField: Hashable, Sendable {
        /// The name of the field, in lower case.
        package var name: String
        /// The joined values of all lines of the field, or `nil` if the request had none. For a field that may contain
        /// credentials, a digest.
        package var value: String?

        /// Creates a field with a name and a value.
        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }

        /// Returns whether the names are equal and the values have the same bytes.
        package static func == (left: VaryingField, right: VaryingField) -> Bool {
            guard left.name == right.name else { return false }
            return switch (left.value, right.value) {
            case (nil, nil): true
            case (let left?, let right?): left.hasSameBytes(as: right)
            case (_?, nil), (nil, _?): false
            }
        }
    }

    /// The key under which the response is stored.
    package var key: CacheKey
    /// The request fields that `Vary` names, sorted by name. Empty without `Vary`.
    package var varying: [VaryingField]
    /// The status code of the final response.
    package var statusCode: Int
    /// The header fields, without those of a single connection (RFC 9111 §3.1).
    package var headers: HeaderFields
    /// The complete body after content decoding.
    package var body: Data
    /// The URL from which the response was received.
    package var url: URL
    /// The date at which the request was sent (RFC 9111 §4.2.3).
    package var requestTime: Date
    /// The date at which the response was received or last validated.
    package var responseTime: Date

    /// Creates a response from its parts, without checking them.
    package init(
        key: CacheKey, varying: [VaryingField] = [], statusCode: Int = 200, headers: HeaderFields = [:], body: Data = Data(),
        url: URL, requestTime: Date, responseTime: Date
    ) {
        self.key = key
        self.varying = varying
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
        self.url = url
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Whether the response names another URL, with a status code for which session managers follow it.
    var isRedirect: Bool { RedirectRules.isRedirect(statusCode) && headers.contains("Location") }

    /// The approximate memory that the response takes, in bytes: the body, all texts, and an overhead.
    package var footprint: Int {
        // The lines of the fields are kept twice: as they were stored, and with those of the last use.
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 96 }
        let varying = varying.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 48 }
        return 1024 + body.count + fields + varying + 2 * key.url.utf8.count + key.partition.utf8.count
    }
}

extension StoredResponse: RedactedStringConvertible {
    /// The key, the status code, the size of the body, and the headers without secrets.
    package var description: String { "\(key): \(statusCode), \(body.count) bytes, \(headers)" }
}

extension StoredResponse.VaryingField: RedactedStringConvertible {
    /// The name of the field, without its value.
    package var description: String { name }
}

extension StoredResponse {
    /// The default maximum size of an encoded response, in bytes: 64 MiB.
    package static let maximumEncodedBytes = 64 << 20

    /// The first four bytes: `SDTC` in byte order.
    private static let magic: UInt32 = 0x4354_4453
    private static let version: UInt8 = 1
    /// The size of the head: magic, version, three zero bytes and checksum.
    private static let headBytes = 16

    /// Returns a binary encoding for a store: a head with format version and checksum, then all parts with their lengths, the
    /// body last. Numbers are little-endian. Only ``init(encoded:maximumBytes:)`` of the same format version can read it.
    package func encoded() -> Data {
        encoded(hasChecksum: true)
    }

    /// Returns the encoding. Without a checksum, its place is zero: for records, which have one for all of their contents.
    func encoded(hasChecksum: Bool) -> Data {
        var writer = ByteWriter(capacity: footprint)
        writer.add(Self.magic)
        writer.add(UInt32(Self.version))
        writer.add(UInt64(0))
        writer.add(key)
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
            writer.addValue(of: field)
        }
        writer.add(UInt64(body.count))
        writer.add(body)
        return hasChecksum ? writer.finished(checksumAt: 8) : writer.data
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
    package init(encoded: Data, maximumBytes: Int = StoredResponse.maximumEncodedBytes) throws(StoredResponseError) {
        try self.init(encoded: encoded, maximumBytes: maximumBytes, comparesChecksum: true)
    }

    /// Creates a response from its encoding.
    ///
    /// - Parameters:
    ///   - comparesChecksum: `false` only if another checksum has been compared for these bytes.
    ///   - expected: The key that the response probably has, and its encoding, so that it is compared rather than parsed.
    init(
        encoded: Data, maximumBytes: Int, comparesChecksum: Bool, expected: (key: CacheKey, bytes: [UInt8])? = nil
    ) throws(StoredResponseError) {
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
        let checksum = try reader.number("checksum", as: UInt64.self)
        guard !comparesChecksum || checksum == ByteWriter.checksum(of: encoded, from: Self.headBytes) else {
            throw StoredResponseError(.damaged, "the checksum does not match")
        }
        if let expected, reader.skip(expected.bytes) { key = expected.key } else { key = try reader.key() }
        url = try reader.url("url")
        let status = try reader.number("status", as: UInt32.self)
        guard (100...999).contains(status) else { throw StoredResponseError(.malformed, "the status code is \(status)") }
        statusCode = Int(status)
        requestTime = try reader.date("request time")
        responseTime = try reader.date("response time")
        varying = try reader.list("varying") { (reader) throws(StoredResponseError) in try reader.varyingField() }
        headers = HeaderFields(try reader.list("headers") { (reader) throws(StoredResponseError) in try reader.field() })
        body = try reader.rest("body")
    }
}

/// An error in the encoding of a stored response.
package struct StoredResponseError: Error, Sendable, Hashable {
    /// The kind of an error. Further codes may be defined.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, which descriptions contain.
        package var rawValue: String

        /// Creates a code with a name.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The encoding exceeds the maximum size.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// The encoding has another format version.
        package static let otherVersion = Code(rawValue: "otherVersion")
        /// The encoding was truncated or changed after it was written.
        package static let damaged = Code(rawValue: "damaged")
        /// The bytes cannot have been written by ``StoredResponse/encoded()``.
        package static let malformed = Code(rawValue: "malformed")
    }

    /// The kind of the error.
    package var code: Code
    /// A message for people, which contains no part of the response.
    package var message: String

    /// Creates an error with a code and a message.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoredResponseError: CustomStringConvertible {
    /// The code and the message of the error.
    package var description: String { "\(code.rawValue): \(message)" }
}
