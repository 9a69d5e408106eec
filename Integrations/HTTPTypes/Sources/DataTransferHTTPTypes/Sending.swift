import Endpoints
import Foundation
import HTTPTypes
import NetworkCore

extension NetworkSessionManager {
    /// Sends a request, and returns its response as soon as its head was received. Any status is a success; redirects have been followed.
    ///
    /// While the body of the response is not read, no more of it is received, and releasing it cancels the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Its body, which is sent as fast as the connection accepts it. Default: none.
    ///   - baseURL: The URL below which the path of the request is. Default: `nil`; the request then has a scheme and an authority.
    /// - Returns: The head, and the body; `nil` if the response cannot have one: to HEAD, and with status 204 or 304.
    /// - Throws: `TransportError`; of code `invalidRequest` or `malformedResponse` with an ``HTTPTypesError`` as its cause if a message cannot be
    ///   converted. When the task is cancelled, at once.
    public func send(
        _ request: HTTPRequest, body: NetworkBody? = nil, baseURL: URL? = nil
    ) async throws(TransportError) -> (HTTPResponse, NetworkBody?) {
        let sent = try request.networkRequest(body, baseURL)
        return try (await stream(for: sent)).messageParts(of: sent)
    }
}

extension NetworkService {
    /// Sends a request through the service, with its interceptors and logs, and returns its response as soon as its head was received. Any status
    /// is a success; redirects have been followed.
    ///
    /// The header fields and query parameters that all requests of the service share are added. Its own base URL is not used.
    ///
    /// - Parameters: As for `NetworkSessionManager`.
    /// - Returns: The head, and the body; `nil` if the response cannot have one: to HEAD, and with status 204 or 304.
    /// - Throws: `NetworkError`; the cause is an ``HTTPTypesError`` if a message cannot be converted. When the task is cancelled, at once.
    public func send(
        _ request: HTTPRequest, body: NetworkBody? = nil, baseURL: URL? = nil
    ) async throws(NetworkError) -> (HTTPResponse, NetworkBody?) {
        let sent: NetworkRequest
        do throws(TransportError) {
            sent = try request.networkRequest(body, baseURL)
        } catch {
            throw .transport(error)
        }
        var description = RequestDescription(
            path: sent.url.absoluteString, isFullPath: true, method: sent.method, headerParameters: sent.headers,
            body: body.map { EndpointBody(contentType: nil, content: $0) })
        description.acceptedStatuses = .any
        let response = try await stream(for: description)
        do throws(TransportError) {
            return try response.messageParts(of: sent)
        } catch {
            throw .transport(error)
        }
    }
}

extension HTTPRequest {
    fileprivate func networkRequest(_ body: NetworkBody?, _ baseURL: URL?) throws(TransportError) -> NetworkRequest {
        do throws(HTTPTypesError) {
            return try NetworkRequest(self, body: body, baseURL: baseURL)
        } catch {
            throw TransportError(.invalidRequest, error.description, underlying: error)
        }
    }
}

extension NetworkResponse {
    fileprivate func messageParts(of request: NetworkRequest) throws(TransportError) -> (HTTPResponse, NetworkBody?) {
        let head: HTTPResponse
        do throws(HTTPTypesError) {
            head = try HTTPResponse(self)
        } catch {
            throw TransportError(.malformedResponse, error.description, phase: .receive, request: request, underlying: error)
        }
        let isEmpty = request.method == .head || statusCode == 204 || statusCode == 304
        return (head, isEmpty ? nil : body)
    }
}
