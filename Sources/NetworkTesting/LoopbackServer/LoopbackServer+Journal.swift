/// What has happened so far, and waiting for what is to happen. Safe to use from any thread.
extension LoopbackServer {
    /// The latest complete requests in the order they arrived, recorded before their handler ran; up to
    /// ``LoopbackServerConfiguration/maximumRecordedRequests``.
    public var requests: [LoopbackRequest] { engine.journal.requests }

    /// How many complete requests have arrived, recorded or not.
    public var requestCount: Int { engine.journal.tally.requests }

    /// How many connections were accepted.
    public var connectionCount: Int { engine.journal.tally.connections }

    /// How many of them are open now.
    public var openConnectionCount: Int { engine.journal.tally.openConnections }

    /// Forgets the recorded requests and counts from zero again.
    public func forgetRequests() {
        engine.journal.forgetRequests()
    }

    /// Returns once so many requests have arrived since the start or ``forgetRequests()``.
    ///
    /// - Returns: The recorded requests. Fewer than asked for if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForRequests(count: Int) async -> [LoopbackRequest] {
        _ = await engine.journal.wait { $0.requests >= count }
        return requests
    }

    /// Returns once so many connections have been accepted since the start.
    ///
    /// - Returns: `false` if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForConnections(count: Int) async -> Bool {
        await engine.journal.wait { $0.connections >= count }
    }

    /// Returns once exactly so many connections are open.
    ///
    /// - Returns: Whether that many are open; not so if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForOpenConnections(_ count: Int) async -> Bool {
        await engine.journal.wait { $0.openConnections == count }
    }
}
