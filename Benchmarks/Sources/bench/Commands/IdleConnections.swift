import DataTransfer
import Foundation

/// The memory that a connection over TLS takes while no request uses it.
struct IdleConnections {
    let servers: Servers
    let connections: Int

    func run() async throws {
        let target = servers.tls.url.deletingLastPathComponent().appendingPathComponent("begun")
        let session = SocketSessionManager(limit: connections, authority: servers.tls.authority)
        // The first ones load what all share.
        try await send(10, to: target, over: session)
        let (before, idle) = (Usage.residentBytes, await session.connectionCounts().total.idle)
        try await send(connections, to: target, over: session)
        let more = await session.connectionCounts().total.idle - idle
        printFigure("idle.connections", Double(more), "connections")
        printFigure("idle.kb", Double(Usage.residentBytes - before) / 1024 / Double(more), "KB")
    }

    /// Sends requests at once, to which the server takes seconds to respond, so that each has a separate connection.
    private func send(_ count: Int, to url: URL, over session: SocketSessionManager) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let response = try await session.response(for: NetworkRequest(url: url))
                    guard response.statusCode == 200 else { fail("\(response)") }
                }
            }
            try await group.waitForAll()
        }
    }
}
