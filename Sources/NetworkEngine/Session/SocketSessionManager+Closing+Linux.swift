#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    extension SocketSessionManager: ClosableSessionManager {
        /// Returns the numbers of connections and of requests that wait for one.
        ///
        /// Each event loop counts its connections between two of its steps, so that for each, `open` is `idle + active`. With several
        /// event loops, the numbers are added; their moments differ a little. A request counts nothing: the numbers are collected when
        /// this is called, on the threads of the event loops, each of which wakes up once. They wait for an event loop whose thread is
        /// blocked. All numbers are 0 after ``close(grace:)``, and if the configuration is invalid.
        ///
        /// ```swift
        /// let counts = await session.connectionCounts()
        /// print(counts.total.open, counts.byOrigin["https://example.com:443"]?.idle ?? 0)
        /// ```
        public func connectionCounts() async -> PoolCounts {
            guard let session = try? session else { return PoolCounts() }
            return await session.counts()
        }

        /// Returns the events of connections over HTTP/1.1, and of the queue, from now on.
        ///
        /// The events of one event loop are in order; those of several may overtake each other. If the reader is late and the buffer is
        /// full, new events are dropped, and ``ConnectionEvent/missed`` counts them. HTTP/2 connections have no events.
        /// The stream ends when the session manager was closed, or was released and its last transfer has ended.
        ///
        /// ```swift
        /// for await event in session.connectionEvents() where event.kind == .closed {
        ///     print(event.origin, event.reason?.rawValue ?? "", event.missed)
        /// }
        /// ```
        ///
        /// - Parameter maximumBuffered: The number of events that wait for the reader; a number below 1 counts as 1. Default: 1,024.
        public func connectionEvents(maximumBuffered: Int = 1024) -> AsyncStream<ConnectionEvent> {
            guard let session = try? session else { return AsyncStream { $0.finish() } }
            return session.observe(maximum: maximumBuffered)
        }

        /// Closes the session manager: refuses new requests from now on, waits for those that are under way, and cancels those that
        /// have not ended when the grace period is over.
        ///
        /// A request that is refused or cancelled by this fails with ``TransportError/Code/sessionClosed``. A streamed response is under
        /// way until its body was received, so a reader that is slow uses the grace period; bytes that were received, but not read when
        /// it is over, are dropped. Requests in the queue are still sent. Connections are closed as soon as no request uses them.
        ///
        /// It returns when the threads of the event loops have ended; if tasks run there, when their transfers have ended. Completions
        /// may run later. It may be called from anywhere, also in a task on an event loop, several times, and concurrently: all calls
        /// return the same report, and the grace period that ends first applies. If the task is cancelled, the grace period ends at
        /// once, and the call still waits for the transfers to end. Closing cannot be undone. ``shared`` can be closed too: then all
        /// requests of services that were created without a session manager fail, so this is for the end of a program. Executors
        /// continue to run tasks.
        ///
        /// ```swift
        /// let report = await session.close(grace: .seconds(10))
        /// for error in report.cancelled { print(error) }
        /// ```
        ///
        /// - Parameter grace: The grace period. With zero or less, everything is cancelled at once.
        public func close(grace: Duration) async -> ClosingReport {
            await close(grace: grace, on: TimeSource(ContinuousClock()))
        }

        /// Closes the session manager with another clock for the grace period.
        func close(grace: Duration, on time: TimeSource) async -> ClosingReport {
            guard let session = try? session else { return ClosingReport() }
            session.beginClosing()
            return await session.closing.report(grace: grace, on: time) { session.cutOff() }
        }
    }
#endif
