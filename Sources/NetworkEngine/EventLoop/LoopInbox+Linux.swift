#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    /// The part of an event loop that any thread may use: the inbox of its thread.
    ///
    /// The thread starts with the first transfer. It ends when the session manager was released and the last transfer has ended.
    final class LoopInbox: Sendable {
        enum Command {
            /// Requests admission for a transfer. It is accepted when it is appended to the inbox, even if the session manager is closed
            /// before the command is executed; if it is executed directly, the queue decides.
            case enter(LoopTransfer, wasAccepted: Bool)
            /// Starts a transfer that was admitted to this loop.
            case start(LoopTransfer)
            /// Ends a transfer that was cancelled.
            case cancel(LoopTransfer)
            /// Continues a transfer after a pause: the reader has room, or there is something to send.
            case resume(LoopTransfer)
            /// Follows the redirect whose head a transfer has delivered.
            case follow(LoopTransfer, NetworkRequest, cookies: String?)
            /// Receives the body of the redirect whose head a transfer has delivered.
            case receiveBody(LoopTransfer)
            /// Continues an attempt to connect whose name was looked up.
            case lookedUp(ConnectAttempt, NameQuery, NameResult)
            /// Continues the transfers that wait for the version of HTTP of an origin: it is known, or one of them has to find out.
            case versionSettled(String)
            /// Executes what was requested of an upgraded connection.
            case upgraded(UpgradedSocket)
            /// Counts the connections of the loop.
            case count(CountCollector)
            /// Begins or ends to report events of connections, because the first observer was added or the last one removed.
            case observe
            /// Closes what is not in use, or cancels the transfers that are left.
            case close(ClosingStage)

            /// The transfer that this command starts, if any.
            var starting: LoopTransfer? {
                switch self {
                case .enter(let transfer, _), .start(let transfer): transfer
                case .cancel, .resume, .follow, .receiveBody, .lookedUp, .versionSettled, .upgraded, .count, .observe, .close: nil
                }
            }

            /// Whether the thread must execute the command before it ends.
            var needsThread: Bool {
                switch self {
                case .enter, .start, .resume, .follow, .receiveBody, .count: true
                case .cancel, .lookedUp, .versionSettled, .upgraded, .observe, .close: false
                }
            }
        }

        private struct State {
            var commands: [Command] = []
            /// Jobs of tasks that other threads have enqueued.
            var jobs: [LoopJob] = []
            /// The event loop; exists while its thread runs.
            var loop: EventLoop?
            /// Whether the thread sleeps, so that it has to be woken for a command.
            var isAsleep = false
            var isClosed = false
            /// How far the closing of the session manager has come.
            var stage = ClosingStage.open
            /// Whether the closing waits for the transfers of this loop.
            var isBusy = false

            var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }
        }

        /// The index of this loop among those of the session manager.
        let number: Int
        let configuration: SessionConfiguration
        private let inbox = Locked(State())

        init(number: Int, configuration: SessionConfiguration) {
            self.number = number
            self.configuration = configuration
        }

        /// What became of a command.
        enum Sending {
            case sent
            /// The session manager was closed, and accepts no new transfer.
            case closed
            /// The process has no descriptor, thread or memory for an event loop.
            case outOfResources
        }

        /// Starts a transfer, on the calling thread if the loop has no other. Must not be called on a loop's thread.
        ///
        /// - Parameter command: `enter` or `start`.
        func start(_ command: Command, of session: SocketSession) -> Sending {
            if let loop = sleepingLoop, loop.startOnCallingThread(command) { return .sent }
            return send(command, of: session)
        }

        /// Appends a command that starts a transfer to the inbox, and creates the loop and its thread if necessary.
        func send(_ command: Command, of session: SocketSession) -> Sending {
            inbox.withLock { inbox in
                var command = command
                if case .enter(let transfer, _) = command {
                    guard inbox.stage == .open else { return .closed }
                    command = .enter(transfer, wasAccepted: true)
                }
                guard start(&inbox, session) else { return .outOfResources }
                inbox.commands.append(command)
                if inbox.stage != .open { becomeBusy(&inbox, session) }
                Self.wake(&inbox)
                return .sent
            }
        }

        /// Appends a job of a task to the inbox, and creates the loop and its thread if necessary.
        ///
        /// - Returns: `false` when the process has no descriptor, thread or memory for an event loop.
        func send(_ job: LoopJob, of session: SocketSession) -> Bool {
            inbox.withLock { inbox in
                guard start(&inbox, session) else { return false }
                inbox.jobs.append(job)
                Self.wake(&inbox)
                return true
            }
        }

        /// Creates the loop and its thread unless they exist.
        private func start(_ inbox: inout State, _ session: SocketSession) -> Bool {
            if inbox.loop != nil { return true }
            guard let loop = EventLoop(session, self), loop.startThread() else { return false }
            inbox.loop = loop
            return true
        }

        /// Appends a command to the inbox if the thread runs; otherwise does nothing.
        ///
        /// - Returns: Whether the thread runs.
        @discardableResult
        func send(_ command: Command) -> Bool {
            inbox.withLock { inbox in
                guard inbox.loop != nil else { return false }
                inbox.commands.append(command)
                Self.wake(&inbox)
                return true
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

        /// Refuses new transfers and lets the thread close what is not in use, or lets it cancel the transfers that are left.
        func advance(to stage: ClosingStage, of session: SocketSession) {
            inbox.withLock { inbox in
                guard inbox.stage < stage else { return }
                inbox.stage = stage
                inbox.isClosed = true
                guard inbox.loop != nil else { return }
                becomeBusy(&inbox, session)
                inbox.commands.append(.close(stage))
                Self.wake(&inbox)
            }
        }

        /// How far the closing of the session manager has come.
        var stage: ClosingStage { inbox.withLock(\.stage) }

        private func becomeBusy(_ inbox: inout State, _ session: SocketSession) {
            if !inbox.isBusy { session.closing.retainPart() }
            inbox.isBusy = true
        }

        /// Whether no thread runs, and none will be started.
        var hasEnded: Bool { inbox.withLock { $0.isClosed && $0.loop == nil } }

        /// Whether the session manager was released or closed, so that callers start no more transfers.
        var isClosed: Bool { inbox.withLock(\.isClosed) }

        /// The event loop, if its thread sleeps and the inbox is empty.
        private var sleepingLoop: EventLoop? {
            inbox.withLock { $0.isAsleep && $0.isEmpty ? $0.loop : nil }
        }

        /// Whether neither a command nor a job waits in the inbox.
        var isEmpty: Bool {
            inbox.withLock(\.isEmpty)
        }

        // MARK: For the loop's thread

        /// Removes the jobs. If there are none, and no commands, records that the thread is about to sleep.
        ///
        /// - Parameter jobs: The jobs that the thread already has. Those of the inbox are appended.
        /// - Returns: Whether the thread may sleep.
        func beginWait(_ jobs: LoopJobs) -> Bool {
            inbox.withLock { inbox in
                if !inbox.jobs.isEmpty {
                    jobs.append(inbox.jobs)
                    inbox.jobs.removeAll()
                }
                inbox.isAsleep = inbox.commands.isEmpty && jobs.isEmpty
                return inbox.isAsleep
            }
        }

        /// Records that the thread is awake, and removes the commands.
        func endWait() -> [Command] {
            inbox.withLock { inbox in
                inbox.isAsleep = false
                if inbox.commands.isEmpty { return [] }
                defer { inbox.commands.removeAll() }
                return inbox.commands
            }
        }

        /// Lets the thread end if it may: the loop is closed, and no command or job needs the thread. The loop is removed from the
        /// inbox, and the remaining commands are dropped.
        ///
        /// - Returns: Whether the closing of the session manager waits for the thread; `nil` if it may not end.
        func end() -> Bool? {
            inbox.withLock { inbox in
                guard inbox.isClosed, inbox.jobs.isEmpty, !inbox.commands.contains(where: \.needsThread) else { return nil }
                inbox.loop = nil
                inbox.commands.removeAll()
                defer { inbox.isBusy = false }
                return inbox.isBusy
            }
        }

        /// Records that the loop has no transfer left although its thread goes on, because jobs wait or a name lookup has not ended.
        ///
        /// - Returns: Whether the closing of the session manager has waited for this.
        func becomeQuiet() -> Bool {
            inbox.withLock { inbox in
                guard inbox.isBusy, !inbox.commands.contains(where: \.needsThread) else { return false }
                inbox.isBusy = false
                return true
            }
        }

        private static func wake(_ inbox: inout State) {
            guard inbox.isAsleep, let loop = inbox.loop else { return }
            inbox.isAsleep = false
            loop.wake()
        }
    }
#endif
