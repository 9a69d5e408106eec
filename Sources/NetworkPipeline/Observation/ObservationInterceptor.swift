import Endpoints
import NetworkCore

/// An interceptor that reports events of each call to an observer, for metrics, logs and the ``Waterfall``.
///
/// Place it first in the list, so that it observes all other interceptors. It can be shared by several services; its copies
/// share the numbering of calls and the clock.
public struct ObservationInterceptor: NetworkInterceptor {
    private let observer: any ExchangeObserver
    private let elapsed: @Sendable () -> Duration
    private let lastNumber = Locked(0)

    /// Creates an interceptor that reports to an observer.
    ///
    /// - Parameters:
    ///   - observer: The observer that receives the events.
    ///   - clock: The clock for the times of events, which are measured from the creation of the interceptor.
    public init<Time: Clock<Duration>>(_ observer: any ExchangeObserver, clock: Time = ContinuousClock()) {
        self.observer = observer
        elapsed = stopwatch(clock)
    }

    /// Sends the request and reports its events to the observer.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let record = ExchangeRecord(number, request, observer, elapsed: elapsed)
        record.report(.queued)
        var request = request
        request.addAttemptObserver(record)
        do throws(TransportError) {
            var response = try await next(request)
            let status = ExchangeEvent.Outcome.status(response.statusCode)
            if let stream = response.stream {
                response.stream = stream.observed { error in record.end(error.map { .failure($0.code) } ?? status) }
            } else {
                record.end(status)
            }
            return response
        } catch {
            record.end(.failure(error.code))
            throw error
        }
    }
}

extension NetworkInterceptor where Self == ObservationInterceptor {
    /// Reports events of each call to an observer.
    public static func observation(_ observer: any ExchangeObserver) -> ObservationInterceptor {
        ObservationInterceptor(observer)
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
        case adapted(attempt: Int, headers: HTTPHeaders)
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
    public var method: HTTPMethod
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
