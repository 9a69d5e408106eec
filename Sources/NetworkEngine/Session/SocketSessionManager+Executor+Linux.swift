#if os(Linux)
    import NetworkTransport
    import Foundation
    import NetworkSupport

    extension SocketSessionManager {
        /// The executors of the event loops, one for each: a task with this preference runs on the thread of the loop.
        ///
        /// Requests of such a task start on that thread, and the task continues there: nothing waits for another thread. The task must not
        /// block, because all requests of the loop would wait, and a task that waits in this way for a response of the same loop waits
        /// forever. In debug builds, the first job that takes 100 ms or longer is reported on standard error. `SIGPIPE` is blocked on these
        /// threads. An executor may be used after the session manager was released; the thread ends when both were released. Empty if the
        /// configuration is invalid.
        public var executors: [any TaskExecutor] { loopExecutors }

        /// One of ``executors``. With several event loops, each access returns the next one.
        ///
        /// ```swift
        /// await withTaskExecutorPreference(session.executor) {
        ///     for endpoint in endpoints { … try await service.request(endpoint) … }
        /// }
        /// ```
        ///
        /// If the configuration is invalid, this is the executor of the cooperative pool; each request fails with the error.
        public var executor: any TaskExecutor {
            if loopExecutors.count == 1 { return loopExecutors[0] }
            guard !loopExecutors.isEmpty else { return globalConcurrentExecutor }
            let turn = turn.withLock { turn in
                turn = (turn + 1) % loopExecutors.count
                return turn
            }
            return loopExecutors[turn]
        }

        /// Runs an operation on an event loop, where its requests are sent and their responses are received and decoded.
        ///
        /// ```swift
        /// let movies = try await session.run { try await service.request(popular) }
        /// ```
        ///
        /// This is the fastest way to send one request after another. The operation must not block; see ``executors``. Child tasks
        /// run on the same event loop; unstructured tasks and actors with a separate executor, such as the main actor, do not.
        ///
        /// - Parameter operation: Called once, on the thread of the event loop.
        /// - Returns: The result of the operation.
        /// - Throws: The error of the operation.
        public func run<Value: Sendable, Failure: Error>(
            _ operation: @Sendable () async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            try await withTaskExecutorPreference(executor) { () async throws(Failure) in try await operation() }
        }

        #if DEBUG
            /// Whether each request of the task runs on an event loop: tests of the engine run a second time with it.
            @TaskLocal static var sendsOnEventLoops = ProcessInfo.processInfo.environment["DATA_TRANSFER_EXECUTORS"] != nil
        #endif
    }
#endif
