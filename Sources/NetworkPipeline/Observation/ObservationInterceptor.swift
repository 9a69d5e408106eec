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
        record.tell(.queued)
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
