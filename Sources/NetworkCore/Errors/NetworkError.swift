import Endpoints
import Foundation
import NetworkLogging

/// Why a ``NetworkService`` has no response data.
public enum NetworkError: Error, Sendable {
    /// A whole response came, but with a status the endpoint does not accept.
    case status(NetworkResponse)
    /// There is no way to the server: no address, no connection.
    case notConnected(TransportError)
    /// A limit of time ran out; the error's phase says where.
    case timedOut(TransportError)
    /// Called off, by the handle or by the task.
    case cancelled(TransportError)
    /// Any other failure below HTTP.
    case transport(TransportError)
    /// The endpoint and the configuration do not make a request. Nothing was sent.
    case requestGeneration(RequestGenerationError)

    /// The case for the error's code; what ``TransportError/Code/invalidRequest`` carries becomes ``requestGeneration(_:)``.
    public init(_ error: TransportError) {
        switch error.code {
        case .cancelled: self = .cancelled(error)
        case .timedOut: self = .timedOut(error)
        case .nameLookupFailed, .cannotConnect: self = .notConnected(error)
        case .invalidRequest:
            if let cause = error.underlying as? RequestGenerationError {
                self = .requestGeneration(cause)
            } else {
                self = .transport(error)
            }
        default: self = .transport(error)
        }
    }
}

extension NetworkError {
    /// The response, where one came.
    public var response: NetworkResponse? {
        if case .status(let response) = self { response } else { nil }
    }

    /// The response's status, where one came.
    public var statusCode: Int? { response?.statusCode }
    /// Whether a response came with this status.
    public func hasStatusCode(_ status: Int) -> Bool { statusCode == status }
    /// Whether a response came with status 404 (RFC 9110 §15.5.5).
    public var isNotFoundError: Bool { hasStatusCode(404) }

    /// The failure below HTTP, where it was one.
    public var transportError: TransportError? {
        switch self {
        case .notConnected(let error), .timedOut(let error), .cancelled(let error), .transport(let error): error
        case .status, .requestGeneration: nil
        }
    }

    /// Whether the request was called off.
    public var isCancelled: Bool { transportError?.isCancelled ?? false }
    /// Whether a limit of time ran out, in whichever phase.
    public var isTimeout: Bool { transportError?.isTimeout ?? false }
    /// Whether the network, rather than this request or the server's answer, was at fault.
    public var isConnectivity: Bool { transportError?.isConnectivity ?? false }

    /// Whether the same request might fare better a moment later: a retryable ``TransportError``, or status 408, 425, 429, 500,
    /// 502, 503 or 504. Says nothing of whether repeating it is harmless.
    public var isRetryable: Bool {
        if let statusCode { return [408, 425, 429, 500, 502, 503, 504].contains(statusCode) }
        return transportError?.isRetryable ?? false
    }
}

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The most bytes of a refused response's body that descriptions show.
    public static let maximumSnippetBytes = 1024

    /// What went wrong, on one line: method, origin and path, without query and secrets; of a refused response the beginning of its body,
    /// redacted, and how many attempts there were.
    public var description: String {
        switch self {
        case .status(let response): response.refusal
        case .notConnected(let error), .timedOut(let error), .cancelled(let error), .transport(let error): error.description
        case .requestGeneration(let error): "the request cannot be built: \(error)"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var errorDescription: String? { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension NetworkResponse {
    /// A status that was not accepted, for people.
    fileprivate var refusal: String {
        let place = Redaction.default.redacted(url: URLText(url).originAndPath).printableLine
        var text = (method.map { "\($0) " } ?? "") + "\(place): status \(statusCode)"
        if timings.attempt > 1 { text += " after \(timings.attempt) attempts" }
        guard !body.isEmpty else { return text + ", empty body" }
        let snippet = Redaction.default.redacted(
            body: body, contentType: headers["Content-Type"], limit: NetworkError.maximumSnippetBytes)
        return text + "; body: \(snippet.printable(limit: NetworkError.maximumSnippetBytes + 64))"
    }
}
