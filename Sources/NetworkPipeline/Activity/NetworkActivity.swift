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
        var isTelling = false
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
        tell()
    }

    /// Counts an exchange that ended, however it did. Does nothing where none is in flight.
    public func end() {
        state.withLock { $0.count = max(0, $0.count - 1) }
        tell()
    }

    /// One thread at a time tells; the others leave their change to it.
    private func tell() {
        var isOurs = false
        while let (isActive, streams) = change(&isOurs) {
            for stream in streams { stream.tell(isActive) }
            onChange(isActive)
        }
    }

    private func change(_ isOurs: inout Bool) -> (Bool, [ActivityStream])? {
        state.withLock { state in
            if state.isTelling && !isOurs { return nil }
            isOurs = state.shown != (state.count > 0)
            state.isTelling = isOurs
            guard isOurs else { return nil }
            state.shown.toggle()
            return (state.shown, state.streams.compactMap(\.stream))
        }
    }
}
