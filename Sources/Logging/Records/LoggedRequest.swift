import Foundation

/// What a logger hears about a request: the real values, from which each logger prints what it may.
///
/// Building one costs a copy of the header list, so callers build it only for a logger whose `isEnabled` is true.
/// Printing it (`description`, `debugDescription`, `dump`) goes through ``Redaction/default``.
public struct LoggedRequest: Sendable, Hashable {
    /// The method, as sent: `GET`.
    public var method: String
    /// The URL, with its query, not redacted.
    public var url: URL
    /// Header fields in the order in which they are sent, not redacted.
    public var headers: [LoggedField]
    /// The body, or `nil` where there is none.
    public var body: LoggedBody?
    /// The number of this request in this process; the response and the error of a request carry the same one.
    public var identifier: UInt64
    /// Which attempt this is, counted from 1; a retried request keeps its ``identifier``.
    public var attempt: Int

    /// Makes a record of a request.
    public init(
        method: String = "GET",
        url: URL,
        headers: [LoggedField] = [],
        body: LoggedBody? = nil,
        identifier: UInt64 = 0,
        attempt: Int = 1
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.identifier = identifier
        self.attempt = attempt
    }

    /// The value of the first field of this name, compared without case, or `nil`.
    public func header(_ name: String) -> String? {
        headers.firstValue(of: name)
    }
}

extension LoggedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line: number, method, redacted URL, size of the body.
    public var description: String {
        LogText(redaction: .default, maximumBodyBytes: 0).request(self, isDetailed: false)
    }
    /// The same with redacted headers, one to a line.
    public var debugDescription: String {
        LogText(redaction: .default, maximumBodyBytes: 0).request(self, isDetailed: true)
    }
    /// All parts, redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "url": Redaction.default.redacted(url: url), "headers": headers, "body": body as Any,
                "identifier": identifier, "attempt": attempt,
            ],
            displayStyle: .struct)
    }
}

/// One header field of a logged request or response, in the order in which it was sent.
///
/// The stored value is the real one. Printing the field (`description`, `debugDescription`, `dump`) hides the values
/// that ``Redaction/default`` holds to be secret.
public struct LoggedField: Sendable, Hashable {
    /// The field's name as it was written; compared without case wherever it decides something (RFC 9110 §5.1).
    public var name: String
    /// The field's value, not redacted.
    public var value: String

    /// Makes a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension LoggedField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `name: value`, redacted.
    public var description: String { VisibleText.escaped("\(name): \(shownValue)") }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The name and the redacted value.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": shownValue], displayStyle: .struct) }

    private var shownValue: String { Redaction.default.redacted(headerValue: value, for: name) }
}

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

extension LoggedBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the body comes from, and its size; never its bytes.
    public var description: String {
        let size = byteCount.map(LogText.bytes) ?? "unknown size"
        switch self {
        case .data: return size
        case .file(let url, _): return VisibleText.escaped("file \(Redaction.default.redacted(url: url)), \(size)")
        case .stream: return "stream, \(size)"
        }
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The number of bytes.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": byteCount as Any], displayStyle: .enum) }
}

extension [LoggedField] {
    /// The first value of a field; names are ASCII (RFC 9110 §5.1), so ASCII folding is enough.
    func firstValue(of name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == wanted }?.value
    }
}
