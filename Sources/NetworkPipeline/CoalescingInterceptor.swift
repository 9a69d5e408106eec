import Endpoints
import Foundation
import NetworkCore

/// An interceptor that sends identical concurrent GET requests as one exchange.
///
/// Requests are identical if they have the same URL, the same header fields, including `Authorization` and `Accept`, and the
/// same trust policy. Thus a request never shares a response that another credential received. Fields that only identify a
/// request (`traceparent`, `tracestate`, `X-Request-ID`) are not compared. The exchange runs in a separate task and is
/// cancelled when the last waiting request has been cancelled. It has the time limits of the first request; if they expire,
/// waiting requests with time left are sent separately. Streams are not shared.
public final class CoalescingInterceptor: NetworkInterceptor {
    private struct Key: Hashable {
        var url: URL
        var fields: [String: [String]]
        /// Fields that are otherwise not compared may be marked as credentials.
        var credentials: RequestCredentials
        /// A request must not share a response that was received under a weaker trust policy than its own.
        var trust: TrustPolicy?
    }

    private struct Flight {
        var number: Int
        /// The request that is sent for all waiting ones.
        let sent = SentRequest()
        var waiters: [ObjectIdentifier: Waiter<NetworkResponse>] = [:]
        var task: Task<Void, Never>?
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastNumber = 0
        var shared = 0
    }

    private static let ignoredFields: Set<String> = ["traceparent", "tracestate", "x-request-id"]

    private let state = Locked(State())
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates an interceptor without running exchanges.
    ///
    /// - Parameter clock: The clock that measures the deadlines of waiting requests.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        sleep = { try await clock.sleep(bounded: $0) }
    }

    /// The number of requests that have shared the exchange of another request.
    package var sharedCount: Int { state.withLock(\.shared) }

    /// Joins a running identical exchange, or starts one.
    ///
    /// - Throws: What the shared exchange throws; ``NetworkCore/TransportError/Code/cancelled`` or
    ///   ``NetworkCore/TransportError/Code/timedOut`` for this request alone.
    public func intercept(_ request: NetworkRequest, next: @escaping NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        guard request.method == .get, request.body == nil else { return try await next(request) }
        let key = Key(
            url: request.url, fields: Self.compared(request), credentials: request.credentials, trust: request.statedTrust)
        let waiter = Waiter<NetworkResponse>()
        let (number, sent, isFirst) = state.withLock { state in
            if let flight = state.flights[key] {
                state.shared += 1
                state.flights[key]?.waiters[ObjectIdentifier(waiter)] = waiter
                return (flight.number, flight.sent, false)
            }
            state.lastNumber += 1
            let flight = Flight(number: state.lastNumber, waiters: [ObjectIdentifier(waiter): waiter])
            state.flights[key] = flight
            return (flight.number, flight.sent, true)
        }
        if isFirst {
            var request = request
            request.addAttemptObserver(sent)
            start(key, number, request, next)
        }
        do throws(TransportError) {
            let response = try await waiter.value("a shared exchange", for: request, sleep: sleep)
            if !isFirst, let sent = sent.request { request.attemptObserver?.attemptWasShared(sent) }
            // A stream can be read only once.
            return response.stream == nil || isFirst ? response : try await next(request)
        } catch {
            leave(key, number, waiter)
            // The time limit of the first request has expired, not the one of this request.
            guard !isFirst, error.isTimeout, !Task.isCancelled, !(request.deadline?.hasPassed ?? false) else { throw error }
            return try await next(request)
        }
    }

    private func start(_ key: Key, _ number: Int, _ request: NetworkRequest, _ next: @escaping NetworkExchange) {
        let task = Task {
            let result: Result<NetworkResponse, TransportError>
            do throws(TransportError) {
                result = .success(try await next(request))
            } catch {
                result = .failure(error)
            }
            let flight = state.withLock { state in
                state.flights[key]?.number == number ? state.flights.removeValue(forKey: key) : nil
            }
            for waiter in (flight?.waiters ?? [:]).values { waiter.resolve(result) }
        }
        let isOver = state.withLock { state in
            guard state.flights[key]?.number == number else { return true }
            state.flights[key]?.task = task
            return false
        }
        // Either the exchange has ended already, or all waiting requests were cancelled.
        if isOver { task.cancel() }
    }

    private func leave(_ key: Key, _ number: Int, _ waiter: Waiter<NetworkResponse>) {
        let task: Task<Void, Never>? = state.withLock { state in
            guard state.flights[key]?.number == number else { return nil }
            state.flights[key]?.waiters[ObjectIdentifier(waiter)] = nil
            guard state.flights[key]?.waiters.isEmpty == true else { return nil }
            return state.flights.removeValue(forKey: key)?.task
        }
        task?.cancel()
    }

    private static func compared(_ request: NetworkRequest) -> [String: [String]] {
        Dictionary(grouping: request.headers) { $0.name.lowercased() }.filter {
            !ignoredFields.contains($0.key) || request.credentials.contains(header: $0.key)
        }.mapValues { $0.map(\.value) }
    }
}

extension NetworkInterceptor where Self == CoalescingInterceptor {
    /// Sends identical concurrent GET requests as one exchange.
    ///
    /// Create one interceptor and use it in all services that share responses.
    public static func coalescing() -> CoalescingInterceptor { CoalescingInterceptor() }
}
