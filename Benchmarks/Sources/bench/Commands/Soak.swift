import DataTransfer
import Foundation

/// Request after request, 64 at a time: memory must not grow once everything is warm.
struct Soak {
    /// After how many requests everything is warm.
    private static let warm = 50_000

    let url: URL
    let requests: Int

    func run() async throws {
        guard requests > Self.warm else { fail("a soak takes more than \(Self.warm) requests") }
        let session = SocketSessionManager(limit: 64)
        try await send(Self.warm, over: session)
        let before = Usage.residentBytes
        printFigure("transport.soak_rss_warm_mb", Double(before) / 1e6, "MB")
        try await send(requests - Self.warm, over: session)
        let after = Usage.residentBytes
        printFigure("transport.soak_rss_end_mb", Double(after) / 1e6, "MB")
        printFigure("transport.soak_rss_growth_mb", Double(after - before) / 1e6, "MB")
    }

    private func send(_ count: Int, over session: SocketSessionManager) async throws {
        let request = NetworkRequest(url: url.appendingPathComponent(Document.name))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<64 {
                let share = count / 64 + (worker < count % 64 ? 1 : 0)
                group.addTask {
                    for _ in 0..<share {
                        let response = try await session.response(for: request)
                        guard response.statusCode == 200, response.data.count == Document.bytes else { fail("\(response)") }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
