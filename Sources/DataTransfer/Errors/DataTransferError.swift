import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// An error of a ``DataTransferService``: why a request returned no value.
public enum DataTransferError: Error, Sendable {
    /// The request succeeded, but the response has no body although a value is expected.
    case noResponse(ParsingFailure)
    /// The request succeeded, but its body cannot be decoded as the expected value.
    case parsing(ParsingFailure)
    /// The request failed without an acceptable response.
    case networkFailure(NetworkError)
    /// The request failed, and the error resolver replaced the network error with another error.
    case resolvedNetworkFailure(any Error & Sendable, cause: NetworkError)
    /// The response could not be stored in a file, or its content is not as expected.
    case file(FileFailure)
    /// An operation of several requests failed, and none of its requests is the cause: the failure of a resumable upload, or of another module.
    case operation(any Error & Sendable)
}

extension DataTransferError {
    init(_ error: NetworkError, resolvedBy resolver: (any DataTransferErrorResolver)?) {
        guard let resolver else {
            self = .networkFailure(error)
            return
        }
        let resolved = resolver.resolve(error: error)
        if let resolved = resolved as? NetworkError {
            self = .networkFailure(resolved)
        } else {
            self = .resolvedNetworkFailure(resolved, cause: error)
        }
    }

    package init(decoding error: any Error, of response: NetworkResponse, method: RequestMethod) {
        let failure = ParsingFailure(error, of: response, method: method)
        if case .emptyBody? = (error as? ResponseDecodingError)?.kind {
            self = .noResponse(failure)
        } else {
            self = .parsing(failure)
        }
    }

    /// Creates the error for the head of a streamed response whose media type the endpoint does not accept; `nil` if it does, or if the head
    /// says that there is no body.
    init?(headOf response: NetworkResponse, to request: RequestDescription) {
        guard request.method != .head, response.statusCode != 204, response.statusCode != 304,
            response.headers["Content-Length"] != "0",
            let error = request.acceptedMediaTypes.failure(contentType: response.headers["Content-Type"])
        else { return nil }
        var failure = ParsingFailure(error, of: response, method: request.method)
        failure.snippet = "not received"
        self = .parsing(failure)
    }

    /// The network error, whether it was replaced by the resolver or not.
    public var networkError: NetworkError? {
        switch self {
        case .networkFailure(let error), .resolvedNetworkFailure(_, let error): error
        case .noResponse, .parsing, .file, .operation: nil
        }
    }

    /// The failure to store a response in a file.
    public var fileFailure: FileFailure? {
        if case .file(let failure) = self { failure } else { nil }
    }

    var operationFailure: (any Error)? {
        if case .operation(let failure) = self { failure } else { nil }
    }

    /// The maximum number of errors, each the cause of the one before, that ``resolved(as:)`` examines.
    private static let maximumCauses = 8

    /// Returns the error of a given type that the resolver returned or the response decoder threw.
    ///
    /// For example, it is an `EnvelopeError` of `EndpointAPIs`. If credentials could not be obtained
    /// (``NetworkCore/TransportError/Code/authenticationFailed``), it is also found in the error of the request that should have obtained
    /// them. The result is `nil` if there is no error of that type.
    public func resolved<Resolved: Error>(as type: Resolved.Type = Resolved.self) -> Resolved? {
        var error: any Error = self
        for _ in 0..<Self.maximumCauses {
            let known = error.dataTransferError
            switch known {
            case .resolvedNetworkFailure(let resolved as Resolved, _): return resolved
            case .parsing(let failure): return failure.underlying as? Resolved
            default: break
            }
            guard let failure = known?.networkError?.transportError, failure.code == .authenticationFailed,
                let cause = failure.underlying
            else { return nil }
            if let cause = cause as? Resolved { return cause }
            error = cause
        }
        return nil
    }

    /// The status of the response; `nil` if none was received.
    public var statusCode: Int? {
        switch self {
        case .noResponse(let failure), .parsing(let failure): failure.statusCode
        case .networkFailure(let error), .resolvedNetworkFailure(_, let error): error.statusCode
        case .file: nil
        case .operation(let failure): failure.statusCode
        }
    }
}

extension DataTransferError: RedactedStringConvertible, LocalizedError {
    /// The maximum number of characters of an operation's failure, which names a request, a file and the reason.
    private static let maximumOperationCharacters = 2048

    /// A textual representation with secrets redacted and without the query of the URL.
    public var description: String {
        switch self {
        case .noResponse(let failure): "no response body: \(failure)"
        case .parsing(let failure) where failure.underlying is PageError: "the next page is not requested: \(failure)"
        case .parsing(let failure): "the response cannot be decoded: \(failure)"
        case .networkFailure(let error): error.description
        case .resolvedNetworkFailure(let error, let cause):
            "\(ErrorText(error)) (\(cause))"
        case .file(let failure): "the response cannot be stored: \(failure)"
        case .operation(let failure): ErrorText(failure, limit: Self.maximumOperationCharacters).description
        }
    }
}

extension DataTransferError: RedactedError {}
