import Endpoints
import NetworkCore

/// An interceptor that reports events of each call to an observer, for metrics, logs and the ``Waterfall``.
///
/// Place it first in the list, so that it observes all other interceptors. It can be shared by several services; its copies
/// share the numbering of calls and the clock.
public struct ObservationInterceptor: NetworkInterceptor {
    private let observer: any ExchangeObserver
    private let time: TimeSource
    private let lastNumber = Locked(0)

    /// Creates an interceptor that reports to an observer.
    package init(_ observer: any ExchangeObserver, clock: any Clock<Duration> = ContinuousClock()) {
        self.observer = observer
        time = TimeSource(clock)
    }

    /// Sends the request and reports its events to the observer.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let record = ExchangeRecord(number, request, observer, time)
        record.report(.queued)
        var request = request
        request.addAttemptObserver(record)
        do throws(TransportError) {
            var response = try await next(request)
            let status = ExchangeEvent.Outcome.status(response.statusCode)
            response.observeEnd { error in record.end(error.map { .failure($0.code) } ?? status) }
            return response
        } catch {
            record.end(.failure(error.code))
            throw error
        }
    }
}

extension NetworkInterceptor where Self == ObservationInterceptor {
    /// Reports events of each call to an observer.
    ///
    /// - Parameters:
    ///   - observer: The observer that receives the events.
    ///   - clock: The clock for the times of events, which are measured from the creation of the interceptor.
    public static func observation(
        _ observer: any ExchangeObserver, clock: any Clock<Duration> = ContinuousClock()
    ) -> ObservationInterceptor {
        ObservationInterceptor(observer, clock: clock)
    }

    /// Reports events of each call to a closure.
    ///
    /// It is called in order for each call, on the thread on which the event occurs, and should return quickly.
    public static func observation(_ onEvent: @escaping @Sendable (ExchangeEvent) -> Void) -> ObservationInterceptor {
        ObservationInterceptor(ClosureObserver(onEvent: onEvent))
    }
}

/// An event of an observed call. It contains no query, no header field that could be secret, and no body.
public struct ExchangeEvent: Sendable {
    /// The kind of an event, with its details.
    public enum Kind: Sendable {
        /// The call has started, with the request that the service built.
        case queued
        /// The interceptors have processed the request, and an attempt starts. Attempts are counted from 1.
        case adapted(attempt: Int, headers: HeaderFields)
        /// The attempt has got a connection and the request is being sent.
        ///
        /// Reported when the attempt has ended, with the time at which it occurred.
        case sent(attempt: Int)
        /// The first byte of the response has arrived.
        ///
        /// Reported when the attempt has ended, with the time at which it occurred.
        case firstByte(attempt: Int)
        /// The attempt has followed a number of redirects.
        case redirected(attempt: Int, count: Int)
        /// An attempt has ended, with its outcome and timings.
        case attempted(attempt: Int, Outcome, TransferTimings?)
        /// Another attempt follows after a pause.
        case retried(after: Duration, because: String)
        /// A remark of an interceptor, for example about a malformed field that was ignored.
        case noted(String)
        /// The call has ended. A streamed response has been read to its end or released.
        case done(Outcome, attempts: Int)
    }

    /// The outcome of an attempt or a call.
    public enum Outcome: Sendable, Hashable {
        /// A response with this status was received.
        case status(Int)
        /// The attempt or call failed with this error.
        case failure(TransportError.Code)
    }

    /// The number of the call among those of one interceptor, counted from 1.
    public var exchange: Int
    /// The method of the request, such as `GET`.
    public var method: RequestMethod
    /// The origin and path of the URL, without query and user information.
    public var target: String
    /// The time of the event since the creation of the interceptor.
    public var time: Duration
    /// The kind of the event.
    public var kind: Kind
}

/// An observer of the events of calls. Pass it to `.observation(_:)`, which also accepts a closure.
public protocol ExchangeObserver: Sendable {
    /// Called for each event, in order for each call, on the thread on which the event occurs. It should return quickly.
    func exchangeDidProgress(_ event: ExchangeEvent)
}

struct ClosureObserver: ExchangeObserver {
    let onEvent: @Sendable (ExchangeEvent) -> Void

    func exchangeDidProgress(_ event: ExchangeEvent) { onEvent(event) }
}

/// A call under observation. It turns the reports of interceptors and the session manager into events.
final class ExchangeRecord: AttemptObserver {
    private struct State {
        var attempts = 0
        var began = Duration.zero
        var isOver = false
    }

    private let number: Int
    private let method: RequestMethod
    private let target: String
    private let observer: any ExchangeObserver
    private let time: TimeSource
    private let state = Locked(State())

    init(_ number: Int, _ request: NetworkRequest, _ observer: any ExchangeObserver, _ time: TimeSource) {
        self.number = number
        method = request.method
        target = URLText(request.url).originAndPath
        self.observer = observer
        self.time = time
    }

    /// Reports an event, unless the call has ended: a request may outlive the call for which it was started.
    func report(_ kind: ExchangeEvent.Kind, at time: Duration? = nil) {
        if !state.withLock(\.isOver) { send(kind, at: time) }
    }

    private func send(_ kind: ExchangeEvent.Kind, at time: Duration? = nil) {
        observer.exchangeDidProgress(
            ExchangeEvent(exchange: number, method: method, target: target, time: time ?? self.time.elapsed, kind: kind))
    }

    func attemptWillBegin(_ request: NetworkRequest) {
        let now = time.elapsed
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
