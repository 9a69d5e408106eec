import Foundation
import NetworkLogging

/// A copy of an endpoint in which single parts can be replaced for one call.
///
/// The stored properties are read from the base once, when the copy is created.
package struct AdjustedEndpoint<Base: Requestable, Response: Sendable>: ResponseRequestable {
    package let base: Base
    package var path: String
    package var isFullPath: Bool
    package var pathParameters: PathParameters
    package var queryParameters: Parameters
    package var method: HTTPMethod
    package var headerParameters: HTTPHeaders
    package var body: RequestBody?
    package var timeouts: RequestTimeouts
    package var acceptedStatuses: AcceptedStatuses
    package var progress: (any TransferProgressObserver)?
    package var context: RequestContext
    package let responseDecoder: any ResponseDecoder
    private let makeResponse: @Sendable (ResponseBody) throws -> Response

    package init(
        _ base: Base, responseDecoder: any ResponseDecoder, response: @escaping @Sendable (ResponseBody) throws -> Response
    ) {
        self.base = base
        path = base.path
        isFullPath = base.isFullPath
        pathParameters = base.pathParameters
        queryParameters = base.queryParameters
        method = base.method
        headerParameters = base.headerParameters
        body = base.body
        timeouts = base.timeouts
        acceptedStatuses = base.acceptedStatuses
        progress = base.progress
        context = base.context
        self.responseDecoder = responseDecoder
        makeResponse = response
    }

    package var queryStyle: QueryStyle { base.queryStyle }
    package var requiresAuthentication: Bool { base.requiresAuthentication }
    package var isIdempotent: Bool { method == base.method ? base.isIdempotent : method.isIdempotent }

    package func ownBaseURL() throws(RequestGenerationError) -> URL? { try base.ownBaseURL() }

    package func response(from body: ResponseBody) throws -> Response { try makeResponse(body) }
}

extension AdjustedEndpoint where Base: ResponseRequestable, Response == Base.Response {
    /// Creates a copy that decodes the response as the base does.
    package init(_ base: Base) {
        self.init(base, responseDecoder: base.responseDecoder) { try base.response(from: $0) }
    }
}

extension AdjustedEndpoint where Response == Data {
    /// Creates a copy whose response is the bytes of the body, regardless of the base's decoder.
    package init(bytesOf base: Base) {
        self.init(base, responseDecoder: .rawData) { $0.data }
    }
}

extension AdjustedEndpoint: RedactedStringConvertible {
    /// A textual representation with method and path, without query and user information.
    package var description: String { "AdjustedEndpoint(\(method) \(URLText.shown(path: path, isFullPath: isFullPath)))" }
}
