import NetworkTransport
import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// Reports requests to a logger. Without a logger, or while it is disabled, no log entries are built.
struct RequestLog: Sendable {
    let logger: (any NetworkErrorLogger)?

    private static let lastIdentifier = Locked<UInt64>(0)

    /// Returns this log, or one without a logger if the request is not to be logged.
    func enabled(for context: ContextValues) -> RequestLog {
        context.isLogged ? self : RequestLog(logger: nil)
    }

    /// Begins the log of a call.
    ///
    /// - Returns: The log; `nil` if there is no enabled logger.
    func begin(_ request: NetworkRequest) -> CallLog? {
        guard let logger, logger.isEnabled else { return nil }
        let identifier = Self.lastIdentifier.withLock { last in
            last += 1
            return last
        }
        return CallLog(request, identifier: identifier, logger: logger)
    }

    /// Logs that no request could be built.
    func reject(_ error: NetworkError) {
        guard let logger, logger.isEnabled else { return }
        logger.log(error: error, for: nil)
        logger.log(outcome: LoggedOutcome(error: error, source: .none, attempts: 0), for: nil)
    }
}

extension HeaderFields {
    fileprivate var logged: [LoggedField] { fields.map { LoggedField(name: $0.name, value: $0.value) } }
}

extension NetworkRequest {
    /// The description of this request for a logger or ``NetworkLogging/CurlCommand``. The values of secret header fields are redacted when they are
    /// read, and ``NetworkLogging/CurlCommand`` shows them only with `redaction: nil`.
    public var logged: LoggedRequest {
        LoggedRequest(
            method: method.rawValue, url: url, headers: headers.logged, body: body?.logged, endpointName: endpointName)
    }
}

extension NetworkBody {
    fileprivate var logged: LoggedBody {
        switch source {
        case .data(let text): .data(text.data)
        case .file(let url): .file(url, bytes: nil)
        case .stream, .sequence, .received: .stream(bytes: knownLength)
        }
    }
}

extension NetworkResponse {
    var logged: LoggedResponse {
        let measured = [
            ("queued", timings.queued), ("dns", timings.nameLookup), ("connect", timings.connect), ("tls", timings.tls),
            ("send", timings.send), ("first byte", timings.wait),
        ]
        return LoggedResponse(
            statusCode: statusCode, url: url, headers: headers.logged, body: body.data, duration: timings.total,
            protocolName: timings.protocolName, isReusedConnection: timings.isReusedConnection,
            bytesSent: timings.bytesSent, bytesReceived: body.data == nil ? nil : timings.bytesReceived, attempt: timings.attempt,
            phases: measured.compactMap { name, duration in duration.map { LoggedPhase(name: name, duration: $0) } })
    }
}

/// Reports one call to a logger: each attempt when it is sent, after all interceptors, and the outcome of the call.
final class CallLog: CallObserver {
    private struct State {
        var tally = CallTally()
        /// The request of the last attempt.
        var sent: LoggedRequest?
        /// The same, if its record is only needed for a failure.
        var sentRequest: NetworkRequest?
        /// The failure of the last attempt, which is not logged again as the failure of the call.
        var failure: TransportError?
        var isOver = false
    }

    private let logger: any NetworkErrorLogger
    private let identifier: UInt64
    /// Whether records are only created for failures.
    private let logsOnlyFailures: Bool
    /// The request as the service built it.
    private let request: NetworkRequest
    private let state = Locked(State())

    init(_ request: NetworkRequest, identifier: UInt64, logger: any NetworkErrorLogger) {
        self.logger = logger
        self.identifier = identifier
        self.request = request
        logsOnlyFailures = logger.logsOnlyFailures
    }

    private func record(of request: NetworkRequest, attempt: Int = 1) -> LoggedRequest {
        var record = request.logged
        record.identifier = identifier
        record.attempt = attempt
        return record
    }

    // MARK: Attempts

    func receive(_ event: CallEvent) {
        switch event {
        case .sent(let request, _): begin(request.observed(by: nil))
        case .attempted(.success(let response)): received(response)
        case .attempted(.failure(let error)): failed(error)
        case .shared, .stored: state.withLock { $0.tally.noteSource(event) }
        case .redirected, .informed, .retried, .ignored, .noted: break
        }
    }

    private func begin(_ request: NetworkRequest) {
        let attempt = state.withLock { state in
            state.tally.beginAttempt()
            state.failure = nil
            if logsOnlyFailures { state.sentRequest = request }
            return state.tally.attempts
        }
        if logsOnlyFailures { return }
        let record = record(of: request, attempt: attempt)
        state.withLock { $0.sent = record }
        if logger.isEnabled { logger.log(request: record) }
    }

    private func received(_ response: NetworkResponse) {
        guard !logsOnlyFailures, logger.isEnabled else { return }
        var record = response.logged
        // Interceptors number the response later.
        record.attempt = state.withLock(\.tally.attempts)
        logger.log(response: record, for: lastSent)
    }

    private func failed(_ error: TransportError) {
        var error = error
        error.attempts = state.withLock { [error] state in
            state.failure = error
            return state.tally.attempts
        }
        if logger.isEnabled { logger.log(error: NetworkError(error), for: lastSent) }
    }

    private var lastSent: LoggedRequest {
        let (sent, request, attempt) = state.withLock { ($0.sent, $0.sentRequest, $0.tally.attempts) }
        return sent ?? request.map { record(of: $0, attempt: attempt) } ?? call
    }

    private var call: LoggedRequest { record(of: request) }

    // MARK: The call

    /// Logs that the call has succeeded.
    func end(_ response: NetworkResponse) {
        end(statusCode: response.statusCode, error: nil)
    }

    /// Logs the end of a call with a streamed response.
    func end(_ response: NetworkResponse, _ error: TransportError?) {
        if let error { end(NetworkError(error)) } else { end(response) }
    }

    /// Logs that the call has failed. An error that was logged as the failure of the last attempt is not repeated.
    func end(_ error: NetworkError) {
        let isLogged = state.withLock { state in
            guard let failure = state.failure, let error = error.transportError else { return state.isOver }
            return state.isOver || failure.hasSameReason(as: error)
        }
        if !isLogged, logger.isEnabled { logger.log(error: error, for: lastSent) }
        end(statusCode: error.statusCode, error: error)
    }

    private func end(statusCode: Int?, error: NetworkError?) {
        let (state, isFirst) = state.withLock { state in
            defer { state.isOver = true }
            return (state, !state.isOver)
        }
        guard isFirst, logger.isEnabled, error != nil || !logsOnlyFailures else { return }
        logger.log(outcome: state.tally.outcome(statusCode, error), for: call)
    }
}
