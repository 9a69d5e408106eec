/// What an ``OriginGate`` lets in at a time. All at least 1.
package struct GateLimits: Sendable, Hashable {
    /// Connections to one origin.
    package var connectionsPerOrigin: Int
    /// Members of one origin whose connections carry several at once.
    package var streamsPerOrigin = 1
    /// Connections to all origins together; at least as many as lanes.
    package var connections = Int.max
    /// Event loops, each with connections of its own, among which the others are divided.
    package var lanes = 1

    package init(connectionsPerOrigin: Int, streamsPerOrigin: Int = 1, connections: Int = .max, lanes: Int = 1) {
        self.connectionsPerOrigin = connectionsPerOrigin
        self.streamsPerOrigin = streamsPerOrigin
        self.connections = connections
        self.lanes = lanes
    }

    /// Where a limit cannot be divided evenly, the first lanes have one more.
    package static func share(of limit: Int, lane: Int, lanes: Int) -> Int {
        limit / lanes + (lane < limit % lanes ? 1 : 0)
    }
}
