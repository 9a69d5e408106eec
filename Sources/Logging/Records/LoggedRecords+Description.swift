import Foundation

// Records hold real values. Whatever prints them, `print`, `dump`, a debugger or a failed test, sees these texts.

extension LoggedField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `name: value`, redacted.
    public var description: String { VisibleText.escaped("\(name): \(shownValue)") }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The name and the redacted value.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": shownValue], displayStyle: .struct) }

    private var shownValue: String { Redaction.default.redacted(headerValue: value, for: name) }
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
