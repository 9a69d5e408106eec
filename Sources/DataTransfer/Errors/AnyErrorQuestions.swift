import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

// What can be asked about an error whose type is not known: one of a `Task`, of a task group, or of a `do` whose calls throw errors of several types.
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
        case let error as UploadFailure: .upload(error)
        case is CancellationError: .taskCancelled
        default: nil
        }
    }

    /// The status of the response, for an error of this framework that has one; otherwise `nil`.
    public var statusCode: Int? { dataTransferError?.statusCode }
    /// Whether the request or the task was cancelled: an error of this framework, or `CancellationError`.
    public var isCancelled: Bool { dataTransferError?.isCancelled ?? false }
    /// Whether a time limit was exceeded, in any phase; `false` for the errors of others.
    public var isTimeout: Bool { dataTransferError?.isTimeout ?? false }
    /// Whether the network caused the failure, rather than the request or the response; `false` for the errors of others.
    public var isConnectivity: Bool { dataTransferError?.isConnectivity ?? false }
    /// Whether the same request may succeed later (``DataTransferError/isRetryable``); `false` for the errors of others.
    public var isRetryable: Bool { dataTransferError?.isRetryable ?? false }
}
