/// A closure that a caller has passed, and which may be isolated to an actor, such as `{ @MainActor result in … }`.
///
/// An `@isolated(any)` closure without isolation is called as a plain one: the language only converts it to an async closure, which would run on
/// the cooperative pool. The two types differ in the isolation that the context of the closure begins with, and are called in the same way. The
/// types of each cast are written out, so that the compiler compares their sizes.
package enum CallerClosure<Value: Sendable>: Sendable {
    /// A closure that runs on any thread, and may block it.
    case plain(@Sendable (Value) -> Void)
    /// A closure that runs on its actor.
    case isolated(@Sendable (Value) async -> Void)

    /// Finds out whether the closure is isolated to an actor.
    package init(_ closure: @escaping @isolated(any) @Sendable (Value) -> Void) {
        guard closure.isolation == nil else {
            self = .isolated(closure)
            return
        }
        self = .plain(unsafeBitCast(Isolated(closure: closure), to: Plain.self).closure)
    }

    // Closures that are cast are in structures, as runtimes before macOS 15 have no metadata of isolated function types.
    private struct Isolated { let closure: @isolated(any) @Sendable (Value) -> Void }
    private struct Plain { let closure: @Sendable (Value) -> Void }

    /// Calls the closure on this thread, or starts it on its actor.
    package func call(_ value: Value) {
        switch self {
        case .plain(let closure): closure(value)
        case .isolated(let closure): Task { await closure(value) }
        }
    }

    /// Starts the closure with the runner, or on its actor.
    func call(_ value: Value, on runner: some BlockingWorkRunner) {
        switch self {
        case .plain(let closure): runner.run { closure(value) }
        case .isolated: call(value)
        }
    }

    /// Calls the closure with the runner, or on its actor, and returns when it has returned, even if the task is cancelled.
    package func perform(_ value: Value, on runner: some BlockingWorkRunner) async {
        switch self {
        case .plain(let closure): await runner.perform { closure(value) }
        case .isolated(let closure): await closure(value)
        }
    }
}
