import Endpoints
import Foundation
import NetworkCore

extension Error {
    /// The error as a ``DataTransferError``, if it is an error of this framework or a `CancellationError`; `nil` for any other.
    ///
    /// ```swift
    /// let task = Task { try await service.request(endpoint) }
    /// do {
    ///     show(try await task.value)
    /// } catch {
    ///     if error.isCancelled { return }
    ///     if error.statusCode == .notFound { showMissing() } else { show(error) }
    /// }
    /// ```
    ///
    /// The error of a lower layer, such as `TransportError`, and the details of an error, such as ``FileFailure``, are in the case that contains them.
    public var dataTransferError: DataTransferError? {
        switch self {
        case let error as DataTransferError: error
        case let error as NetworkError: .networkFailure(error)
        case let error as TransportError: .networkFailure(NetworkError(error))
        case let error as RequestGenerationError: .networkFailure(.requestGeneration(error))
        case let error as ParsingFailure: .parsing(error)
        case let error as FileFailure: .file(error)
        case let error as any OperationFailure: .operation(error)
        case is CancellationError: .taskCancelled
        default: nil
        }
    }

    /// The error of the application with which a ``DataTransferErrorResolver`` has replaced this one; `nil` without such a replacement, or if it has another type.
    ///
    /// If credentials could not be obtained, it is also found in the error of the request that should have obtained them; see
    /// ``DataTransferError/resolved(as:)``.
    ///
    /// ```swift
    /// do {
    ///     try await service.request(endpoint)
    /// } catch {
    ///     guard let refusal = error.resolved(as: APIError.self) else { throw error }
    ///     show(refusal.message)
    /// }
    /// ```
    public func resolved<Resolved: Error>(as type: Resolved.Type = Resolved.self) -> Resolved? {
        dataTransferError?.resolved(as: type)
    }

    /// The failure of the request, for a ``DataTransferError`` that has one, and for the errors of lower layers; otherwise `nil`.
    public var networkError: NetworkError? { dataTransferError?.networkError }
}

extension DataTransferError: CallError {
    package var facts: CallFacts {
        networkError?.facts ?? fileFailure?.facts ?? (operationFailure as? any CallError)?.facts
            ?? CallFacts(statusCode: statusCode)
    }
}

extension ParsingFailure: CallError {
    package var facts: CallFacts {
        // As an optional, it would be the property of any error, which asks for these facts.
        let status: Int = statusCode
        return CallFacts(statusCode: status)
    }
}

extension FileFailure: CallError {
    package var facts: CallFacts { CallFacts(isRetryable: isRetryable) }
}

/// A failure of a module that builds operations on a service, such as that of a resumable upload: a ``DataTransferError/operation(_:)``.
package protocol OperationFailure: CallError {}
