import Endpoints
import NetworkCore

/// A call under observation. It turns the reports of interceptors and the session manager into events.
final class ExchangeRecord: AttemptObserver {
    private struct State {
        var attempts = 0
        var began = Duration.zero
        var isOver = false
    }

    private let number: Int
    private let method: HTTPMethod
    private let target: String
    private let observer: any ExchangeObserver
    private let elapsed: @Sendable () -> Duration
    private let state = Locked(State())

    init(_ number: Int, _ request: NetworkRequest, _ observer: any ExchangeObserver, elapsed: @escaping @Sendable () -> Duration)
    {
        self.number = number
        method = request.method
        target = URLText(request.url).originAndPath
        self.observer = observer
        self.elapsed = elapsed
    }

    /// Reports an event, unless the call has ended: a request may outlive the call for which it was started.
    func report(_ kind: ExchangeEvent.Kind, at time: Duration? = nil) {
        if !state.withLock(\.isOver) { send(kind, at: time) }
    }

    private func send(_ kind: ExchangeEvent.Kind, at time: Duration? = nil) {
        observer.exchangeDidProgress(
            ExchangeEvent(exchange: number, method: method, target: target, time: time ?? elapsed(), kind: kind))
    }

    func attemptWillBegin(_ request: NetworkRequest) {
        let now = elapsed()
        let attempt = state.withLock { state in
            state.attempts += 1
            state.began = now
            return state.attempts
        }
        report(.adapted(attempt: attempt, headers: request.headers.harmless), at: now)
    }

    func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>) {
        let (attempt, began) = state.withLock { ($0.attempts, $0.began) }
        let timings: TransferTimings?
        let outcome: ExchangeEvent.Outcome
        switch result {
        case .success(let response): (timings, outcome) = (response.timings, .status(response.statusCode))
        case .failure(let error): (timings, outcome) = (error.timings, .failure(error.code))
        }
        if let timings {
            let ready = [timings.queued, timings.nameLookup, timings.connect, timings.tls].reduce(began) { $0 + ($1 ?? .zero) }
            // With redirects, the phases are those of the last request alone, and its start is not known.
            if timings.redirects > 0 {
                report(.redirected(attempt: attempt, count: timings.redirects))
            } else if let firstByte = timings.firstByte {
                report(.sent(attempt: attempt), at: ready)
                report(.firstByte(attempt: attempt), at: ready + firstByte)
            }
        }
        report(.attempted(attempt: attempt, outcome, timings))
    }

    func end(_ outcome: ExchangeEvent.Outcome) {
        let (isFirst, attempts) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.attempts)
        }
        if isFirst { send(.done(outcome, attempts: attempts)) }
    }
}

extension NetworkRequest {
    /// The record to which interceptors report events; `nil` without an observation interceptor.
    var record: ExchangeRecord? { attemptObserver?.observer(ExchangeRecord.self) }
}

/// Reports malformed fields of responses, each field once per origin.
final class MalformedFields: Sendable {
    /// The maximum number of reports. The number of origins is not bounded otherwise.
    private static let maximum = 1000

    private let reported = Locked<Set<String>>([])

    func note(_ field: String, in request: NetworkRequest) {
        guard let record = request.record else { return }
        let isNew = reported.withLock { reported in
            reported.count < Self.maximum && reported.insert("\(field) \(request.origin)").inserted
        }
        if isNew { record.report(.noted("the response's \(field) is malformed, and was ignored")) }
    }
}
