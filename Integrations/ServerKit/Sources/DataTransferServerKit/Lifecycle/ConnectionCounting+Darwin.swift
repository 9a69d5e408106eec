#if canImport(Darwin)
    import DataTransfer

    extension ClosableSessionManager {
        /// Whether the session manager counts its connections: none does there.
        var countsConnections: Bool { false }

        /// Returns the numbers of connections: `nil`, as no session manager counts them there.
        func countedConnections() async -> PoolCounts? { nil }
    }
#endif
