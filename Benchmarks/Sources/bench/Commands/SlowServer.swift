import Foundation
import NetworkTesting

/// A `LoopbackServer` in a separate process, so that its memory is not counted as the client's.
enum SlowServer {
    /// Prints its URL, and responds to each request after a second until its input ends, as it does when the client's process ends.
    static func run() throws {
        let configuration = LoopbackServerConfiguration(maximumRecordedRequests: 0, backlog: 16_384)
        let server = try LoopbackServer(configuration: configuration) { _ in .text("ok").delayed(by: .seconds(1)) }
        say(server.url.absoluteString)
        withExtendedLifetime(server) {
            ChildServer.waitForEndOfInput()
        }
    }

    /// Starts one in a separate process.
    static func start() throws -> (input: Pipe, url: URL) {
        try ChildServer.start(["slow-server"])
    }

    /// So many different ports, free a moment ago.
    static func freePorts(_ count: Int) throws -> [Int] {
        let servers = try (0..<count).map { _ in try LoopbackServer() }
        defer { servers.forEach { $0.stop() } }
        return servers.map(\.port)
    }
}
