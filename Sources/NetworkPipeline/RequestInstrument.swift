import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// Follows calls and their attempts, for a system of metrics or traces, and can change each attempt before it is sent.
///
/// ``RequestPipeline/instruments`` has the places from which it is called. The package in `Integrations/ServerKit` has instruments for swift-metrics and
/// swift-distributed-tracing.
///
/// It is called synchronously on the task that sends the request, which waits for it, so its methods should return quickly. The
/// `ObservationInterceptor` of NetworkObservation reports more events to one observer, which cannot change the request.
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
struct CallInstruments: NetworkInterceptor {
    let instruments: [any RequestInstrument]

    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        var calls: [any InstrumentedCall] = []
        for instrument in instruments {
            if let call = instrument.beginCall(request) { calls.append(call) }
        }
        if calls.isEmpty { return try await next(request) }
        let record = InstrumentRecord(calls)
        request.addCallObserver(record)
        request.context[InstrumentRecordKey.self] = record
        do throws(TransportError) {
            var response = try await next(request)
            response.observeEnd { [status = response.statusCode] in record.end(status, $0) }
            return response
        } catch {
            record.end(nil, error)
            throw error
        }
    }
}

/// Begins an attempt of instruments, and ends it.
struct AttemptInstruments: NetworkInterceptor {
    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard let record = request.context[InstrumentRecordKey.self] else { return try await next(request) }
        let attempts = record.beginAttempt(&request)
        if attempts.isEmpty { return try await next(request) }
        do throws(TransportError) {
            var response = try await next(request)
            if response.isBodyInMemory {
                for attempt in attempts { attempt.end(response, nil) }
            } else {
                response.observeEnd { [response] error in
                    for attempt in attempts { attempt.end(response, error) }
                }
            }
            return response
        } catch {
            for attempt in attempts { attempt.end(nil, error) }
            throw error
        }
    }
}

/// One call as its instruments follow it. It observes the call to find out where the response came from.
final class InstrumentRecord: CallObserver {
    private let calls: [any InstrumentedCall]
    private let tally = Locked(CallTally())

    init(_ calls: [any InstrumentedCall]) {
        self.calls = calls
    }

    /// Begins an attempt of each instrument that follows it.
    func beginAttempt(_ request: inout NetworkRequest) -> [any InstrumentedAttempt] {
        let number = tally.withLock { tally in
            tally.beginAttempt()
            return tally.attempts
        }
        var attempts: [any InstrumentedAttempt] = []
        for call in calls {
            if let attempt = call.beginAttempt(&request, number: number) { attempts.append(attempt) }
        }
        return attempts
    }

    func receive(_ event: CallEvent) {
        tally.withLock { $0.noteSource(event) }
    }

    /// Ends the call.
    func end(_ status: Int?, _ error: TransportError?) {
        let outcome = tally.withLock(\.self).outcome(status, error)
        for call in calls { call.end(outcome) }
    }
}

private enum InstrumentRecordKey: ContextKey { typealias Value = InstrumentRecord }
