import Foundation
import NetworkSupport

/// A record of a request, passed to loggers. Its body is not redacted: a logger that writes it uses
/// ``Redaction/redacted(body:contentType:maximumBytes:)``.
///
/// Creating a record copies the header list, so records are created only for loggers whose `isEnabled` is `true`. Its textual
/// representations (`description`, `debugDescription`, `dump`) are redacted with ``Redaction/default``.
public struct LoggedRequest: Sendable, Hashable {
    /// The request method as it is sent, such as `GET`.
    public var method: String
    /// The URL with its query as it was sent, not redacted.
    package var sentURL: URL
    /// The URL with its query, with secrets redacted, because an application's logger may write it anywhere.
    public var url: URL {
        get { sentURL.redacted }
        set { sentURL = newValue }
    }
    /// The header fields in the order in which they are sent. Their values are redacted when they are read.
    public var headers: [LoggedField]
    /// The body, or `nil` if the request has no body.
    public var body: LoggedBody?
    /// The number of the call in this process. All attempts of a call, and their responses and errors, have the same number.
    public var identifier: UInt64
    /// The number of the attempt, starting at 1.
    public var attempt: Int
    /// The name of the endpoint, such as its path template `movie/{id}`; `nil` if it has none. It has the same value in all requests of an
    /// endpoint.
    public var endpointName: String?

    /// Creates a record of a request.
    package init(
        method: String = "GET",
        url: URL,
        headers: [LoggedField] = [],
        body: LoggedBody? = nil,
        identifier: UInt64 = 0,
        attempt: Int = 1,
        endpointName: String? = nil
    ) {
        self.method = method
        sentURL = url
        self.headers = headers
        self.body = body
        self.identifier = identifier
        self.attempt = attempt
        self.endpointName = endpointName
    }

    /// Returns the value of the first header field with a name, compared case-insensitively, or `nil`.
    public func header(_ name: String) -> String? {
        headers.firstValue(of: name)
    }
}

extension URL {
    /// The URL with secrets redacted.
    var redacted: URL {
        let text = Redaction.default.redacted(url: self)
        if text == absoluteString { return self }
        // Not all systems accept the characters of the placeholder in a URL.
        let encoded = text.replacing("<", with: "%3C").replacing(">", with: "%3E")
        return URL(string: encoded) ?? URL(fileURLWithPath: "/")
    }
}

extension LoggedRequest: RedactedStringConvertible {
    /// One line with the number, method, redacted URL and body size.
    public var description: String {
        LogText(redaction: .default, maximumBodyBytes: 0).request(self, isDetailed: false)
    }
    /// The description, followed by the redacted headers, one per line.
    public var debugDescription: String {
        LogText(redaction: .default, maximumBodyBytes: 0).request(self, isDetailed: true)
    }
}

/// A header field of a logged request or response.
///
/// The value is redacted with ``Redaction/default`` when it is read, so that a record that no logger prints costs nothing.
public struct LoggedField: Sendable, Hashable {
    /// The field's name as it was sent or received. Names are compared case-insensitively (RFC 9110 §5.1).
    public var name: String
    /// The field's value as it was sent or received, not redacted.
    var sentValue: String
    /// The field's value, with secrets redacted, because an application's logger may write it anywhere.
    public var value: String {
        get { Redaction.default.redacted(headerValue: sentValue, for: name) }
        set { sentValue = newValue }
    }

    /// Creates a field from a name and a value.
    package init(name: String, value: String) {
        self.name = name
        sentValue = value
    }
}

extension LoggedField: RedactedStringConvertible {
    /// The field as `name: value`, with a secret value redacted.
    public var description: String { VisibleText.escaped("\(name): \(value)") }
}

/// The body of a logged request: its bytes if they are in memory, otherwise its source.
///
/// The textual representations contain the size and never the bytes; ``Redaction/redacted(body:contentType:maximumBytes:)`` returns the
/// redacted text of a body.
public enum LoggedBody: Sendable, Hashable {
    /// Bytes that are in memory.
    case data(Data)
    /// A file that is sent from disk, and its size if it is known.
    case file(URL, bytes: Int64?)
    /// A stream, and its length in bytes if it is known.
    case stream(bytes: Int64?)

    /// The number of bytes, or `nil` if it is not known in advance.
    public var byteCount: Int64? {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(_, let bytes), .stream(let bytes): bytes
        }
    }
}

extension LoggedBody: RedactedStringConvertible {
    /// The source and the size of the body; never its bytes.
    public var description: String {
        let size = byteCount.map(LogText.bytes) ?? "unknown size"
        switch self {
        case .data: return size
        case .file(let url, _): return VisibleText.escaped("file \(Redaction.default.redacted(url: url)), \(size)")
        case .stream: return "stream, \(size)"
        }
    }
}

extension [LoggedField] {
    /// Returns the value of the first field with a name, compared case-insensitively (RFC 9110 §5.1).
    func firstValue(of name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == wanted }?.value
    }
}
