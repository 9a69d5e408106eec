import Endpoints
import Foundation
import HTTPTypes
import NetworkCore

extension HTTPResponse {
    /// Creates a response with the status and the header fields of this one. The body, the trailers and the timings have no counterpart;
    /// `HTTPFields(response.trailers)` converts the trailers.
    ///
    /// - Throws: ``HTTPTypesError`` for a status outside of 100...999, which a test double may have, or a header field that `HTTPField` would
    ///   change or refuse.
    public init(_ response: NetworkResponse) throws(HTTPTypesError) {
        // `Status` traps on a number that does not have three digits.
        guard (100...999).contains(response.statusCode) else {
            throw HTTPTypesError(.status, "\(response.statusCode) does not have three digits (RFC 9110 §15)")
        }
        self.init(status: Status(code: response.statusCode), headerFields: try HTTPFields(response.headers))
    }
}

extension NetworkResponse {
    /// Creates a response with the status and the header fields of this one. The reason phrase, which HTTP/2 does not have, is left out.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - body: The body. Default: empty.
    ///   - url: The URL of the response, after redirects.
    public init(_ response: HTTPResponse, body: NetworkBody = .empty, url: URL) {
        self.init(statusCode: response.status.code, headers: HeaderFields(response.headerFields), body: body, url: url)
    }
}
