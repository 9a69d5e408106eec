/// A value that is set once, and for which one task waits.
///
/// The first of these sets the value, and the others have no effect: a call of ``resolve(_:)``, the cancellation of the waiting
/// task, and the end of the time that the task waits. Each may happen before the wait begins. Copies share the value.
@usableFromInline package struct Promise<Value: Sendable>: Sendable {
    @usableFromInline enum State {
        case pending
        case awaited(UnsafeContinuation<Void, Never>)
        case resolved(Value)
        /// The waiting task has received the value.
        case received
    }

    @usableFromInline let state = Locked(State.pending)

    /// Creates a promise without a value.
    @inlinable package init() {}

    /// Sets the value and resumes the waiting task. It can be called from any thread, any number of times.
    ///
    /// - Returns: `false` if there was a value already; the new one is then ignored.
    @discardableResult
    @inlinable package func resolve(_ value: Value) -> Bool {
        let (isFirst, continuation): (Bool, UnsafeContinuation<Void, Never>?) = state.withLock { state in
            switch state {
            case .pending:
                state = .resolved(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .resolved(value)
                return (true, continuation)
            case .resolved, .received: return (false, nil)
            }
        }
        continuation?.resume()
        return isFirst
    }

    // MARK: Waiting

    /// Returns the value when it is set, even if the task is cancelled. A promise can be awaited only once.
    @inlinable package func value() async -> Value {
        if let value = take() { return value }
        await suspend()
        return taken()
    }

    /// Returns the value when it is set, or as soon as the task is cancelled. A promise can be awaited only once.
    ///
    /// - Parameter cancellation: Returns the value for a cancelled task. Called at most once, on the thread that cancels it, even
    ///   if the promise has a value by then.
    @inlinable package func value(cancellation: @escaping @Sendable () -> Value) async -> Value {
        if let value = take() { return value }
        await withTaskCancellationHandler {
            await suspend()
        } onCancel: {
            resolve(cancellation())
        }
        return taken()
    }

    /// Returns the value when it is set, as soon as the task is cancelled, or when the time has passed. A promise can be awaited
    /// only once.
    ///
    /// - Parameters:
    ///   - limit: Returns the time to wait. Called once, in a separate task.
    ///   - time: Measures the time.
    ///   - lateness: Returns the value when the time has passed. Called at most once.
    ///   - cancellation: Returns the value for a cancelled task. Called at most once, on the thread that cancels it, even if the
    ///     promise has a value by then.
    package func value(
        within limit: @escaping @Sendable () -> Duration, on time: TimeSource, lateness: @escaping @Sendable () -> Value,
        cancellation: @escaping @Sendable () -> Value
    ) async -> Value {
        let timer = Task {
            try await time.sleep(for: limit())
            resolve(lateness())
        }
        defer { timer.cancel() }
        return await value(cancellation: cancellation)
    }

    @inlinable func suspend() async {
        await withUnsafeContinuation { continuation in
            let waits = state.withLock { state in
                guard case .pending = state else { return false }
                state = .awaited(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    /// Takes the value, so that the promise no longer retains it.
    ///
    /// It is always read with the lock held, since the thread sanitizer does not see the synchronization of a continuation.
    @inlinable func take() -> Value? {
        state.withLock { state in
            guard case .resolved(let value) = state else { return nil }
            state = .received
            return value
        }
    }

    @inlinable func taken() -> Value {
        guard let value = take() else { preconditionFailure("a promise was awaited twice") }
        return value
    }
}
