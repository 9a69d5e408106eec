import Endpoints
import Foundation
import NetworkLogging

/// The error with which a ``NetworkService`` call fails.
public enum NetworkError: Error, Sendable {
    /// A complete response was received, but the endpoint does not accept its status.
    case status(NetworkResponse)
    /// No connection to the server could be made: the name lookup or the connection attempt failed.
    case notConnected(TransportError)
    /// A time limit was exceeded; ``TransportError/phase`` is the stage in which that happened.
    case timedOut(TransportError)
    /// The request was cancelled, through its handle or its task.
    case cancelled(TransportError)
    /// Any other failure below HTTP, such as a lost connection.
    case transport(TransportError)
    /// No request could be built from the endpoint and the configuration. Nothing was sent.
    case requestGeneration(RequestGenerationError)

    /// Creates the case that corresponds to the error's code.
    ///
    /// An error with ``TransportError/Code/invalidRequest`` that was caused by a `RequestGenerationError` becomes
    /// ``requestGeneration(_:)``.
    package init(_ error: TransportError) {
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
    /// The received response, for ``status(_:)``; `nil` for all other errors.
    public var response: NetworkResponse? {
        if case .status(let response) = self { response } else { nil }
    }

    /// The status code of the received response; `nil` if there is no response.
    public var statusCode: Int? { response?.statusCode }

    /// The failure below HTTP; `nil` for ``status(_:)`` and ``requestGeneration(_:)``.
    public var transportError: TransportError? {
        switch self {
        case .notConnected(let error), .timedOut(let error), .cancelled(let error), .transport(let error): error
        case .status, .requestGeneration: nil
        }
    }

    /// The response, or the failure below HTTP; `nil` for ``requestGeneration(_:)``.
    package var outcome: Result<NetworkResponse, TransportError>? {
        response.map(Result.success) ?? transportError.map(Result.failure)
    }

    /// Whether a stream of events, a WebSocket or an upload that continues by itself tries once more: its attempts and pauses are limited, and a
    /// server that fails internally while it restarts (500) does not end it.
    package var allowsReconnection: Bool { isRetryable || statusCode == 500 }
}

extension NetworkError: RedactedStringConvertible, LocalizedError {
    /// The maximum number of bytes of a rejected response's body that descriptions show.
    package static let maximumSnippetBytes = 1024

    /// A description on one line: method, origin and path, without query and secrets.
    ///
    /// For ``status(_:)`` it also contains the number of attempts, if there was more than one, and the redacted beginning of the
    /// body.
    public var description: String {
        switch self {
        case .status(let response): response.refusal
        case .notConnected(let error), .timedOut(let error), .cancelled(let error), .transport(let error): error.description
        case .requestGeneration(let error): "the request cannot be built: \(error)"
        }
    }
}

extension NetworkResponse {
    /// A readable description of a response whose status was not accepted.
    fileprivate var refusal: String {
        let place = URLText(url).originAndPath.printableLine
        var text = (method.map { "\($0) " } ?? "") + "\(place): status \(statusCode)"
        if timings.attempt > 1 { text += " after \(timings.attempt) attempts" }
        if let end = timings.retryEnd { text += ", not sent again because \(end.text)" }
        guard !data.isEmpty else { return text + ", empty body" }
        let snippet = Redaction.default.redacted(
            body: data, contentType: headers["Content-Type"], maximumBytes: NetworkError.maximumSnippetBytes)
        return text + "; body: \(snippet.printable(limit: NetworkError.maximumSnippetBytes + 64))"
    }
}
