import DataTransfer
import Foundation
import NetworkLogging

/// An error while an HTTP archive is read, recorded or written. It names the field in the archive.
public struct HTTPArchiveError: Error, Sendable {
    /// The name of the file without its folder; `nil` if there is no file.
    public var file: String?
    /// The path of the field in the archive: `log.entries[3].response.status`. Empty for the archive as a whole.
    public var field: String
    /// What is wrong with the field, as a phrase for human readers: `is not a number`.
    public var reason: String
    /// The error that caused this one. It is not part of descriptions.
    public var underlying: (any Error)?

    /// Creates an error for a field. Secrets in the texts are redacted.
    package init(_ field: String = "", _ reason: String, file: String? = nil, underlying: (any Error)? = nil) {
        self.file = file
        self.field = field.printableLine
        self.reason = reason.printableLine
        self.underlying = underlying
    }

    func named(_ file: URL) -> HTTPArchiveError {
        var error = self
        error.file = file.lastPathComponent
        return error
    }
}

extension HTTPArchiveError: Hashable {
    /// Whether file, field and reason are the same.
    public static func == (left: HTTPArchiveError, right: HTTPArchiveError) -> Bool {
        left.file == right.file && left.field == right.field && left.reason == right.reason
    }

    /// Hashes field and reason.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(field)
        hasher.combine(reason)
    }
}

extension HTTPArchiveError: RedactedStringConvertible, LocalizedError {
    /// File, field and reason on one line, without ``underlying``.
    public var description: String {
        let place = field.isEmpty ? "the archive" : field.printableLine
        return (file.map { $0.printable + ": " } ?? "") + place + " " + reason.printableLine
    }
}

extension HTTPArchiveError {
    /// Creates an error from that of a decoder, with the path of the field in the document.
    init(_ error: any Error) {
        switch error {
        case let error as HTTPArchiveError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(Self.field(context.codingPath + [key]), "is missing")
        case DecodingError.valueNotFound(_, let context):
            self.init(Self.field(context.codingPath), "is null")
        case DecodingError.typeMismatch(let type, let context):
            self.init(Self.field(context.codingPath), "is not \(Self.name(of: type))")
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            self.init("", "is not JSON in UTF-8", underlying: error)
        case DecodingError.dataCorrupted(let context):
            self.init(Self.field(context.codingPath), context.debugDescription, underlying: error)
        default:
            self.init("", "cannot be read", underlying: error)
        }
    }

    /// Returns a coding path as text: `log.entries[3].response`.
    static func field(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Double.Type, is Int.Type, is Int64.Type: "a number"
        case is Bool.Type: "true or false"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}
