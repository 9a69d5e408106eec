import Endpoints
import NetworkCore

/// Tells an observer what happens to each call: for metrics, logs, and the ``Waterfall``.
///
/// Stands first in the list, so that it hears of everything behind it. Several services may share one: its copies count and measure together.
public struct ObservationInterceptor: NetworkInterceptor {
    private let observer: any ExchangeObserver
    private let elapsed: @Sendable () -> Duration
    private let lastNumber = Locked(0)

    /// - Parameters:
    ///   - observer: Who hears.
    ///   - clock: What times are measured with, from now on.
    public init<Time: Clock<Duration>>(_ observer: any ExchangeObserver, clock: Time = ContinuousClock()) {
        self.observer = observer
        elapsed = stopwatch(clock)
    }

    /// Lets the request pass, and tells of it.
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
    /// Tells an observer what happens to each call.
    public static func observation(_ observer: any ExchangeObserver) -> ObservationInterceptor {
        ObservationInterceptor(observer)
    }

    /// Tells a closure what happens to each call, in order for each, on the thread on which it happens: it has to return soon.
    public static func observation(_ onEvent: @escaping @Sendable (ExchangeEvent) -> Void) -> ObservationInterceptor {
        ObservationInterceptor(ClosureObserver(onEvent: onEvent))
    }
}

/// Something that happened to a call on its way. Holds no query, no header that could be secret and no body.
public struct ExchangeEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// The call came, as the service built it.
        case queued
        /// The interceptors have made this of it, and it is sent: attempt 1, 2 and so on.
        case adapted(attempt: Int, headers: HTTPHeaders)
        /// It got a connection, and left. Told when the attempt is over, with the time at which it was.
        case sent(attempt: Int)
        /// The first byte of the response came. Told when the attempt is over, with the time at which it was.
        case firstByte(attempt: Int)
        /// So many redirects were followed in an attempt.
        case redirected(attempt: Int, count: Int)
        /// An attempt came to its end.
        case attempted(attempt: Int, Outcome, TransferTimings?)
        /// Another attempt follows, after a pause.
        case retried(after: Duration, because: String)
        /// An interceptor says something worth knowing: a field of the response was malformed and ignored, for example.
        case noted(String)
        /// The call is answered; a stream has been read, or let go of.
        case done(Outcome, attempts: Int)
    }

    /// How an attempt or a call ended.
    public enum Outcome: Sendable, Hashable {
        /// With a response of this status.
        case status(Int)
        /// With this failure.
        case failure(TransportError.Code)
    }

    /// Tells calls of one interceptor apart: 1, 2 and so on.
    public var exchange: Int
    /// `GET`
    public var method: HTTPMethod
    /// Origin and path, without query and user information.
    public var target: String
    /// When it happened, since the interceptor was made.
    public var time: Duration
    /// What happened.
    public var kind: Kind
}

/// Hears what happens to calls. `.observation(…)` takes one, or a closure.
public protocol ExchangeObserver: Sendable {
    /// Called in order for one exchange, on the thread on which it happened: it has to return soon.
    func exchangeDidProgress(_ event: ExchangeEvent)
}

struct ClosureObserver: ExchangeObserver {
    let onEvent: @Sendable (ExchangeEvent) -> Void

    func exchangeDidProgress(_ event: ExchangeEvent) { onEvent(event) }
}
