import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// Why there is no value.
public enum DataTransferError: Error, Sendable {
    /// The request succeeded, but the body is empty where a value is expected.
    case noResponse(ParsingFailure)
    /// The request succeeded, but the body is not the value that is expected.
    case parsing(ParsingFailure)
    /// The request failed.
    case networkFailure(NetworkError)
    /// The request failed, and the resolver made the caller's own error of it.
    case resolvedNetworkFailure(any Error & Sendable, cause: NetworkError)
    /// The response could not be kept in a file, or is not what it was to be.
    case file(FileFailure)
}

extension DataTransferError {
    init(_ error: NetworkError, resolvedBy resolver: any DataTransferErrorResolver) {
        let resolved = resolver.resolve(error: error)
        if let resolved = resolved as? NetworkError {
            self = .networkFailure(resolved)
        } else {
            self = .resolvedNetworkFailure(resolved, cause: error)
        }
    }

    init(decoding error: any Error, of response: NetworkResponse, endpoint: some Requestable) {
        let failure = ParsingFailure(error, of: response, endpoint: endpoint)
        if case ResponseDecodingError.emptyBody = error {
            self = .noResponse(failure)
        } else {
            self = .parsing(failure)
        }
    }

    /// The network's error, resolved or not.
    public var networkError: NetworkError? {
        switch self {
        case .networkFailure(let error), .resolvedNetworkFailure(_, let error): error
        case .noResponse, .parsing, .file: nil
        }
    }

    /// The failure to make a file of a response.
    public var fileFailure: FileFailure? {
        if case .file(let failure) = self { failure } else { nil }
    }

    /// The caller's own error, where the resolver made one of this type, or the response's decoder threw one: an
    /// ``Endpoints/EnvelopeError`` for example.
    public func resolved<Resolved: Error>(as type: Resolved.Type = Resolved.self) -> Resolved? {
        switch self {
        case .resolvedNetworkFailure(let error, _): error as? Resolved
        case .parsing(let failure): failure.underlying as? Resolved
        case .noResponse, .networkFailure, .file: nil
        }
    }

    /// The response's status, where one came.
    public var statusCode: Int? {
        switch self {
        case .noResponse(let failure), .parsing(let failure): failure.statusCode
        case .networkFailure(let error), .resolvedNetworkFailure(_, let error): error.statusCode
        case .file: nil
        }
    }

    /// Whether the request was called off.
    public var isCancelled: Bool { networkError?.isCancelled ?? false }
    /// Whether a limit of time ran out, in whichever phase.
    public var isTimeout: Bool { networkError?.isTimeout ?? false }
    /// Whether the network, rather than this request or the server's answer, was at fault.
    public var isConnectivity: Bool { networkError?.isConnectivity ?? false }
    /// Whether the same request might fare better a moment later; see ``NetworkCore/NetworkError/isRetryable``. So might a download whose
    /// file was in use, or whose body was too short.
    public var isRetryable: Bool { networkError?.isRetryable ?? fileFailure?.isRetryable ?? false }
}

extension DataTransferError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// What went wrong, with secrets replaced and without a query.
    public var description: String {
        switch self {
        case .noResponse(let failure): "no response body: \(failure)"
        case .parsing(let failure): "the response cannot be decoded: \(failure)"
        case .networkFailure(let error): error.description
        case .resolvedNetworkFailure(let error, let cause):
            // The caller's error may repeat what a server said.
            "\(Redaction.default.redacted(text: String(describing: error)).printableLine) (\(cause))"
        case .file(let failure): "no file: \(failure)"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var errorDescription: String? { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension DataTransferError: RedactedError {}

/// What a service does with each failure, exactly once: have it resolved, and tell the logger.
struct FailureReport: Sendable {
    var resolver: any DataTransferErrorResolver = .unresolved
    var logger: (any DataTransferErrorLogger)?

    /// - Returns: What the caller gets.
    func report(_ error: NetworkError) -> DataTransferError {
        report(DataTransferError(error, resolvedBy: resolver))
    }

    /// - Returns: `failure`.
    func report(_ failure: DataTransferError) -> DataTransferError {
        if let logger, logger.isEnabled { logger.log(error: failure) }
        return failure
    }
}
