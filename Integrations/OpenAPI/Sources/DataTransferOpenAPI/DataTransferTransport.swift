internal import DataTransferOpenAPIMessages
import Endpoints
import Foundation
import HTTPTypes
import NetworkCore
import NetworkLogging
import OpenAPIRuntime

/// Sends the requests of a client that swift-openapi-generator has written, over a session manager or a network service.
///
/// ```swift
/// let client = Client(
///     serverURL: url, transport: DataTransferTransport(session: session, interceptors: [.retry()]))
/// ```
///
/// Bodies are streams in both directions: while one side does not read, the other one waits. Releasing the body of a response
/// before its end cancels the transfer, and so does the cancellation of the task. The ID of the operation is the name of the
/// endpoint (`NetworkRequest.endpointName`) for interceptors, metrics, traces and logs.
public struct DataTransferTransport: ClientTransport {
    private let service: any NetworkService
    /// Whether the interceptors of ``OperationMiddleware`` are run.
    private let runsMiddleware: Bool

    /// Creates a transport over a session manager.
    ///
    /// - Parameters:
    ///   - session: Sends the requests. Default: the one that all share.
    ///   - interceptors: Run in the order of the list, the first one outermost, inside of those of ``OperationMiddleware``.
    ///     Default: none.
    ///   - logger: Receives each request, response and failure. Default: none.
    public init(
        session: any NetworkSessionManager = DefaultSessionManager.shared, interceptors: [any NetworkInterceptor] = [],
        logger: (any NetworkErrorLogger)? = nil
    ) {
        service = DefaultNetworkService(
            sessionManager: session, interceptors: [OperationStep()] + interceptors, logger: logger)
        runsMiddleware = true
    }

    /// Creates a transport over a service, with its interceptors and logs.
    ///
    /// The header fields and query parameters that all requests of the service share are added, if the server has the origin of
    /// its base URL, which is not used otherwise. With an ``OperationMiddleware``, each request is an error: the service does not
    /// run its interceptors.
    public init(service: any NetworkService) {
        self.service = service
        runsMiddleware = false
    }

    /// Sends a request, and returns its response as soon as its head was received. Any status is a success; redirects have been
    /// followed.
    ///
    /// - Parameters:
    ///   - request: The request. Its path is appended to that of the base URL, with one slash between them, and nothing is
    ///     encoded again.
    ///   - body: The body. It is sent again for another attempt or a redirect only if its iteration behavior is `multiple`. A
    ///     length that is known is sent as `Content-Length`, and another number of bytes is an error.
    ///   - baseURL: The URL of the server.
    ///   - operationID: The ID of the operation, as in the OpenAPI document.
    /// - Returns: The head, and the body; `nil` if the response cannot have one: to HEAD, and with status 204 or 304.
    /// - Throws: `TransportError`, also with code `invalidRequest` for a request that cannot be sent. Its `underlying` is the
    ///   cause. When the task is cancelled, at once. The body throws later failures.
    public func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let description = try Self.description(request, body, baseURL, operationID)
        guard runsMiddleware || OperationMiddleware.interceptors.isEmpty else {
            throw TransportError(
                .invalidRequest, "an OperationMiddleware needs a transport that was created with a session manager")
        }
        let response: NetworkResponse
        do throws(NetworkError) {
            response = try await service.stream(for: description)
        } catch {
            throw error.transportFailure
        }
        do throws(HTTPTypesError) {
            let head = try HTTPResponse(response)
            let isEmpty = request.method == .head || response.statusCode == 204 || response.statusCode == 304
            return (head, isEmpty ? nil : HTTPBody(response))
        } catch {
            throw TransportError(.malformedResponse, error.description, phase: .receive, underlying: error)
        }
    }

    private static func description(
        _ request: HTTPRequest, _ body: HTTPBody?, _ baseURL: URL, _ operationID: String
    ) throws(TransportError) -> RequestDescription {
        let sent: NetworkRequest
        do throws(HTTPTypesError) {
            sent = try NetworkRequest(request, baseURL: baseURL)
        } catch {
            throw TransportError(.invalidRequest, error.description, underlying: error)
        }
        var description = RequestDescription(
            path: sent.url.absoluteString, isFullPath: true, method: sent.method, headerParameters: sent.headers,
            body: body.map { EndpointBody(contentType: nil, content: NetworkBody($0)) })
        description.acceptedStatuses = .any
        description.name = operationID.isEmpty ? nil : operationID
        return description
    }
}

extension DataTransferTransport: RedactedStringConvertible {
    /// The name of the type. What a session manager or an interceptor contains is not shown.
    public var description: String { "DataTransferTransport" }
}

extension NetworkError {
    /// The failure as an error of the layer below, which generated clients make the cause of a `ClientError`.
    fileprivate var transportFailure: TransportError {
        if let transportError { return transportError }
        return switch self {
        case .requestGeneration(let cause): TransportError(.invalidRequest, cause.description, underlying: cause)
        default: TransportError(.malformedResponse, "the service has refused the response", underlying: self)
        }
    }
}
