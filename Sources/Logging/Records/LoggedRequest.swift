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

extension [LoggedField] {
    /// The first value of a field; names are ASCII (RFC 9110 §5.1), so ASCII folding is enough.
    func firstValue(of name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == wanted }?.value
    }
}
