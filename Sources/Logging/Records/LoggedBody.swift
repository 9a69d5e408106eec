import Foundation

/// The body of a logged request: its bytes when they are in memory, otherwise where they come from.
///
/// Printing a body tells its size and never its bytes; ``Redaction/redacted(body:contentType:limit:)`` shows them.
public enum LoggedBody: Sendable, Hashable {
    /// Bytes in memory.
    case data(Data)
    /// A file that is sent from disk, and its size where it is known.
    case file(URL, bytes: Int64?)
    /// A stream, and its length where it is known.
    case stream(bytes: Int64?)

    /// The number of bytes, or `nil` where nobody knows it beforehand.
    public var byteCount: Int64? {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(_, let bytes), .stream(let bytes): bytes
        }
    }
}
