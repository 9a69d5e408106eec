import Endpoints
import NetworkCore

/// Counts exchanges in flight, and says when there begins to be one and when there is none left: what drives an activity
/// indicator.
///
/// ```swift
/// let activity = NetworkActivity { isActive in indicator.show(isActive) }
/// let service = DefaultDataTransferService(configuration: api, interceptors: [.activity(activity)])
/// for await isActive in activity.changes { … }        // or so
/// ```
///
/// One activity may serve any number of services. All of it is safe from any thread.
public final class NetworkActivity: Sendable {
    private struct State {
        var count = 0
        /// What listeners were told last.
        var shown = false
        var isNotifying = false
        var streams: [WeakStream] = []
    }

    private struct WeakStream {
        weak var stream: ActivityStream?
    }

    private let state = Locked(State())
    private let onChange: @Sendable (Bool) -> Void

    /// - Parameter onChange: Runs with `true` when the count leaves zero and with `false` when it is back, on a thread that
    ///   began or ended an exchange, which waits for it: return soon. Calls never overlap, come in order, and alternate,
    ///   beginning with `true`; no lock is held. A change undone while a call is still running is not told, so that the last
    ///   call always says what is. Does nothing by default.
    public init(onChange: @escaping @Sendable (Bool) -> Void = { _ in }) {
        self.onChange = onChange
    }

    deinit {
        for stream in state.withLock(\.streams) { stream.stream?.finish() }
    }

    /// How many exchanges are in flight.
    public var count: Int { state.withLock(\.count) }

    /// Whether any is.
    public var isActive: Bool { count > 0 }

    /// What is now, and each change from then on. Two values in a row are never equal.
    ///
    /// Every call makes a stream of its own. One that is read slowly skips changes which were undone meanwhile, and holds no more
    /// memory for it. It ends when its task is cancelled or this activity is released.
    public var changes: AsyncStream<Bool> {
        let stream = state.withLock { state in
            state.streams.removeAll { $0.stream == nil }
            let stream = ActivityStream(state.shown)
            state.streams.append(WeakStream(stream: stream))
            return stream
        }
        return AsyncStream { await stream.next() }
    }

    /// Counts an exchange that begins. ``end()`` has to follow, once.
    public func begin() {
        state.withLock { $0.count += 1 }
        notify()
    }

    /// Counts an exchange that ended, however it did. Does nothing where none is in flight.
    public func end() {
        state.withLock { $0.count = max(0, $0.count - 1) }
        notify()
    }

    /// One thread at a time tells; the others leave their change to it.
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

/// Counts every exchange that passes, also one that fails or is cancelled.
///
/// Where it stands in the list decides what an exchange is: before a retry, all attempts and the pauses between them are one;
/// behind it, each attempt is one.
public struct NetworkActivityInterceptor: NetworkInterceptor {
    private let activity: NetworkActivity

    /// - Parameter activity: What counts.
    public init(_ activity: NetworkActivity) {
        self.activity = activity
    }

    /// Counts the exchange for as long as `next` takes, and the body of a streamed one.
    public func intercept(
        _ request: NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        activity.begin()
        do throws(TransportError) {
            var response = try await next(request)
            if let stream = response.stream {
                response.stream = stream.observed { [activity] _ in activity.end() }
            } else {
                activity.end()
            }
            return response
        } catch {
            activity.end()
            throw error
        }
    }
}

extension NetworkInterceptor where Self == NetworkActivityInterceptor {
    /// Counts every exchange that passes.
    public static func activity(_ activity: NetworkActivity) -> NetworkActivityInterceptor {
        NetworkActivityInterceptor(activity)
    }
}

/// The latest state for one reader, who is told of it once.
final class ActivityStream: Sendable {
    private struct State {
        var current: Bool
        var read: Bool?
        var isFinished = false
        var waiting: [UInt64: UnsafeContinuation<Bool?, Never>] = [:]
        var lastTicket: UInt64 = 0
        /// Readers whose cancellation came before their wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Locked<State>

    /// - Parameter current: What is now.
    init(_ current: Bool) {
        state = Locked(State(current: current))
    }

    /// Notes the state. Resuming a reader only schedules it.
    func update(_ isActive: Bool) {
        let reader = state.withLock { state -> UnsafeContinuation<Bool?, Never>? in
            state.current = isActive
            guard state.read != isActive, let ticket = state.waiting.keys.min() else { return nil }
            state.read = isActive
            return state.waiting.removeValue(forKey: ticket)
        }
        reader?.resume(returning: isActive)
    }

    /// Lets every reader, now and later, read the end once there is nothing else to read.
    func finish() {
        let readers = state.withLock { state in
            defer { state.waiting = [:] }
            state.isFinished = true
            return state.waiting.values
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// The state, as soon as it is another than was read last; `nil` at the end and when the task is cancelled.
    func next() async -> Bool? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            let result = await withUnsafeContinuation { wait($0, ticket) }
            state.withLock { _ = $0.cancelled.remove(ticket) }
            return result
        } onCancel: {
            let reader = state.withLock { state in
                state.cancelled.insert(ticket)
                return state.waiting.removeValue(forKey: ticket)
            }
            reader?.resume(returning: nil)
        }
    }

    private func wait(_ continuation: UnsafeContinuation<Bool?, Never>, _ ticket: UInt64) {
        let result: Bool?? = state.withLock { state in
            if state.cancelled.contains(ticket) { return .some(nil) }
            guard state.read == state.current else {
                state.read = state.current
                return state.current
            }
            if state.isFinished { return .some(nil) }
            state.waiting[ticket] = continuation
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }
}
