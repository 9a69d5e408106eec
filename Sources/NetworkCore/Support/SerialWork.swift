/// Work that may block and is done one after another, in the order it came, on ``BackgroundThreads/files``.
///
/// It takes one thread at most, and none while there is nothing to do.
package final class SerialWork: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isWorking = false
    }

    private let state = Locked(State())

    /// With nothing to do.
    package init() {}

    /// Does the work once, behind what waits.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(work)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if starts { BackgroundThreads.files.run { self.work() } }
    }

    private func work() {
        while true {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isWorking = !state.waiting.isEmpty
                return state.waiting
            }
            if waiting.isEmpty { return }
            for work in waiting { work() }
        }
    }
}
