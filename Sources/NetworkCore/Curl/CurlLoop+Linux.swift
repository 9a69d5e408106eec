#if os(Linux)
    /// The side of the engine that callers touch: an inbox in front of a thread.
    ///
    /// The thread starts with the first transfer and ends once the session manager is gone and the last transfer has ended.
    final class CurlLoop: Sendable {
        enum Command {
            case start(CurlTransfer)
            case cancel(CurlTransfer)
            /// There is room, or something to send, after a pause.
            case resume(CurlTransfer)
        }

        private struct Inbox {
            var commands: [Command] = []
            /// Exists while its thread runs.
            var engine: CurlEngine?
            /// Whether the thread waits for events, and so has to be woken.
            var isAsleep = false
            var isClosed = false
        }

        let configuration: SessionConfiguration
        let trust: CurlTrustTable
        private let inbox = Locked(Inbox())

        init(configuration: SessionConfiguration, trust: CurlTrustTable) {
            self.configuration = configuration
            self.trust = trust
        }

        func start(_ transfer: CurlTransfer) {
            if let engine = waitingEngine, engine.startHere(transfer) { return }
            if !send(.start(transfer)) {
                transfer.end(
                    .failure(
                        TransportError(
                            .outOfResources, "the engine cannot start: this process has no descriptor, thread or memory left",
                            request: transfer.request)))
            }
        }

        func cancel(_ transfer: CurlTransfer) {
            tell(.cancel(transfer))
        }

        func resume(_ transfer: CurlTransfer) {
            tell(.resume(transfer))
        }

        /// What means nothing without an engine.
        private func tell(_ command: Command) {
            inbox.withLock { inbox in
                guard inbox.engine != nil else { return }
                inbox.commands.append(command)
                Self.wake(&inbox)
            }
        }

        /// No transfer will be started any more; those under way go on.
        func close() {
            inbox.withLock { inbox in
                inbox.isClosed = true
                Self.wake(&inbox)
            }
        }

        /// The engine, if its thread waits and nothing has come in since.
        private var waitingEngine: CurlEngine? {
            inbox.withLock { $0.isAsleep && $0.commands.isEmpty ? $0.engine : nil }
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
                guard inbox.isClosed, !inbox.commands.contains(where: { if case .start = $0 { true } else { false } }) else {
                    return false
                }
                inbox.engine = nil
                inbox.commands.removeAll()
                return true
            }
        }

        /// - Returns: Whether there is a thread to receive it.
        private func send(_ command: Command) -> Bool {
            inbox.withLock { inbox in
                if inbox.engine == nil {
                    guard let engine = CurlEngine(loop: self), engine.startThread() else { return false }
                    inbox.engine = engine
                }
                inbox.commands.append(command)
                Self.wake(&inbox)
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
