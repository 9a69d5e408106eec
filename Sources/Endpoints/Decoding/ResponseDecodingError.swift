import Foundation
import NetworkLogging

/// An error that a ``ResponseDecoder`` of this package throws, other than a `DecodingError`: the body is empty, is not text in its
/// charset, is nested too deeply, has no value at the key path, or the decoder does not support the requested type.
public struct ResponseDecodingError: Error, Sendable {
    /// The kinds of errors.
    package enum Kind: Sendable {
        /// The body is empty, but the type has no value for an empty body.
        case emptyBody
        /// The decoder supports only one type, and another one was requested.
        case unsupportedType(asked: String, supported: String)
        /// The `Content-Type` names a charset that is not supported.
        case unknownCharset(String)
        /// The bytes are not valid in the charset that the `Content-Type` names, or in UTF-8 if it names none.
        case invalidText(charset: String)
        /// The key path is malformed, does not lead to a value, or the document is malformed.
        case keyPath(JSONSliceError)
        /// The document's values are nested deeper than this many levels.
        case tooDeep(maximumDepth: Int)
    }

    /// The kind of the error, with its details.
    package let kind: Kind

    /// Creates an error of a kind.
    package init(_ kind: Kind) {
        self.kind = kind
    }
}

extension ResponseDecodingError: RedactedStringConvertible, LocalizedError {
    /// A description of the cause, without any value of the body.
    public var description: String {
        switch kind {
        case .emptyBody: "the body is empty, but a value is expected"
        case .unsupportedType(let asked, let supported): "this decoder produces \(supported), not \(asked)"
        case .unknownCharset(let name): "the charset \"\(name.printable)\" is not known"
        case .invalidText(let charset): "the body is not text in \(charset)"
        case .keyPath(let error): error.description
        case .tooDeep(let depth): "the document is nested more than \(depth) levels deep"
        }
    }
}
