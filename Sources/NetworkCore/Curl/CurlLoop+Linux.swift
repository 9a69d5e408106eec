#if os(Linux)
    /// The thread-safe side of an engine: the inbox of its thread.
    ///
    /// The thread starts with the first transfer. It ends when the session manager was released and the last transfer has ended.
    final class CurlLoop: Sendable {
        enum Command {
            /// Requests admission for a transfer.
            case enter(LoopTransfer)
            /// Starts a transfer that was admitted to this loop.
            case start(LoopTransfer)
            /// Ends a transfer that was cancelled.
            case cancel(CurlTransfer)
            /// Continues a transfer after a pause: the reader has room, or there is something to send.
            case resume(CurlTransfer)
            /// Continues the transfers that wait for the version of HTTP of an origin: it is known, or one of them has to find out.
            case versionSettled(String)

            /// The transfer that this command starts, if any.
            var starting: LoopTransfer? {
                switch self {
                case .enter(let transfer), .start(let transfer): transfer
                case .cancel, .resume, .versionSettled: nil
                }
            }

            /// Whether a library may write to a socket (OpenSSL, or libcurl through a proxy), which may raise `SIGPIPE`.
            func mayWriteByLibrary(_ configuration: SessionConfiguration) -> Bool {
                guard configuration.proxy.kind == .none, let starting else { return true }
                return starting.request.parsedURL.isSecure
            }

            /// Whether the thread must execute the command before it ends.
            var needsThread: Bool {
                switch self {
                case .enter, .start, .resume: true
                case .cancel, .versionSettled: false
                }
            }
        }

        private struct Inbox {
            var commands: [Command] = []
            /// Jobs of tasks that other threads have enqueued.
            var jobs: [LoopJob] = []
            /// The engine; exists while its thread runs.
            var engine: CurlEngine?
            /// Whether the thread sleeps, so that it has to be woken for a command.
            var isAsleep = false
            var isClosed = false

            var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }
        }

        /// The index of this loop among those of the session manager.
        let number: Int
        let configuration: SessionConfiguration
        private let inbox = Locked(Inbox())

        init(number: Int, configuration: SessionConfiguration) {
            self.number = number
            self.configuration = configuration
        }

        /// Starts a transfer, on the calling thread if the loop has no other. Must not be called on a loop's thread.
        ///
        /// - Parameter command: `enter` or `start`.
        /// - Returns: `false` when the process has no descriptor, thread or memory for an engine.
        func start(_ command: Command, of loops: CurlLoops) -> Bool {
            if let engine = waitingEngine, engine.startOnCallingThread(command) { return true }
            return send(command, of: loops)
        }

        /// Appends a command to the inbox, and starts the engine and its thread if necessary.
        ///
        /// - Returns: `false` when the process has no descriptor, thread or memory for an engine.
        func send(_ command: Command, of loops: CurlLoops) -> Bool {
            send(of: loops) { $0.commands.append(command) }
        }

        /// Appends a job of a task to the inbox, and starts the engine and its thread if necessary.
        ///
        /// - Returns: `false` when the process has no descriptor, thread or memory for an engine.
        func send(_ job: LoopJob, of loops: CurlLoops) -> Bool {
            send(of: loops) { $0.jobs.append(job) }
        }

        private func send(of loops: CurlLoops, _ append: (inout Inbox) -> Void) -> Bool {
            inbox.withLock { inbox in
                if inbox.engine == nil {
                    guard let engine = CurlEngine(loops: loops, loop: self), engine.startThread() else { return false }
                    inbox.engine = engine
                }
                append(&inbox)
                Self.wake(&inbox)
                return true
            }
        }

        /// Appends a command to the inbox if the thread runs; otherwise does nothing.
        func send(_ command: Command) {
            inbox.withLock { inbox in
                guard inbox.engine != nil else { return }
                inbox.commands.append(command)
                Self.wake(&inbox)
            }
        }

        /// Wakes the thread if it sleeps, so that it computes again until when to sleep.
        func wake() {
            inbox.withLock { Self.wake(&$0) }
        }

        /// Makes the thread end after the last transfer. Called when the session manager is released.
        func close() {
            inbox.withLock { inbox in
                inbox.isClosed = true
                Self.wake(&inbox)
            }
        }

        /// Whether the session manager was released, so that callers start no more transfers.
        var isClosed: Bool { inbox.withLock(\.isClosed) }

        /// The engine, if its thread sleeps and the inbox is empty.
        private var waitingEngine: CurlEngine? {
            inbox.withLock { $0.isAsleep && $0.isEmpty ? $0.engine : nil }
        }

        /// Whether neither a command nor a job waits in the inbox.
        var isInboxEmpty: Bool {
            inbox.withLock(\.isEmpty)
        }

        // MARK: For the loop's thread

        /// Removes all commands and jobs. If there are none, records that the thread is about to sleep.
        ///
        /// - Parameter jobs: The jobs that the thread already has. Those of the inbox are appended.
        /// - Returns: The commands.
        func takeCommands(_ jobs: LoopJobs) -> [Command] {
            inbox.withLock { inbox in
                if !inbox.jobs.isEmpty {
                    jobs.append(inbox.jobs)
                    inbox.jobs.removeAll()
                }
                inbox.isAsleep = inbox.commands.isEmpty && jobs.isEmpty
                if inbox.commands.isEmpty { return [] }
                defer { inbox.commands.removeAll() }
                return inbox.commands
            }
        }

        /// Records that the thread is awake.
        func wokeUp() {
            inbox.withLock { $0.isAsleep = false }
        }

        /// Returns whether the thread may end: the loop is closed, and no command or job needs the thread. If so, the engine is removed from the
        /// inbox, and the remaining commands are dropped.
        func mayEnd() -> Bool {
            inbox.withLock { inbox in
                guard inbox.isClosed, inbox.jobs.isEmpty, !inbox.commands.contains(where: \.needsThread) else {
                    return false
                }
                inbox.engine = nil
                inbox.commands.removeAll()
                return true
            }
        }

        private static func wake(_ inbox: inout Inbox) {
            guard inbox.isAsleep, let engine = inbox.engine else { return }
            inbox.isAsleep = false
            engine.wake()
        }
    }
#endif
