import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// What identifies the content of a file: its length, the time of its last modification, and a hash of its beginning and its end.
struct FileIdentity: Codable, Hashable, Sendable {
    /// The number of bytes at the beginning and at the end that the fingerprint includes.
    static let fingerprintBytes: Int64 = 64 << 10

    /// The length in bytes.
    var length: Int64
    /// The time of the last modification, in nanoseconds since 1970.
    var modified: Int64
    /// The SHA-256 of the first and the last 64 KiB, in hexadecimal digits.
    var fingerprint: String
}

/// The information that is needed to continue an upload. It is stored as JSON in the state file.
struct UploadRecord: Codable, Hashable, Sendable {
    static let currentVersion = 1
    /// The maximum size of a state file in bytes.
    static let maximumBytes = 32 << 10
    /// The maximum length of a file in bytes, which is larger than any real file.
    static let maximumLength: Int64 = 1 << 60

    var version = currentVersion
    /// The URL of the upload on the server.
    var url: String
    /// The hash of the URL at which uploads are created, without a signature in its query.
    var creator: String
    var file: FileIdentity
    /// The time at which the server removes the upload if it is not complete, in seconds since 1970; `nil` if it did not state one.
    var expires: Int64?

    /// Decodes a record; `nil` for other data, another version, and a record that no upload can have written.
    init?(json: Data) {
        guard let record = try? TransferJSONDecoder().decode(UploadRecord.self, from: json), record.isPlausible else {
            return nil
        }
        self = record
    }

    init(url: String, creator: String, file: FileIdentity, expires: Int64?) {
        self.url = url
        self.creator = creator
        self.file = file
        self.expires = expires
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self)
        }
    }

    static func hash(_ text: String) -> String { SHA256.digest(of: Array(text.utf8)).hexadecimal }

    private var isPlausible: Bool {
        version == Self.currentVersion && UploadLocation.isUsable(url) && Self.isHash(creator) && Self.isHash(file.fingerprint)
            && (0...Self.maximumLength).contains(file.length)
    }

    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 2 * SHA256.byteCount
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
