import NetworkCore
import NetworkLogging

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
