import Endpoints
import Foundation
import NetworkCore

/// Has identical GETs that are under way at the same time share one exchange.
///
/// Identical are those with the same URL, the same header fields, `Authorization` and `Accept` among them, and the same stated trust: who may see
/// another answer never shares one. Fields that only tell requests apart (`traceparent`, `tracestate`, `X-Request-ID`) are not compared. The exchange runs in a task of
/// its own and is called off when the last who waits for it has been; the limits of time of the first hold for it, and who has more time left
/// when they run out goes alone. Streams are not shared.
public final class CoalescingInterceptor: NetworkInterceptor {
    private struct Key: Hashable {
        var url: URL
        var fields: [String: [String]]
        /// A field that is not compared else may hold a credential.
        var credentials: RequestCredentials
        /// A request may not be given an answer that came under less trust than its API states.
        var trust: TrustPolicy?
    }

    private struct Flight {
        var number: Int
        /// What is sent for all of them.
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

    /// - Parameter clock: What deadlines are measured with.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        sleep = { try await clock.sleep(bounded: $0) }
    }

    /// How many requests have joined an exchange that was under way.
    public var sharedCount: Int { state.withLock(\.shared) }

    /// Joins an exchange that is under way, or begins one.
    ///
    /// - Throws: What the shared exchange throws; ``NetworkCore/TransportError/Code/cancelled`` or ``NetworkCore/TransportError/Code/timedOut``
    ///   for this request alone.
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
            // A stream has one reader.
            return response.stream == nil || isFirst ? response : try await next(request)
        } catch {
            leave(key, number, waiter)
            // It ran out for the first, not for this one.
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
        // Either it has come to its end, or all who waited have gone.
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
    /// Has identical GETs that are under way at the same time share one exchange. Make one, and use it for all.
    public static func coalescing() -> CoalescingInterceptor { CoalescingInterceptor() }
}
