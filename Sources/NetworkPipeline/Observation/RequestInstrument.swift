import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// Follows calls and their attempts, for a system of metrics or traces, and can change each attempt before it is sent.
///
/// ``RequestPipeline/instruments`` has the places from which it is called. The package in `Integrations/ServerKit` has instruments for swift-metrics and
/// swift-distributed-tracing.
///
/// It is called synchronously on the task that sends the request, which waits for it, so its methods should return quickly. An
/// ``ObservationInterceptor`` reports more events to one observer, which cannot change the request.
public protocol RequestInstrument: Sendable {
    /// Begins a call, before it has passed the other interceptors. Called once per call, on the caller's task; for the completion form, on a task
    /// of the service.
    ///
    /// - Parameter request: The request that the service built.
    /// - Returns: An object that follows the call; `nil` if this instrument does not.
    func beginCall(_ request: NetworkRequest) -> (any InstrumentedCall)?
}

/// Follows one call for a ``RequestInstrument``.
public protocol InstrumentedCall: AnyObject, Sendable {
    /// Begins an attempt, after the interceptors that delay or reject requests, and before credentials are proved with signatures.
    ///
    /// Not called for a response from a cache, or for a call that shares the exchange of another one. If requests are hedged, two attempts may
    /// be under way at the same time.
    ///
    /// - Parameters:
    ///   - request: The request that is sent. Header fields that are added to it are sent.
    ///   - number: The number of the attempt in its call, counted from 1.
    /// - Returns: An object that follows the attempt; `nil` if this instrument does not.
    func beginAttempt(_ request: inout NetworkRequest, number: Int) -> (any InstrumentedAttempt)?

    /// Ends the call. Called once: for a stream, when its body was read to its end or released, on the thread that does so.
    func end(_ outcome: LoggedOutcome)
}

/// Follows one attempt of a call for a ``RequestInstrument``.
public protocol InstrumentedAttempt: AnyObject, Sendable {
    /// Ends the attempt. Called once: for a stream, when its body was read to its end or released, on the thread that does so.
    ///
    /// - Parameters:
    ///   - response: The response with its timings; `nil` if the attempt failed before there was one.
    ///   - error: The error with which the attempt or its body failed; `nil` if the response is complete.
    func end(_ response: NetworkResponse?, _ error: TransportError?)
}

/// Begins a call of instruments, and ends it.
struct CallInstruments: PhasedInterceptor {
    let instruments: [any RequestInstrument]

    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await inPhases(request, next: next)
    }

    func prepare(_ request: inout NetworkRequest) -> InterceptorState? {
        var first: (any InstrumentedCall)?
        var others: [any InstrumentedCall] = []
        for instrument in instruments {
            guard let call = instrument.beginCall(request) else { continue }
            if first == nil { first = call } else { others.append(call) }
        }
        guard let first else { return .unconcerned }
        let record = InstrumentRecord(first, others)
        request.addAttemptObserver(record)
        return .object(record)
    }

    func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        if case .object(let object) = state, let record = object as? InstrumentRecord {
            let status = response.statusCode
            response.observeEnd { record.end(status, $0) }
        }
        return true
    }

    func fail(_ error: inout TransportError, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        if case .object(let object) = state, let record = object as? InstrumentRecord { record.end(nil, error) }
        return true
    }
}

/// Begins an attempt of instruments, and ends it.
struct AttemptInstruments: PhasedInterceptor {
    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await inPhases(request, next: next)
    }

    func prepare(_ request: inout NetworkRequest) -> InterceptorState? {
        guard let record = request.attemptObserver?.observer(InstrumentRecord.self) else { return .unconcerned }
        return record.beginAttempt(&request).map(InterceptorState.object) ?? .unconcerned
    }

    func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        guard case .object(let object) = state, let attempts = object as? InstrumentRecord.Attempts else { return true }
        if response.body.isInMemory {
            attempts.end(response, nil)
        } else {
            response.observeEnd { [response] in attempts.end(response, $0) }
        }
        return true
    }

    func fail(_ error: inout TransportError, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        if case .object(let object) = state, let attempts = object as? InstrumentRecord.Attempts { attempts.end(nil, error) }
        return true
    }
}

/// One call as its instruments follow it. It observes the attempts to find out where the response came from.
final class InstrumentRecord: AttemptObserver {
    private struct State {
        var attempts = 0
        var isShared = false
        var isStored = false
    }

    /// An attempt as each of the instruments follows it.
    final class Attempts: Sendable {
        // Most often there is one, which needs no array.
        private let first: any InstrumentedAttempt
        private let others: [any InstrumentedAttempt]

        init(_ first: any InstrumentedAttempt, _ others: [any InstrumentedAttempt]) {
            self.first = first
            self.others = others
        }

        func end(_ response: NetworkResponse?, _ error: TransportError?) {
            first.end(response, error)
            for attempt in others { attempt.end(response, error) }
        }
    }

    private let first: any InstrumentedCall
    private let others: [any InstrumentedCall]
    private let began = monotonicNanoseconds()
    private let state = Locked(State())

    init(_ first: any InstrumentedCall, _ others: [any InstrumentedCall]) {
        self.first = first
        self.others = others
    }

    /// Begins an attempt.
    ///
    /// - Returns: The attempt; `nil` if no instrument follows it.
    func beginAttempt(_ request: inout NetworkRequest) -> Attempts? {
        let number = state.withLock { state in
            state.attempts += 1
            state.isStored = false
            return state.attempts
        }
        var one = first.beginAttempt(&request, number: number)
        var others: [any InstrumentedAttempt] = []
        for call in self.others {
            guard let attempt = call.beginAttempt(&request, number: number) else { continue }
            if one == nil { one = attempt } else { others.append(attempt) }
        }
        return one.map { Attempts($0, others) }
    }

    func attemptWillBegin(_ request: NetworkRequest) {}
    func attemptDidEnd(_ response: NetworkResponse) {}
    func attemptDidFail(_ error: TransportError) {}

    func attemptWasShared(_ request: NetworkRequest) {
        state.withLock { $0.isShared = true }
    }

    func responseIsStored() {
        state.withLock { $0.isStored = true }
    }

    /// Ends the call.
    func end(_ status: Int?, _ error: TransportError?) {
        let state = state.withLock { $0 }
        let source: LoggedOutcome.Source =
            state.isStored ? .cache : state.isShared ? .sharedAttempt : state.attempts > 0 ? .attempt : .interceptor
        let now = monotonicNanoseconds()
        let outcome = LoggedOutcome(
            statusCode: status, error: error, source: source, attempts: state.attempts,
            duration: .nanoseconds(now - min(began, now)))
        first.end(outcome)
        for call in others { call.end(outcome) }
    }
}
