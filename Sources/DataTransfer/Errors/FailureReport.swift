import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// The handling of each failure of a service, exactly once: the error is resolved, then logged.
package struct FailureReport: Sendable {
    package var resolver: (any DataTransferErrorResolver)?
    package var logger: (any DataTransferErrorLogger)?

    package init(
        resolver: (any DataTransferErrorResolver)? = nil, logger: (any DataTransferErrorLogger)? = nil
    ) {
        self.resolver = resolver
        self.logger = logger
    }

    /// Resolves and logs an error.
    ///
    /// - Returns: The error for the caller.
    package func report(_ error: NetworkError) -> DataTransferError {
        report(DataTransferError(error, resolvedBy: resolver))
    }

    /// Logs a failure and returns it.
    ///
    /// - Returns: `failure`, unchanged.
    package func report(_ failure: DataTransferError) -> DataTransferError {
        if let logger, logger.isEnabled { logger.log(error: failure) }
        return failure
    }
}
