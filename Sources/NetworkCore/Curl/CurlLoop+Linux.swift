#if os(Linux)
    /// The side of an engine that others touch: an inbox in front of a thread.
    ///
    /// The thread starts with the first transfer and ends once the session manager is gone and the last transfer has ended.
    final class CurlLoop: Sendable {
        enum Command {
            /// One that has no place yet.
            case enter(CurlTransfer)
            /// One that has a place in this loop.
            case start(CurlTransfer)
            case cancel(CurlTransfer)
            /// There is room, or something to send, after a pause.
            case resume(CurlTransfer)
            /// It is known which version of HTTP an origin speaks, or somebody has to find out.
            case versionSettled(String)

            /// The transfer that it starts.
            var starting: CurlTransfer? {
                switch self {
                case .enter(let transfer), .start(let transfer): transfer
                case .cancel, .resume, .versionSettled: nil
                }
            }

            /// Whether bytes may be written by others' code, which may raise `SIGPIPE`.
            func mayWriteByLibrary(_ configuration: SessionConfiguration) -> Bool {
                guard configuration.proxy.kind == .none, let starting else { return true }
                return starting.origin.hasPrefix("https:")
            }

            /// Whether a thread may not end before it is obeyed.
            var needsThread: Bool {
                switch self {
                case .enter, .start, .resume: true
                case .cancel, .versionSettled: false
                }
            }
        }

        private struct Inbox {
            var commands: [Command] = []
            /// Exists while its thread runs.
            var engine: CurlEngine?
            /// Whether the thread waits for events, and so has to be woken.
            var isAsleep = false
            var isClosed = false
        }

        /// Which of the session manager's loops it is.
        let number: Int
        let configuration: SessionConfiguration
        private let inbox = Locked(Inbox())

        init(number: Int, configuration: SessionConfiguration) {
            self.number = number
            self.configuration = configuration
        }

        /// Not for the loops' own threads.
        ///
        /// - Returns: `false` when the process has no descriptor, thread or memory for an engine.
        func start(_ transfer: CurlTransfer, hasPlace: Bool, of loops: CurlLoops) -> Bool {
            let command = hasPlace ? Command.start(transfer) : .enter(transfer)
            if let engine = waitingEngine, engine.doHere(command) { return true }
            return send(command, of: loops)
        }

        /// Starts the thread if there is none.
        ///
        /// - Returns: Whether there is a thread to receive it.
        func send(_ command: Command, of loops: CurlLoops) -> Bool {
            inbox.withLock { inbox in
                if inbox.engine == nil {
                    guard let engine = CurlEngine(loops: loops, loop: self), engine.startThread() else { return false }
                    inbox.engine = engine
                }
                inbox.commands.append(command)
                Self.wake(&inbox)
                return true
            }
        }

        /// Sends something that is of no interest to a thread that has ended.
        func send(_ command: Command) {
            inbox.withLock { inbox in
                guard inbox.engine != nil else { return }
                inbox.commands.append(command)
                Self.wake(&inbox)
            }
        }

        /// Makes the thread, if it sleeps, see when it has to wake up next.
        func wake() {
            inbox.withLock { Self.wake(&$0) }
        }

        /// No transfer will be started any more; those under way go on.
        func close() {
            inbox.withLock { inbox in
                inbox.isClosed = true
                Self.wake(&inbox)
            }
        }

        /// Whether nothing new will be started.
        var isClosed: Bool { inbox.withLock(\.isClosed) }

        /// The engine, if its thread waits and nothing has come in since.
        private var waitingEngine: CurlEngine? {
            inbox.withLock { $0.isAsleep && $0.commands.isEmpty ? $0.engine : nil }
        }

        var hasNoCommands: Bool {
            inbox.withLock { $0.commands.isEmpty }
        }

        // MARK: For the loop's thread

        /// What has come in. Says that the thread is about to sleep when that is nothing.
        func takeCommands() -> [Command] {
            inbox.withLock { inbox in
                inbox.isAsleep = inbox.commands.isEmpty
                if inbox.commands.isEmpty { return [] }
                defer { inbox.commands.removeAll() }
                return inbox.commands
            }
        }

        func wokeUp() {
            inbox.withLock { $0.isAsleep = false }
        }

        /// Whether the thread may end: nobody can send anything any more. Then the engine is out of reach.
        func mayEnd() -> Bool {
            inbox.withLock { inbox in
                guard inbox.isClosed, !inbox.commands.contains(where: \.needsThread) else {
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
