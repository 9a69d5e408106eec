import Endpoints
import Foundation
import NetworkLogging

/// Tells a logger what happens to a request. Without one, or while it is disabled, nothing is built for it.
struct RequestJournal: Sendable {
    let logger: (any NetworkErrorLogger)?

    private static let lastIdentifier = Locked<UInt64>(0)

    /// One that tells nobody, for a request that is not to be logged.
    func hearing(of context: RequestContext) -> RequestJournal {
        context.isLogged ? self : RequestJournal(logger: nil)
    }

    /// - Returns: What hears of the call; `nil` when nobody listens.
    func open(_ request: NetworkRequest) -> CallJournal? {
        guard let logger, logger.isEnabled else { return nil }
        let identifier = Self.lastIdentifier.withLock { last in
            last += 1
            return last
        }
        return CallJournal(request, identifier: identifier, logger: logger)
    }

    /// No request could be built.
    func refuse(_ error: NetworkError) {
        guard let logger, logger.isEnabled else { return }
        logger.log(error: error, for: nil)
        logger.log(outcome: LoggedOutcome(error: error, source: .none, attempts: 0), for: nil)
    }
}

extension HTTPHeaders {
    /// Without secrets: a logger of the program's own may write them anywhere.
    fileprivate var logged: [LoggedField] {
        fields.map { LoggedField(name: $0.name, value: Redaction.default.redacted(headerValue: $0.value, for: $0.name)) }
    }
}

extension NetworkRequest {
    /// What a logger, or ``NetworkLogging/CurlCommand``, is told of this request. The values of header fields that are secret are replaced.
    public var logged: LoggedRequest {
        LoggedRequest(
            method: method.rawValue, url: url, headers: headers.logged, body: body?.logged)
    }
}

extension RequestContent {
    fileprivate var logged: LoggedBody {
        switch source {
        case .data(let data): .data(data)
        case .file(let url): .file(url, bytes: nil)
        case .stream, .sequence: .stream(bytes: knownLength)
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
            statusCode: statusCode, url: url, headers: headers.logged, body: stream == nil ? body : nil, duration: timings.total,
            protocolName: timings.protocolName, isReusedConnection: timings.isReusedConnection,
            bytesSent: timings.bytesSent, bytesReceived: stream == nil ? timings.bytesReceived : nil, attempt: timings.attempt,
            phases: measured.compactMap { name, duration in duration.map { LoggedPhase(name: name, duration: $0) } })
    }
}

/// Tells a logger of one call: each attempt as it is sent behind all interceptors, and at last how the call ended.
final class CallJournal: AttemptObserver {
    private struct State {
        var attempts = 0
        /// The last attempt.
        var sent: LoggedRequest?
        var isShared = false
        var isStored = false
        /// How the last attempt failed, which need not be told twice.
        var failure: TransportError?
        var isOver = false
    }

    private let logger: any NetworkErrorLogger
    /// As the service built it.
    private let call: LoggedRequest
    private let began = monotonicNanoseconds()
    private let state = Locked(State())

    init(_ request: NetworkRequest, identifier: UInt64, logger: any NetworkErrorLogger) {
        self.logger = logger
        var call = request.logged
        call.identifier = identifier
        self.call = call
    }

    // MARK: Attempts

    func attemptWillBegin(_ request: NetworkRequest) {
        var record = request.logged
        record.identifier = call.identifier
        record.attempt = state.withLock { state in
            state.attempts += 1
            state.failure = nil
            state.isStored = false
            return state.attempts
        }
        state.withLock { $0.sent = record }
        if logger.isEnabled { logger.log(request: record) }
    }

    func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>) {
        switch result {
        case .success(let response):
            if logger.isEnabled { logger.log(response: response.logged, for: lastSent) }
        case .failure(let error):
            state.withLock { $0.failure = error }
            if logger.isEnabled { logger.log(error: NetworkError(error), for: lastSent) }
        }
    }

    func attemptWasShared(_ request: NetworkRequest) {
        state.withLock { $0.isShared = true }
    }

    func answerIsStored() {
        state.withLock { $0.isStored = true }
    }

    private var lastSent: LoggedRequest { state.withLock { $0.sent } ?? call }

    // MARK: The call

    /// The call has succeeded.
    func end(_ response: NetworkResponse) {
        end(statusCode: response.statusCode, error: nil)
    }

    /// The call has failed. An error that an attempt has ended with was told then.
    func end(_ error: NetworkError) {
        let isTold = state.withLock { state in
            guard let failure = state.failure, let error = error.transportError else { return state.isOver }
            return state.isOver || failure.code == error.code && failure.message == error.message
        }
        if !isTold, logger.isEnabled { logger.log(error: error, for: lastSent) }
        end(statusCode: error.statusCode, error: error)
    }

    private func end(statusCode: Int?, error: NetworkError?) {
        let (state, isFirst) = state.withLock { state in
            defer { state.isOver = true }
            return (state, !state.isOver)
        }
        guard isFirst, logger.isEnabled else { return }
        let source: LoggedOutcome.Source =
            state.isStored ? .cache : state.isShared ? .sharedAttempt : state.attempts > 0 ? .attempt : .interceptor
        let now = monotonicNanoseconds()
        logger.log(
            outcome: LoggedOutcome(
                statusCode: statusCode, error: error, source: source, attempts: state.attempts,
                duration: .nanoseconds(now - min(began, now))),
            for: call)
    }
}
