import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that reports events of each call to an observer, for metrics, logs and the ``Waterfall``.
///
/// Place it first in the list, so that it observes all other interceptors. It can be shared by several services; its copies
/// share the numbering of calls and the clock.
public struct ObservationInterceptor: NetworkInterceptor {
    private let calls: ObservedCalls

    /// Creates an interceptor that reports to an observer.
    package init(_ observer: any ExchangeObserver, clock: any Clock<Duration> = ContinuousClock()) {
        calls = ObservedCalls(observer, TimeSource(clock))
    }

    /// Sends the request and reports its events to the observer.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        let record = ExchangeRecord(request, of: calls)
        request.addCallObserver(record)
        // Only a download checks digests.
        let checked: String? = if case .download = request.context.transferStep { request.origin } else { nil }
        do throws(TransportError) {
            var response = try await next(request)
            let status = ExchangeEvent.Outcome.status(response.statusCode)
            guard let checked else {
                if response.isBodyInMemory {
                    record.end(status)
                    return response
                }
                response.observeEnd { error in record.end(error.map { .failure($0.code) } ?? status) }
                return response
            }
            noteDigests(in: response.headers, of: checked, record)
            response.observeEnd { [response] error in
                noteDigests(in: response.trailers, of: checked, record)
                record.end(error.map { .failure($0.code) } ?? status)
            }
            return response
        } catch {
            record.end(.failure(error.code))
            throw error
        }
    }

    /// Reports fields with digests that are malformed (RFC 9530 §2, §3), so that the body is not checked with them.
    private func noteDigests(in fields: HeaderFields, of origin: String, _ record: ExchangeRecord) {
        for name in DigestField.names where fields[name].map({ DigestField($0).isMalformed }) == true {
            record.receive(.ignored(field: name, origin: origin))
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

/// An observer of the events of calls. Pass it to `.observation(_:)`, which also accepts a closure.
public protocol ExchangeObserver: Sendable {
    /// Called for each event, in order for each call, on the thread on which the event occurs. It should return quickly.
    func exchangeDidProgress(_ event: ExchangeEvent)
}

struct ClosureObserver: ExchangeObserver {
    let onEvent: @Sendable (ExchangeEvent) -> Void

    func exchangeDidProgress(_ event: ExchangeEvent) { onEvent(event) }
}

extension ObservationInterceptor: RedactedStringConvertible {}
