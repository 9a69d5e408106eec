import Endpoints
import Foundation
import NetworkCore

/// A type that replaces network errors with errors of the application.
public protocol DataTransferErrorResolver: Sendable {
    /// Returns the error to throw instead of `error`, or `error` itself to keep it.
    func resolve(error: NetworkError) -> any Error & Sendable
}
