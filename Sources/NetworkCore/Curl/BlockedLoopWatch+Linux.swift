#if os(Linux) && DEBUG
    import NetworkLogging

    /// Finds jobs that block an event loop, and reports the first one on standard error. Exists in debug builds only.
    final class BlockedLoopWatch: Sendable {
        /// How long a job may take before it is reported.
        static let limit = Duration.milliseconds(100)

        private struct State {
            /// The number of jobs that have begun.
            var begun: UInt64 = 0
            var isRunning = false
            var startedAt: UInt64 = 0
            /// Whether a task examines the loop from time to time.
            var isExamined = false
            var hasReported = false
        }

        private let loop: Int
        private let state = Locked(State())

        init(loop: Int) {
            self.loop = loop
        }

        /// Whether a job was reported.
        var hasReported: Bool { state.withLock(\.hasReported) }

        /// Called before a job runs.
        func begin() {
            let starts = state.withLock { state in
                state.begun += 1
                state.isRunning = true
                state.startedAt = monotonicNanoseconds()
                defer { state.isExamined = state.isExamined || !state.hasReported }
                return !state.isExamined && !state.hasReported
            }
            if starts { Task.detached { await self.examine() } }
        }

        /// Called after a job has run.
        func end() {
            let isLate = state.withLock { state in
                state.isRunning = false
                return monotonicNanoseconds() - state.startedAt >= Self.limit.boundedNanoseconds
            }
            if isLate { report() }
        }

        /// Examines the loop until it has no jobs, or one was reported.
        private func examine() async {
            while true {
                let before = state.withLock(\.begun)
                try? await Task.sleep(for: Self.limit)
                let (isStuck, goesOn) = state.withLock { state in
                    let isSame = state.begun == before
                    state.isExamined = !isSame
                    return (isSame && state.isRunning, !isSame && !state.hasReported)
                }
                if isStuck { return report() }
                if !goesOn { return }
            }
        }

        private func report() {
            let isFirst = state.withLock { state in
                defer { state.hasReported = true }
                return !state.hasReported
            }
            guard isFirst else { return }
            StandardError.write(
                "CurlSessionManager: a task blocked event loop \(loop) for 100 ms or longer, so that all requests of this loop waited. "
                    + "Move blocking work out of session.run and session.executor. This is reported once, in debug builds only.\n"
            )
        }
    }
#endif
