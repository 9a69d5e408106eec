import DataTransfer
import Foundation

/// Many requests at once, each on a separate connection, to a server that lets them wait for a second.
struct InFlight {
    let requests: Int

    func run() async throws {
        let server = try SlowServer.start()
        defer { try? server.input.fileHandleForWriting.close() }
        let session = SocketSessionManager(limit: requests)
        let request = NetworkRequest(url: server.url)
        _ = try await session.response(for: request)

        let before = Usage.residentBytes
        let completed = Tally()
        var peak = before
        var descriptors = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<requests {
                group.addTask {
                    let response = try await session.response(for: request)
                    guard response.statusCode == 200 else { fail("\(response)") }
                    completed.increment()
                }
            }
            while completed.count < requests {
                peak = max(peak, Usage.residentBytes)
                descriptors = max(descriptors, Usage.openDescriptors)
                try await Task.sleep(for: .milliseconds(20))
            }
            try await group.waitForAll()
        }
        printFigure("transport.inflight_completed", Double(completed.count), "requests")
        printFigure("transport.inflight_descriptors", Double(descriptors), "descriptors")
        printFigure("transport.inflight_kb", Double(peak - before) / 1024 / Double(requests), "KB")
    }
}
