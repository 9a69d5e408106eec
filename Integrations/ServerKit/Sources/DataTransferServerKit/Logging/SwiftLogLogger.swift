import DataTransfer
import Logging

/// Passes the events of services to swift-log.
///
/// ```swift
/// let service = DefaultDataTransferService(configuration: api, networkLogger: .swiftLog(logger), errorLogger: .swiftLog(logger))
/// ```
///
/// | Event | Level |
/// |---|---|
/// | an attempt is sent | `trace` |
/// | the response to an attempt was received, whatever its status | `debug` |
/// | an attempt has failed, which may be followed by another one | `debug` |
/// | a call has succeeded, or was cancelled | `debug` |
/// | a call has failed with a status below 500 | `info` |
/// | a call has failed with a status from 500 on, or without a response | `error` |
/// | a response cannot be decoded, stored or resumed | `error`, or `info` with a status from 400 to 499 |
/// | a data transfer has failed because its call has failed, as above | `debug` |
/// | a cache cannot be read or written, which is not the failure of a call | `warning` |
///
/// So at `info` and above, a call that fails has one entry, with its last failure and the number of attempts.
///
/// The metadata have the names of OpenTelemetry's semantic conventions. URLs and errors are redacted with `Redaction.default`; header fields and
/// bodies are not logged. With a level of `info` or above, records are only created for failures, so that calls that succeed cost almost nothing.
public struct SwiftLogLogger: NetworkErrorLogger, DataTransferErrorLogger {
    private let logger: Logger

    /// Creates a logger that passes events to another one.
    public init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether the level of the logger is `error` or below.
    public var isEnabled: Bool { logger.logLevel <= .error }

    /// Whether the level of the logger is above `debug`.
    public var logsOnlyFailures: Bool { logger.logLevel > .debug }

    /// Logs an attempt at `trace`.
    public func log(request: LoggedRequest) {
        logger.trace("request is sent", metadata: LogMetadata(request).values)
    }

    /// Logs a response at `debug`.
    public func log(response: LoggedResponse, for request: LoggedRequest?) {
        logger.debug("response was received", metadata: LogMetadata(request).adding(response).values)
    }

    /// Logs a failed attempt at `debug`. A failure of the call itself, such as a status that is not accepted, is logged with its outcome.
    public func log(error: any Error, for request: LoggedRequest?) {
        guard let error = error as? NetworkError else {
            return logger.warning("cache failed", metadata: LogMetadata(request).adding(error).values)
        }
        guard let failure = error.transportError else { return }
        logger.debug(
            failure.isCancelled ? "request was cancelled" : "request failed",
            metadata: LogMetadata(request).adding(failure).values)
    }

    /// Logs the end of a call, at the level of the table above.
    public func log(outcome: LoggedOutcome, for request: LoggedRequest?) {
        guard let error = outcome.error else {
            return logger.debug("call succeeded", metadata: LogMetadata(request).adding(outcome).values)
        }
        if (error as? NetworkError)?.isCancelled ?? false {
            return logger.debug("call was cancelled", metadata: LogMetadata(request).adding(outcome).values)
        }
        let level: Logger.Level = outcome.statusCode.map { $0 < 500 } ?? false ? .info : .error
        logger.log(level: level, "call failed", metadata: LogMetadata(request).adding(outcome).adding(error).values)
    }

    /// Logs a failure that the network logger does not receive at `error`, or `info` if the server refused the request; any other at `debug`.
    public func log(error: any Error) {
        let failure = error as? DataTransferError
        let status = if case .operation(let cause)? = failure { cause.statusCode ?? 500 } else { 500 }
        let level: Logger.Level = failure?.networkError != nil ? .debug : 400..<500 ~= status ? .info : .error
        logger.log(level: level, "data transfer failed", metadata: LogMetadata().adding(error).values)
    }
}

extension SwiftLogLogger: RedactedStringConvertible {}

extension NetworkErrorLogger where Self == SwiftLogLogger {
    /// Passes requests, responses and failures to a logger of swift-log.
    public static func swiftLog(_ logger: Logger) -> SwiftLogLogger { SwiftLogLogger(logger) }
}

extension DataTransferErrorLogger where Self == SwiftLogLogger {
    /// Passes failures to a logger of swift-log.
    public static func swiftLog(_ logger: Logger) -> SwiftLogLogger { SwiftLogLogger(logger) }
}
