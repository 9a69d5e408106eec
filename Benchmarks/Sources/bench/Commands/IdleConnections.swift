import DataTransfer
import Foundation

/// The memory that a connection over TLS takes while no request uses it.
struct IdleConnections {
    let servers: Servers
    let connections: Int

    func run() async throws {
        let target = servers.tls.url.deletingLastPathComponent().appendingPathComponent("begun")
        // The handshakes of a burst need buffers, whose places stay empty between what the connections keep: the burst is measured second.
        for (name, handshakes) in [("idle", 20), ("idle_after_burst", connections)] {
            let session = SocketSessionManager(limit: connections, authority: servers.tls.authority)
            // The first ones load what all share.
            try await send(10, to: target, over: session, handshakes: 10)
            let (before, idle) = (Usage.residentBytes, await session.connectionCounts().total.idle)
            try await send(connections, to: target, over: session, handshakes: handshakes)
            let more = await session.connectionCounts().total.idle - idle
            printFigure("\(name).connections", Double(more), "connections")
            printFigure("\(name).kb", Double(Usage.residentBytes - before) / 1024 / Double(more), "KB")
        }
    }

    /// Sends requests to which the server takes seconds to respond, so that each has a separate connection.
    ///
    /// - Parameter handshakes: How many connections are opened at a time.
    private func send(_ count: Int, to url: URL, over session: SocketSessionManager, handshakes: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                while index % handshakes == 0, await session.connectionCounts().total.connecting > 0 { await Task.yield() }
                group.addTask {
                    let response = try await session.response(for: NetworkRequest(url: url))
                    guard response.statusCode == 200 else { fail("\(response)") }
                }
            }
            try await group.waitForAll()
        }
    }
}
