#if os(Linux)
    import DataTransfer

    extension ClosableSessionManager {
        /// Whether the session manager counts its connections.
        var countsConnections: Bool { self is SocketSessionManager }

        /// Returns the numbers of connections; `nil` if the session manager does not count them.
        func countedConnections() async -> PoolCounts? { await (self as? SocketSessionManager)?.connectionCounts() }
    }
#endif
