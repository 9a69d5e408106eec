import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that counts calls in flight, and reports when the first one starts and the last one ends, for an activity
/// indicator.
///
/// ```swift
/// let activity = NetworkActivity { isActive in indicator.show(isActive) }
/// let service = DefaultDataTransferService(
///     configuration: api, interceptors: [activity])
/// for await isActive in activity.changes { … }        // or as an async sequence
/// ```
///
/// Every call is counted, including those that fail or are cancelled. The place in the list of interceptors decides what is
/// counted: before the retry interceptor, a call with all its attempts and pauses; after it, each attempt. One
/// activity can be used by any number of services. It is thread-safe.
public final class NetworkActivity: NetworkInterceptor {
    private struct State {
        var count = 0
        /// The value that was reported last.
        var shown = false
        var isNotifying = false
        var streams: [WeakStream] = []
    }

    private struct WeakStream {
        weak var stream: ActivityStream?
    }

    private let state = Locked(State())
    private let onChange: @Sendable (Bool) -> Void

    /// Creates an activity without calls.
    ///
    /// - Parameter onChange: Called with `true` when the count leaves zero and with `false` when it returns to zero. It runs
    ///   on the thread that starts or ends a call, which waits for it, so it should return quickly. Calls never
    ///   overlap, are in order, and alternate, starting with `true`; no lock is held. A change that is reversed while a call
    ///   is still running is not reported; the last call always reports the current state. Does nothing by default.
    public init(onChange: @escaping @Sendable (Bool) -> Void = { _ in }) {
        self.onChange = onChange
    }

    deinit {
        for stream in state.withLock(\.streams) { stream.stream?.finish() }
    }

    /// The number of calls in flight; of attempts, if the interceptor comes after the retries.
    public var count: Int { state.withLock(\.count) }

    /// Whether at least one call is in flight.
    public var isActive: Bool { count > 0 }

    /// The current state, followed by each change. Two successive values are never equal.
    ///
    /// Each access creates a separate stream. A slow reader skips changes that were reversed in the meantime, and needs no
    /// additional memory for them. The stream ends when its task is cancelled or this activity is released.
    public var changes: AsyncStream<Bool> {
        let stream = state.withLock { state in
            state.streams.removeAll { $0.stream == nil }
            let stream = ActivityStream(state.shown)
            state.streams.append(WeakStream(stream: stream))
            return stream
        }
        return AsyncStream { await stream.next() }
    }

    /// Counts the exchange until `next` has returned or, if the response is a stream, until its body has ended.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        begin()
        do throws(TransportError) {
            var response = try await next(request)
            response.observeEnd { _ in self.end() }
            return response
        } catch {
            end()
            throw error
        }
    }

    /// Counts an exchange that starts. ``end()`` has to be called once for it.
    package func begin() {
        state.withLock { $0.count += 1 }
        notify()
    }

    /// Counts an exchange that has ended, whatever its outcome. Does nothing if none is in flight.
    package func end() {
        state.withLock { $0.count = max(0, $0.count - 1) }
        notify()
    }

    /// Reports changes. Only one thread does so at a time; changes of other threads are reported by that thread.
    private func notify() {
        var isOurs = false
        while let (isActive, streams) = change(&isOurs) {
            for stream in streams { stream.update(isActive) }
            onChange(isActive)
        }
    }

    private func change(_ isOurs: inout Bool) -> (Bool, [ActivityStream])? {
        state.withLock { state in
            if state.isNotifying && !isOurs { return nil }
            isOurs = state.shown != (state.count > 0)
            state.isNotifying = isOurs
            guard isOurs else { return nil }
            state.shown.toggle()
            return (state.shown, state.streams.compactMap(\.stream))
        }
    }
}

/// A stream of the latest state for one reader. Each state is returned once.
final class ActivityStream: Sendable {
    private struct State {
        var current: Bool
        var read: Bool?
        var isFinished = false
        var waiting: [UInt64: Promise<Bool?>] = [:]
        var lastTicket: UInt64 = 0
    }

    private let state: Locked<State>

    /// Creates a stream with a current state.
    init(_ current: Bool) {
        state = Locked(State(current: current))
    }

    /// Sets the current state and resumes a waiting reader. Resuming only schedules the reader's task.
    func update(_ isActive: Bool) {
        let reader = state.withLock { state -> Promise<Bool?>? in
            state.current = isActive
            guard state.read != isActive, let ticket = state.waiting.keys.min() else { return nil }
            state.read = isActive
            return state.waiting.removeValue(forKey: ticket)
        }
        reader?.resolve(isActive)
    }

    /// Ends the stream. Readers receive an unread state first, then `nil`.
    func finish() {
        let readers = state.withLock { state in
            defer { state.waiting = [:] }
            state.isFinished = true
            return state.waiting.values
        }
        for reader in readers { reader.resolve(nil) }
    }

    /// Waits until the state differs from the one that was returned last, and returns it.
    ///
    /// The result is `nil` at the end and when the task is cancelled.
    func next() async -> Bool? {
        if Task.isCancelled { return nil }
        let promise = Promise<Bool?>()
        let (ticket, result): (UInt64, Bool??) = state.withLock { state in
            state.lastTicket += 1
            guard state.read == state.current else {
                state.read = state.current
                return (state.lastTicket, .some(state.current))
            }
            if state.isFinished { return (state.lastTicket, .some(nil)) }
            state.waiting[state.lastTicket] = promise
            return (state.lastTicket, nil)
        }
        if let result { return result }
        return await promise.value(cancellation: { [state] in
            state.withLock { $0.waiting[ticket] = nil }
            return nil
        })
    }
}

extension NetworkActivity: RedactedStringConvertible {}
