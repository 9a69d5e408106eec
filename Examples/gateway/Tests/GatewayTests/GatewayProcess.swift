import DataTransfer
import Foundation

/// A gateway, or the upstreams of its demonstration, as a process.
final class GatewayProcess: @unchecked Sendable {  // Changed by the test alone.
    private let process = Process()
    private let output = Pipe()
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }
    var identifier: Int32 { process.processIdentifier }

    /// Starts the program that the package has built, and waits until it listens.
    init(_ arguments: [String]) throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("gateway")
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var text = ""
        let name = arguments.contains("--upstream") ? "upstream" : "gateway"
        var found: Int?
        while found == nil {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { throw Unstarted(text: text) }
            text += String(decoding: bytes, as: UTF8.self)
            for line in text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1) where line.hasPrefix(name) {
                found = line.split(separator: ":").last.flatMap { Int($0) }
            }
        }
        port = found ?? 0
    }

    deinit {
        if process.isRunning { kill(identifier, SIGKILL) }
    }

    struct Unstarted: Error {
        let text: String
    }

    /// Sends a signal.
    func signal(_ signal: Int32) { kill(identifier, signal) }

    /// Waits until the process has ended.
    ///
    /// - Returns: Its status.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.process.waitUntilExit()
                continuation.resume(returning: self.process.terminationStatus)
            }
        }
    }

    /// The memory that the process has in use, in KiB.
    func residentKiB() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}

/// A page as the gateway returns it.
struct Page: Decodable, Sendable, Equatable {
    struct Review: Decodable, Sendable, Equatable {
        let author: String
        let stars: Int
    }

    let id: Int
    let title: String?
    let year: Int?
    let reviews: [Review]?
    let degraded: [String]
}

/// A client of a gateway.
struct Client {
    private let service: DefaultDataTransferService

    init(_ gateway: GatewayProcess) throws {
        service = DefaultDataTransferService(
            configuration: try APIConfiguration(gateway.url), sessionManager: DefaultSessionManager())
    }

    func page(_ id: Int) async throws -> Page {
        try await service.request(Endpoint<Page>(path: "movies/{id}", pathParameters: ["id": id]))
    }

    func text(_ path: String) async throws -> String {
        try await service.request(Endpoint<String>(path: path, responseDecoder: .text))
    }
}
