import Endpoints
import Foundation
import NetworkCore

/// A file that has come whole.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public var url: URL
    /// How long it is.
    public var byteCount: Int64
    /// The status of the last response: 200, 206 where it brought the rest, 416 where nothing was missing (RFC 9110 §15.5.17).
    public var statusCode: Int
    /// The header fields of the last response.
    public var headers: HTTPHeaders
    /// Where the time of the last response went.
    public var timings: TransferTimings
    /// How many bytes were there already and not fetched again; 0 where it began at the beginning.
    public var resumedFrom: Int64

    /// A file of these parts.
    public init(
        url: URL, byteCount: Int64, statusCode: Int = 200, headers: HTTPHeaders = [:],
        timings: TransferTimings = TransferTimings(),
        resumedFrom: Int64 = 0
    ) {
        self.url = url
        self.byteCount = byteCount
        self.statusCode = statusCode
        self.headers = headers
        self.timings = timings
        self.resumedFrom = resumedFrom
    }
}

extension DownloadedFile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, size, status and headers without secrets.
    public var description: String {
        "DownloadedFile(\"\(url.lastPathComponent.printable)\", \(byteCount) bytes, \(statusCode), \(headers))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
