import Endpoints
import Foundation
import NetworkCore

/// A value, and what came with it.
public struct DataTransferResponse<Value: Sendable>: Sendable {
    /// The decoded value.
    public var value: Value
    /// The response's status, one that the endpoint accepts.
    public var statusCode: Int
    /// The response's header fields.
    public var headers: HTTPHeaders
    /// Trailer fields, empty in most responses; `URLSession` gives none.
    public var trailers: HTTPHeaders
    /// The URL that answered, after redirects.
    public var url: URL
    /// Where the time went.
    public var timings: TransferTimings

    /// A response of these parts.
    public init(
        value: Value, statusCode: Int = 200, headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:], url: URL,
        timings: TransferTimings = .init()
    ) {
        self.value = value
        self.statusCode = statusCode
        self.headers = headers
        self.trailers = trailers
        self.url = url
        self.timings = timings
    }

    /// A value, with status, headers, URL and timings of the response it came in.
    public init(value: Value, response: NetworkResponse) {
        self.init(
            value: value, statusCode: response.statusCode, headers: response.headers, trailers: response.trailers,
            url: response.url, timings: response.timings)
    }
}

extension DataTransferResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the type: a value may hold secrets.
    public var description: String { "DataTransferResponse<\(Value.self)>(\(statusCode), \(headers))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
