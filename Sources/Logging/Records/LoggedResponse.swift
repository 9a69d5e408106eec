import Foundation

/// What a logger hears about a response: the real values, from which each logger prints what it may.
///
/// Printing it (`description`, `debugDescription`, `dump`) goes through ``Redaction/default``.
public struct LoggedResponse: Sendable, Hashable {
    /// The status code, `200`.
    public var statusCode: Int
    /// The URL that answered, after redirects, or `nil` where it is not known.
    public var url: URL?
    /// Header fields in the order in which they came, not redacted.
    public var headers: [LoggedField]
    /// The decoded body; `nil` where there is none in memory (a download, a stream).
    public var body: Data?
    /// From the start of the request to the last byte of the response.
    public var duration: Duration
    /// The protocol that was spoken, `http/1.1` or `h2`, where it is known.
    public var protocolName: String?
    /// Whether the connection had served another request before, where it is known.
    public var isReusedConnection: Bool?
    /// Bytes of the request's body that were sent, where it is known.
    public var bytesSent: Int64?
    /// Bytes of the response's body that were received, before content decoding, where it is known.
    public var bytesReceived: Int64?
    /// Which attempt at sending the request this answers, counted from 1.
    public var attempt: Int
    /// The parts of ``duration``, in the order in which they happened; empty where nobody measured.
    public var phases: [LoggedPhase]

    /// Makes a record of a response.
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

    /// The value of the first field of this name, compared without case, or `nil`.
    public func header(_ name: String) -> String? {
        headers.firstValue(of: name)
    }
}

extension LoggedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line: status, redacted URL, duration, size of the body.
    public var description: String {
        let place = url.map { " \(VisibleText.escaped(Redaction.default.redacted(url: $0)))" } ?? ""
        let size = body.map { ", \(LogText.bytes(Int64($0.count)))" } ?? ""
        return "\(statusCode)\(place) in \(LogText.milliseconds(duration))\(size)"
    }
    /// The same with redacted headers.
    public var debugDescription: String { ([description] + headers.map(\.description)).joined(separator: "\n    | ") }
    /// All parts, redacted.
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

/// A named stretch of a transfer, such as name lookup, connect or the wait for the first byte.
public struct LoggedPhase: Sendable, Hashable {
    /// What was going on, in lower-case words: `dns`, `connect`, `tls`, `first byte`.
    public var name: String
    /// How long it took.
    public var duration: Duration

    /// Makes a phase.
    public init(name: String, duration: Duration) {
        self.name = name
        self.duration = duration
    }
}
