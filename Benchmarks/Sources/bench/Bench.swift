import Foundation

/// `Scripts/bench` builds this and starts the servers; run alone, it prints what it can do.
@main
struct Bench {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        let effort = Effort.allCases.first { arguments.contains("--\($0)") } ?? .full
        arguments.removeAll { $0 == "--\(effort)" }
        switch arguments.popFirst() {
        case "transport": try Transport(base: url(&arguments), effort: effort).run()
        case "tls": try await TLSBench(servers: Servers(&arguments), effort: effort).run()
        case "websocket": try WebSocketBench(base: url(&arguments), effort: effort).run()
        case "echo-server": try EchoServer.run()
        case "compare": try Compare(other: program(&arguments), servers: Servers(&arguments), effort: effort).run()
        case "stack": try await Stack(isQuick: effort != .full).run()
        case "decoding": try Decoding(effort: effort).run()
        case "load": try Sample.take(url: url(&arguments), arguments: Array(arguments))
        case "requests": try Sample.send(url: url(&arguments), arguments: Array(arguments))
        case "download": try await DownloadBench(servers: Servers(&arguments), effort: effort).run()
        case "memory-streams":
            let (servers, state) = (Servers(&arguments), arguments.popFirst())
            try await StreamMemory(servers: servers, streams: number(&arguments) ?? 1_000).run(state)
        case "memory-inflight": try await InFlight(requests: number(&arguments) ?? 10_000).run()
        case "memory-idle":
            let servers = Servers(&arguments)
            try await IdleConnections(servers: servers, connections: number(&arguments) ?? 1_000).run()
        case "memory": try await Memory(url: url(&arguments), folder: url(&arguments), effort: effort).run()
        case "pipeline": try await PipelineBench(url: url(&arguments), effort: effort).run()
        case "cache": try await CacheBench(url: url(&arguments), effort: effort).run()
        case "disk-cache": try await DiskCacheBench(effort: effort).run()
        case "cache-hits":
            guard let kind = arguments.popFirst().flatMap(CacheHits.init) else { fail("a kind of hits is missing") }
            kind.count(number(&arguments) ?? 1_000)
        case "soak": try await Soak(url: url(&arguments), requests: number(&arguments) ?? 1_000_000).run()
        case "upload-memory": try await UploadMemory(url: url(&arguments), file: url(&arguments), effort: effort).run()
        case "slow-server": try SlowServer.run()
        case "delay-relay": try DelayRelay.run(to: number(&arguments) ?? 0, delay: .milliseconds(number(&arguments) ?? 0))
        case "free-ports": say(try SlowServer.freePorts(number(&arguments) ?? 1).map(String.init).joined(separator: " "))
        default:
            fail(
                """
                transport URL [--quick] (or --smoke) | tls SERVERS [--quick] | compare PROGRAM SERVERS [--quick] | stack [--quick]
                decoding [--quick] | memory URL FOLDER-URL [--quick] | upload-memory URL FILE-URL [--quick] | pipeline URL [--quick]
                cache URL [--quick] | disk-cache [--quick] | cache-hits memory | credential | disk [N] | memory-inflight [N] | memory-idle SERVERS [N] | soak URL [N] | websocket URL [--quick] | echo-server | slow-server
                free-ports N | delay-relay PORT MILLISECONDS | download SERVERS [--quick] | memory-streams SERVERS waiting | begun | held [N]
                load URL CLIENT LEVEL SECONDS [AUTHORITY] | requests URL CLIENT LEVEL COUNT [AUTHORITY], where SERVERS are URL HTTPS-URL HTTP2-URL AUTHORITY
                """)
        }
    }

    private static func url(_ arguments: inout ArraySlice<String>) -> URL {
        guard let url = arguments.popFirst().flatMap(URL.init(string:)) else { fail("a URL is missing") }
        return url
    }

    private static func program(_ arguments: inout ArraySlice<String>) -> URL {
        guard let path = arguments.popFirst() else { fail("another build of this program is missing") }
        guard FileManager.default.isExecutableFile(atPath: path) else { fail("\(path) is no program") }
        return URL(fileURLWithPath: path)
    }

    private static func number(_ arguments: inout ArraySlice<String>) -> Int? {
        guard let text = arguments.popFirst() else { return nil }
        guard let number = Int(text), number > 0 else { fail("\(text) is not a number of requests") }
        return number
    }
}

/// How much time a command takes.
enum Effort: CaseIterable {
    case full, quick
    /// No more than shows that it works: the figures mean nothing.
    case smoke

    /// How often two clients take turns.
    var rounds: Int {
        switch self {
        case .full: 9
        case .quick: 3
        case .smoke: 1
        }
    }
}

/// The line that others read.
func printFigure(_ name: String, _ value: Double, _ unit: String) {
    say("figure \(name) \(String(format: value < 100 ? "%.3f" : "%.0f", value)) \(unit)")
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
