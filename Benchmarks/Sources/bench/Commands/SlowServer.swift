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
            _ = try? FileHandle.standardInput.readToEnd()
        }
    }

    /// - Returns: Its URL, and the pipe to close when it has served.
    static func start() throws -> (input: Pipe, url: URL) {
        let input = Pipe()
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["slow-server"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let url = URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)) else { fail("no slow server") }
        return (input, url)
    }

    /// So many different ports, free a moment ago.
    static func freePorts(_ count: Int) throws -> [Int] {
        let servers = try (0..<count).map { _ in try LoopbackServer() }
        defer { servers.forEach { $0.stop() } }
        return servers.map(\.port)
    }
}
