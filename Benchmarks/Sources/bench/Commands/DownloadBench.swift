import CLoop
import DataTransfer
import Foundation

/// A large body over HTTP/2 with TLS, in turns by this engine and by libcurl: on loopback, and over a connection with a round trip time.
///
/// The body is read and counted, and written nowhere. The connection is made before.
struct DownloadBench {
    /// The round trip time of a distant server.
    private static let roundTrip = Duration.milliseconds(50)

    let servers: Servers
    let effort: Effort

    private var authority: URL? { servers.http2.authority }

    private struct Run {
        var megabytesPerSecond: Double
        /// Processor time of this process, in milliseconds for each 10^9 bytes.
        var processor: Double
    }

    func run() async throws {
        say("note: \(String(cString: cloop_libcurl()))")
        let base = servers.http2.url.deletingLastPathComponent()
        try await compare("http2.download", base, rounds: effort.rounds)
        if let nghttpd = servers.nghttpd {
            try await compare("http2.nghttpd.download", nghttpd.url.deletingLastPathComponent(), rounds: effort.rounds)
        } else {
            say("note: nghttpd is missing (Debian's nghttp2-server); http2.nghttpd.* is left out")
        }
        let relay = try DelayRelay.start(to: base, delay: Self.roundTrip / 2)
        defer { try? relay.input.fileHandleForWriting.close() }
        let name = "http2.download_\(Int(Self.roundTrip.inSeconds * 1000))ms"
        try await compare(name, relay.url, rounds: (effort.rounds + 2) / 3)
    }

    /// All in turns, and which goes first alternates. Ratios are those of medians.
    private func compare(_ name: String, _ base: URL, rounds: Int) async throws {
        let clients: [Client] = [.engine, .executor, .c_loop]
        var runs: [Client: [Run]] = [:]
        for round in 1...rounds {
            for client in round.isMultiple(of: 2) ? clients.reversed() : clients {
                runs[client, default: []].append(try await run(client, base))
            }
            say("\(name): round \(round) of \(rounds)")
        }
        func median(_ client: Client) -> Run {
            let runs = runs[client] ?? []
            return Run(megabytesPerSecond: runs.map(\.megabytesPerSecond).median, processor: runs.map(\.processor).median)
        }
        let loop = median(.c_loop)
        for client in clients {
            printFigure("\(name).\(client)", median(client).megabytesPerSecond, "MB/s")
            printFigure("\(name).\(client).cpu", median(client).processor, "ms/GB")
        }
        for (client, prefix) in [(Client.engine, ""), (.executor, "executor_")] {
            printFigure("\(name).\(prefix)rate_vs_c_loop", median(client).megabytesPerSecond / loop.megabytesPerSecond, "x")
            printFigure("\(name).\(prefix)cpu_vs_c_loop", median(client).processor / loop.processor, "x")
        }
    }

    private func run(_ client: Client, _ base: URL) async throws -> Run {
        if client == .c_loop { return try loop(base) }
        let session = SocketSessionManager(limit: 1, authority: authority)
        _ = try await session.response(for: NetworkRequest(url: base.appendingPathComponent(Document.tiny)))
        let request = NetworkRequest(url: base.appendingPathComponent(Memory.fileName))
        let before = Usage.now
        let bytes =
            client == .executor
            ? try await session.run { try await receive(request, session) } : try await receive(request, session)
        return run(of: bytes, since: before)
    }

    private func receive(_ request: NetworkRequest, _ session: SocketSessionManager) async throws -> Int {
        let response = try await session.stream(for: request)
        guard response.statusCode == 200, response.timings.protocolName == "h2" else { fail("\(response)") }
        var bytes = 0
        for try await chunk in response.body { bytes += chunk.count }
        return bytes
    }

    private func loop(_ base: URL) throws -> Run {
        let connected = cloop_connect(base.appendingPathComponent(Document.tiny).absoluteString, authority?.path)
        let before = Usage.now
        let bytes = cloop_download(connected, base.appendingPathComponent(Memory.fileName).absoluteString)
        return run(of: bytes, since: before)
    }

    private func run(of bytes: Int, since before: Usage) -> Run {
        let after = Usage.now
        guard bytes > 0 else { fail("there is no large body") }
        return Run(
            megabytesPerSecond: Double(bytes) / (after.time - before.time).inSeconds / 1e6,
            processor: (after.processor - before.processor).inSeconds * 1000 / Double(bytes) * 1e9)
    }
}
