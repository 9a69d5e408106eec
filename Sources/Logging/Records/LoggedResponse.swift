import Foundation

/// A record of a response, passed to loggers. Its properties are not redacted; each logger has to redact what it writes.
///
/// Its textual representations (`description`, `debugDescription`, `dump`) are redacted with ``Redaction/default``.
public struct LoggedResponse: Sendable, Hashable {
    /// The status code, such as `200`.
    public var statusCode: Int
    /// The URL of the response, after redirects, or `nil` if it is not known.
    public var url: URL?
    /// The header fields in the order in which they were received, not redacted.
    public var headers: [LoggedField]
    /// The decoded body; `nil` if it is not in memory (a download, a stream).
    public var body: Data?
    /// The time from the start of the request to the last byte of the response.
    public var duration: Duration
    /// The protocol of the connection, `http/1.1` or `h2`, or `nil` if it is not known.
    public var protocolName: String?
    /// Whether the connection was used for another request before, or `nil` if it is not known.
    public var isReusedConnection: Bool?
    /// The number of bytes of the request's body that were sent, or `nil` if it is not known.
    public var bytesSent: Int64?
    /// The number of bytes of the response's body that were received, before content decoding, or `nil` if it is not known.
    public var bytesReceived: Int64?
    /// The number of the attempt to which the response belongs, starting at 1.
    public var attempt: Int
    /// The phases of ``duration``, in the order in which they occurred; empty if they were not measured.
    public var phases: [LoggedPhase]

    /// Creates a record of a response.
    public init(
        statusCode: Int,
        url: URL? = nil,
        headers: [LoggedField] = [],
        body: Data? = nil,
        duration: Duration = .zero,
        protocolName: String? = nil,
        isReusedConnection: Bool? = nil,
        bytesSent: Int64? = nil,
        bytesReceived: Int64? = nil,
        attempt: Int = 1,
        phases: [LoggedPhase] = []
    ) {
        self.statusCode = statusCode
        self.url = url
        self.headers = headers
        self.body = body
        self.duration = duration
        self.protocolName = protocolName
        self.isReusedConnection = isReusedConnection
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.attempt = attempt
        self.phases = phases
    }

    /// Returns the value of the first header field with a name, compared case-insensitively, or `nil`.
    public func header(_ name: String) -> String? {
        headers.firstValue(of: name)
    }
}

extension LoggedResponse: RedactedStringConvertible {
    /// One line with the status, redacted URL, duration and body size.
    public var description: String {
        let place = url.map { " \(VisibleText.escaped(Redaction.default.redacted(url: $0)))" } ?? ""
        let size = body.map { ", \(LogText.bytes(Int64($0.count)))" } ?? ""
        return "\(statusCode)\(place) in \(LogText.milliseconds(duration))\(size)"
    }
    /// The description, followed by the redacted headers, one per line.
    public var debugDescription: String { ([description] + headers.map(\.description)).joined(separator: "\n    | ") }
    /// A mirror of the main properties with secrets redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "statusCode": statusCode, "url": url.map(Redaction.default.redacted(url:)) as Any, "headers": headers,
                "body": body.map { LogText.bytes(Int64($0.count)) } as Any, "duration": duration,
                "protocolName": protocolName as Any, "isReusedConnection": isReusedConnection as Any, "phases": phases,
            ],
            displayStyle: .struct)
    }
}

/// A named phase of a transfer, such as the name lookup, the connect or the wait for the first byte.
public struct LoggedPhase: Sendable, Hashable {
    /// The name of the phase, in lower-case words: `dns`, `connect`, `tls`, `first byte`.
    public var name: String
    /// The duration of the phase.
    public var duration: Duration

    /// Creates a phase from a name and a duration.
    public init(name: String, duration: Duration) {
        self.name = name
        self.duration = duration
    }
}
