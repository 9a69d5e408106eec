import Endpoints
import Foundation

extension Requestable {
    /// Builds the `URLRequest` this endpoint describes, for code that speaks Foundation.
    ///
    /// - Parameter configuration: Base URL, and the headers and query every request shares.
    /// - Throws: ``RequestGenerationError`` with the field that is wrong. No I/O is performed.
    public func urlRequest(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> URLRequest {
        try networkRequest(with: configuration).urlRequest
    }
}
