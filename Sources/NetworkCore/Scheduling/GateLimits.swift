/// What an ``OriginGate`` lets in at a time. All at least 1.
struct GateLimits: Sendable, Hashable {
    /// Connections to one origin.
    var connectionsPerOrigin: Int
    /// Members of one origin whose connections carry several at once.
    var streamsPerOrigin = 1
    /// Connections to all origins together; at least as many as lanes.
    var connections = Int.max
    /// Event loops, each with connections of its own, among which the others are divided.
    var lanes = 1

    /// Where a limit cannot be divided evenly, the first lanes have one more.
    static func share(of limit: Int, lane: Int, lanes: Int) -> Int {
        limit / lanes + (lane < limit % lanes ? 1 : 0)
    }
}
