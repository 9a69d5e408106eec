import Endpoints
import Foundation
import NetworkCore

/// A value, and what came with it.
public struct DataTransferResponse<Value: Sendable>: Sendable {
    public var value: Value
    public var statusCode: Int
    public var headers: HTTPHeaders
    /// The URL that answered, after redirects.
    public var url: URL
    public var timings: TransferTimings

    public init(value: Value, statusCode: Int = 200, headers: HTTPHeaders = [:], url: URL, timings: TransferTimings = .init()) {
        self.value = value
        self.statusCode = statusCode
        self.headers = headers
        self.url = url
        self.timings = timings
    }

    public init(value: Value, response: NetworkResponse) {
        self.init(
            value: value, statusCode: response.statusCode, headers: response.headers, url: response.url,
            timings: response.timings)
    }
}

extension DataTransferResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the type: a value may hold secrets.
    public var description: String { "DataTransferResponse<\(Value.self)>(\(statusCode), \(headers))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
