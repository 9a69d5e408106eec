import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// The handling of each failure of a service, exactly once: the error is resolved, then logged.
struct FailureReport: Sendable {
    var resolver: (any DataTransferErrorResolver)?
    var logger: (any DataTransferErrorLogger)?

    /// Resolves and logs an error.
    ///
    /// - Returns: The error for the caller.
    func report(_ error: NetworkError) -> DataTransferError {
        report(DataTransferError(error, resolvedBy: resolver))
    }

    /// Logs a failure and returns it.
    ///
    /// - Returns: `failure`, unchanged.
    func report(_ failure: DataTransferError) -> DataTransferError {
        if let logger, logger.isEnabled { logger.log(error: failure) }
        return failure
    }
}
