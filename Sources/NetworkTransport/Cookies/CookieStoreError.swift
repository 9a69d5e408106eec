import Endpoints
import Foundation
import NetworkLogging

/// An invalid cookie that was passed to a ``CookieStore``, or a file of cookies that cannot be read or written. The store is unchanged.
public struct CookieStoreError: Error, Sendable, Hashable {
    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The name of the kind.
        public var rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A property of the cookie is invalid; ``CookieStoreError/field`` is its name.
        public static let invalidCookie = Code(rawValue: "invalidCookie")
        /// The file cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// The file is larger than ``CookieLimits/maximumFileBytes``.
        public static let fileTooLarge = Code(rawValue: "fileTooLarge")
        /// The file is damaged, or is not a file of cookies.
        public static let invalidFile = Code(rawValue: "invalidFile")
        /// A later version of this package has written the file.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// The file cannot be written. A file that was there before is unchanged.
        public static let unwritableFile = Code(rawValue: "unwritableFile")
    }

    /// The kind of the error.
    public var code: Code
    /// The invalid property of the cookie, such as `domain`, or its path in the file, such as `cookies[3].domain`. Empty if the file as a
    /// whole is concerned.
    public var field: String
    /// What is wrong, as a phrase for human readers: `is not a host name or an IP address`.
    public var reason: String
    /// The name of the file without its folder; `nil` if there is no file.
    public var file: String?

    /// Creates an error. Descriptions show `reason` unchanged, so it must not contain a secret.
    init(_ code: Code = .invalidCookie, _ field: String, _ reason: String, file: String? = nil) {
        self.code = code
        self.field = field.printable
        self.reason = reason.printableLine
        self.file = file
    }

    init(_ field: String, _ reason: String) {
        self.init(.invalidCookie, field, reason)
    }
}

extension CookieStoreError: RedactedStringConvertible, LocalizedError {
    /// File, field and reason on one line.
    public var description: String {
        let place = field.isEmpty ? "the file" : file == nil ? "the cookie's \(field.printable)" : field.printable
        return (file.map { $0.printable + ": " } ?? "") + place + " " + reason.printableLine
    }
}

extension CookieStoreError {
    /// Creates an error from that of a decoder, with the path of the field in the file.
    init(decoding error: any Error) {
        switch error {
        case let error as CookieStoreError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(.invalidFile, Self.field(context.codingPath + [key]), "is missing")
        case DecodingError.valueNotFound(_, let context):
            self.init(.invalidFile, Self.field(context.codingPath), "is null")
        case DecodingError.typeMismatch(_, let context):
            self.init(.invalidFile, Self.field(context.codingPath), "has another type")
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(.invalidFile, Self.field(context.codingPath), "is invalid")
        default: self.init(.invalidFile, "", "is not JSON")
        }
    }

    private static func field(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
        }
    }
}
